import { z } from 'zod';
import type { Kit, ListingPayload } from '@assay/core/answer/listing';
import type { SettlementPayload } from '@assay/core/answer/settlement';
import type { LatestClose } from '../../day/settlement-mirror.ts';
import { closeContent } from './close.ts';
import {
  about,
  dateText,
  decimalText,
  hashText,
  hexText,
  named,
  type Plain,
  timeText,
} from './field.ts';
import { index } from './index.ts';
import { reportAnswer } from './report.ts';

/** The kit of an index, which the log alone decides. */
const kit = {
  ticker: about(z.string(), 'The index as addresses have it.', 'LAYOFFS'),
  title: about(
    z.string(),
    'A description of what is counted.',
    'US initial jobless claims, seasonally adjusted',
  ),
  network: about(
    z.enum(['development', 'production']),
    '`development`: the figures are samples or invented, and nothing may be settled on them.',
    'production',
  ),
  question: about(
    z.string(),
    'The question of a market on the next print, with `{strike}` left open.',
    'Will US initial jobless claims for the week ending 2026-08-01 be at or above {strike}?',
  ),
  period: about(dateText, 'The period that it asks about.', '2026-08-01'),
  unit: about(z.string(), 'What one is one of.', 'claims'),
  decimals: about(z.int().min(0).max(18), 'Decimals of every value.', 0),
  strikes: about(
    z.array(decimalText),
    "Strikes around the newest settlement value, ascending, in the index's unit; empty before there is one. None is certain: a count or an amount has no strike at 0 or below, and none far above the value. In a settlement file they go by the step of the rule, and one may be 0.",
    ['210000', '215000', '220000', '225000'],
  ),
  strike_step: about(
    decimalText,
    'Space between two strikes: that of the rule, and less where the value is small beside it.',
    '5000',
  ),
  tie: about(
    z.looseObject({
      op: about(
        z.enum(['ge', 'gt']),
        '`ge`: a print equal to the strike is a yes. `gt`: it is a no.',
        'ge',
      ),
      text: about(
        z.string(),
        'The same as text for people.',
        'A print equal to the strike is at or above it.',
      ),
    }),
    'How a print equal to the strike is read.',
  ),
  settlement: about(
    z.looseObject({
      release_at: about(
        timeText,
        'When the source is due to release the number, UTC.',
        '2026-08-06T12:30:00Z',
      ),
      final_from: about(
        timeText,
        'No final is signed before, UTC: the source may correct itself until then.',
        '2026-08-06T14:30:00Z',
      ),
      void_after: about(
        timeText,
        'What is not final by then is void, UTC.',
        '2026-08-20T12:30:00Z',
      ),
      on: about(
        z.string(),
        'A description of what it settles on.',
        'settlement_value of LAYOFFS for 2026-08-01: the first final under rule version 1, signed by the publisher and by 2 of its co-signers. It settles from when `settleable` of that period is true.',
      ),
      if_void: about(
        z.string(),
        'A description of what happens where there is no number.',
        'Where the source publishes no number by its deadline the period is void.',
      ),
    }),
    'When and on what it settles.',
  ),
  reference: about(
    z
      .looseObject({
        period: about(dateText, 'Its period.', '2026-07-25'),
        settlement_value: about(decimalText, 'The value, exact.', '218000'),
      })
      .nullable(),
    'The newest settlement value; null before there is one.',
  ),
  rule: about(
    z.looseObject({
      version: about(z.int(), 'Its version.', 1),
      hash: about(
        hashText,
        'SHA-256 of its exact bytes.',
        '77350a96382458fe504878fafa5c32aa852a0c64eb5d645a783ea96071256c8e',
      ),
    }),
    'The rule of that period: what it settles by.',
  ),
  source: about(
    z.looseObject({
      name: about(
        z.string(),
        'Who publishes the number.',
        'U.S. Department of Labor, weekly claims',
      ),
      attribution: about(
        z.string(),
        'How the source wants to be named.',
        'Source: U.S. Department of Labor',
      ),
    }),
    'Where the number comes from.',
  ),
};

export const listing: z.ZodType<ListingPayload> = named(
  z.looseObject({
    ...kit,
    where: about(
      z.looseObject({
        report: about(
          z.string(),
          'The signed report of the period that is asked about; 404 `no_report` until there is one.',
          'https://example.org/indices/LAYOFFS/report?period=2026-08-01',
        ),
        settlement_index: about(
          z.string(),
          'The index of the newest settlement files. They come to hold the period with the Close of the day on which it is final; 404 before the first Close.',
          'https://example.org/settlement/latest.json',
        ),
        mirror: about(
          z.string().nullable(),
          'The same index on another host; null where there is none.',
          'https://mirror.example.org/latest.json',
        ),
        reference_file: about(
          z.string().nullable(),
          'The newest settlement file of the index, which never changes: it holds the reference, and never the period that is asked about. Null before the first Close.',
          'https://example.org/settlement/2026-07-30/LAYOFFS.json',
        ),
        proof: about(
          z.string().nullable(),
          'Where the Bitcoin proof of that report will be: in `proof` of the same answer, and its file at `proof_url` there.',
          'https://example.org/indices/LAYOFFS/report?period=2026-08-01',
        ),
        recount: about(
          z.string().nullable(),
          'Who recounts the print, by names and keys, and what they have stated about it. Null where the log names nobody, and where the kit comes from the mirror.',
          'https://example.org/indices/LAYOFFS/recount?period=2026-08-01',
        ),
        rule: about(z.string(), 'The rule.', 'https://example.org/indices/LAYOFFS/rule'),
      }),
      'Where to find what the kit names.',
    ),
  }),
  'Listing',
  'A market on the next print of an index, ready to paste.',
);

export const settlementIndex: z.ZodType<Plain<LatestClose>> = named(
  z.looseObject({
    type: about(z.literal('assay-settlement-index/1'), 'The format.', 'assay-settlement-index/1'),
    day: about(dateText, 'The day (UTC) of the newest Close.', '2026-07-30'),
    version: about(z.int().min(0), 'The version of that Close.', 0),
    files: about(
      z.array(
        z.looseObject({
          ticker: about(z.string(), 'The index as addresses have it.', 'LAYOFFS'),
          slug: about(z.string(), 'Its slug.', 'layoffs'),
          path: about(z.string(), 'Its settlement file, from here.', '2026-07-30/LAYOFFS.json'),
          sha256: about(
            hashText,
            'SHA-256 of the bytes of that file.',
            '2e34c20aa136403c95112d4eca152174a0795b8a6a890deb692947e81fd43651',
          ),
          csv: about(
            z.looseObject({
              path: about(z.string(), 'Where it is, from here.', '2026-07-30/LAYOFFS.csv'),
              sha256: about(
                hashText,
                'SHA-256 of its bytes.',
                '4d85cd932c534063b66f72728993afd17a594e5b28787637306d853622efdf54',
              ),
            }),
            'Its newest complete periods as CSV.',
          ),
        }),
      ),
      'Each index of the Close.',
    ),
    close: about(
      z.looseObject({
        log: about(hashText, 'Id of the log.', '11'.repeat(32)),
        content: about(closeContent, 'What is signed through its hash.'),
        version: about(z.int().min(0), 'Its version.', 0),
        supersedes: about(hashText.nullable(), 'Content hash of the version before.', null),
        signature: about(hexText(64), "The publisher's Ed25519 signature, hex.", 'ab'.repeat(64)),
        public_key: about(
          hexText(32),
          'The key of that signature, hex. Trust it from the signer document that you pinned.',
          'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
        ),
      }),
      'The signed Close, which names every file.',
    ),
  }),
  'SettlementIndex',
  'Where the settlement files of the newest Close are. Nothing is settled on this answer alone: the files are proven by their own signatures.',
);

const kitAnswer: z.ZodType<Kit> = named(
  z.looseObject(kit),
  'Kit',
  'A market on the next print of an index, as it was when the day was closed.',
);

export const settlementFile: z.ZodType<Plain<SettlementPayload>> = named(
  z.looseObject({
    type: about(z.literal('assay-settlement/1'), 'The format.', 'assay-settlement/1'),
    day: about(dateText, 'The day (UTC) of the Close that names the file.', '2026-07-30'),
    log: about(
      hashText,
      'Id of the log: the leaf hash of its first entry.',
      '1182688fa3e1448a8a7e06c386a7ce3adebe5333b87f0214254ab510d13f5483',
    ),
    index: about(index, 'The index at that time, with its newest 30 complete periods.'),
    report: about(reportAnswer.nullable(), 'The report of its newest complete period.'),
    kit: about(kitAnswer.nullable(), 'The listing kit; null where none is offered.'),
    no_kit: about(z.string().nullable(), 'Why no kit is offered; null where one is.', null),
  }),
  'SettlementFile',
  'What a market settles from when the service cannot be reached: one index at the end of one day. Written once.',
);

import { z } from 'zod';
import type {
  IndexDetailPayload,
  IndexPayload,
  SettlementPayload,
  SourcePayload,
} from '@assay/core/answer/index';
import { deprecated } from './basis.ts';
import type { LightIndexPayload } from '@assay/core/answer/light-index';
import { about, dateText, hashText, linkText, named, type Plain, timeText } from './field.ts';
import { period } from './period.ts';
import { proof } from './proof.ts';
import { settlementStatus } from './settlement-status.ts';

/** What the grades mean, wherever one stands. */
export const GRADE_WORDS =
  'How well the number is secured. A: a source of record, the right to settle on it, and an independent provider or a custody copy. B: one of these is missing. C: the level is withheld.';

const source: z.ZodType<SourcePayload> = named(
  z.looseObject({
    name: about(z.string(), 'Who publishes the number.', 'U.S. Department of Labor, weekly claims'),
    terms_url: about(
      linkText,
      "The page of the source's terms.",
      'https://www.dol.gov/general/aboutdol/copyright',
    ),
    clause: about(
      z.string(),
      'The text of the terms that allows this use.',
      'Information presented on this website is considered public information and may be distributed or copied.',
    ),
    attribution: about(
      z.string(),
      'How the source wants to be named.',
      'Source: U.S. Department of Labor',
    ),
    providers: about(
      z.array(
        z.looseObject({
          id: about(z.string(), "The provider's id, as reports name it.", 'dol-press'),
          name: about(z.string(), 'The name of the provider.', 'DOL press release'),
          role: about(
            z.enum(['record', 'mirror', 'custody', 'check']),
            '`record`: the number of record. `mirror`, `custody`: a copy, which counts toward the quorum. `check`: compared and shown, never counts.',
            'record',
          ),
          url: about(
            z.string(),
            'What is asked; `{...}` is a placeholder for what depends on the period, or for a secret.',
            'https://oui.doleta.gov/unemploy/weeklyRedirect.php',
          ),
        }),
      ),
      'Where the number is read, in the order of the rule.',
    ),
  }),
  'Source',
  "An index's source and its terms.",
);

const settlement: z.ZodType<SettlementPayload> = named(
  z.looseObject({
    rule_version: about(z.int(), 'Version of the rule in force for the newest period.', 1),
    rule_hash: about(
      hashText,
      "SHA-256 of that rule's exact bytes; every report names it.",
      '77350a96382458fe504878fafa5c32aa852a0c64eb5d645a783ea96071256c8e',
    ),
    settles: about(
      z.string(),
      '`first_published`: the number as first published settles, whatever the source says later.',
      'first_published',
    ),
    allowed: about(z.boolean(), 'Whether the terms of the source allow settlement on it.', true),
    quorum: deprecated(
      about(
        z.int(),
        'Reads that must agree before a number is final: `aggregate.quorum` of the rule, from which it should be taken, because a quorum is of co-signers elsewhere in these answers. It stays under this name, which is in settlement files.',
        2,
      ),
    ),
    freeze_after_s: about(
      z.int(),
      'Seconds after the release in which the source may still correct its first print; final comes after them.',
      7200,
    ),
    tie: about(
      z.string(),
      'How a print equal to the strike is read.',
      'A print equal to the strike is at or above it.',
    ),
  }),
  'Settlement',
  'How a period of an index settles.',
);

/** What every list of indexes names of each. */
const indexNames = {
  ticker: about(
    z.string(),
    'The name in addresses, in any case; the four monthly ones are lower case.',
    'LAYOFFS',
  ),
  slug: about(z.string(), 'Another name for addresses.', 'layoffs'),
  title: about(
    z.string(),
    'A description of what is counted.',
    'US initial jobless claims, seasonally adjusted',
  ),
  network: about(
    z.enum(['development', 'production']),
    '`development`: figures may be samples or synthetic, and nothing may be settled on.',
    'production',
  ),
  unit: about(z.string(), 'What one is one of.', 'claims'),
  format: about(z.enum(['count', 'usd', 'percent']), 'How to show a value.', 'count'),
  decimals: about(z.int().min(0).max(18), 'Decimals of every value of the index.', 0),
  cadence: about(z.enum(['daily', 'weekly', 'monthly']), 'How often there is a period.', 'weekly'),
  grade: about(z.enum(['A', 'B', 'C']), GRADE_WORDS, 'A'),
};

const nextPeriod = {
  next_period: about(dateText, 'The period that comes after the newest.', '2026-07-11'),
  next_release_at: about(
    timeText,
    "When the source is due to release it, UTC, by the rule's calendar.",
    '2026-07-16T12:30:00Z',
  ),
};

const { grade, ...beforeStep } = indexNames;

const members = {
  ...beforeStep,
  step: about(
    z.int().nullable(),
    'Days between two periods; null where a period is a calendar month.',
    7,
  ),
  grade,
  source: about(source, 'Who publishes the number, and on what terms.'),
  settlement: about(settlement, 'How a period settles.'),
  newest_reading: about(
    period.nullable(),
    'The newest period, provisional or not; null before the first.',
  ),
  newest_complete: about(
    period.nullable(),
    'The newest period that is no longer provisional; null before the first.',
  ),
  ...nextPeriod,
};

export const index: z.ZodType<IndexPayload> = named(
  z.looseObject({
    ...members,
    periods: about(z.array(period), 'The newest 30 complete periods, newest first.'),
  }),
  'Index',
  'An index in the list of all: source and terms, how it settles, and its newest complete periods.',
);

export const indexList: z.ZodType<readonly IndexPayload[]> = named(
  z.array(index),
  'IndexList',
  'Every index, by ticker.',
);

export const indexDetail: z.ZodType<IndexDetailPayload> = named(
  z.looseObject({
    ...members,
    periods: about(z.array(period), 'Every period, newest first, provisional ones too.'),
    open_round: about(
      z.null(),
      'The round of forecasts on the next print that is open; null while there is none.',
    ),
    newest_proof: about(
      proof.nullable(),
      'The proof of the newest period that has one; null while none has.',
    ),
  }),
  'IndexDetail',
  'One index with all of its periods.',
);

export const lightIndexList: z.ZodType<readonly Plain<LightIndexPayload>[]> = named(
  z.array(
    z.looseObject({
      ...indexNames,
      newest_complete: about(
        settlementStatus.nullable(),
        'The newest period that is no longer provisional; null before the first.',
      ),
      ...nextPeriod,
    }),
  ),
  'LightIndexList',
  'Every index, by ticker: its name, its newest complete period, and when the next one is due.',
);

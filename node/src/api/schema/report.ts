import { z } from 'zod';
import { REASONS } from '@assay/core/report/decide';
import type { ReportPayload } from '@assay/core/answer/report';
import { type Report, STATUSES } from '@assay/core/report/report';
import { GRADES } from '@assay/core/rule/rule';
import {
  about,
  dateText,
  hashText,
  hexText,
  integerText,
  named,
  type Plain,
  timeText,
} from './field.ts';
import { BAND_WORDS, Z_WORDS } from './period.ts';
import { cosign, quorum } from './cosign.ts';
import { feed } from './onchain.ts';
import { proof } from './proof.ts';
import { read } from './read.ts';

const report: z.ZodType<Plain<Report>> = named(
  z.looseObject({
    type: about(z.literal('assay-report/1'), 'The format.', 'assay-report/1'),
    log: about(
      hashText,
      'Id of the log: the leaf hash of its first entry.',
      '1182688fa3e1448a8a7e06c386a7ce3adebe5333b87f0214254ab510d13f5483',
    ),
    ticker: about(z.string(), 'The index, in capitals.', 'LAYOFFS'),
    rule: about(
      z.looseObject({
        hash: about(
          hashText,
          "SHA-256 of the rule's exact bytes.",
          '77350a96382458fe504878fafa5c32aa852a0c64eb5d645a783ea96071256c8e',
        ),
        version: about(z.int(), "The rule's version.", 1),
      }),
      'The one rule for this period.',
    ),
    period: about(dateText, 'The date that names the period.', '2026-07-25'),
    issue: about(
      z.int().min(0).max(255),
      'Counts the reports of one status: provisional from 0, final and void 0, corrected from 1.',
      0,
    ),
    status: about(
      z.enum(STATUSES),
      '`provisional`: may still change. `final`: settled. `corrected`: puts an error of the publisher right. `void`: there will be no number.',
      'final',
    ),
    reason: about(
      z.enum(REASONS).nullable(),
      'Why it is not a plain final; null on a final.',
      null,
    ),
    value: about(
      integerText.nullable(),
      'The number as an integer scaled by ten to the power of `decimals`; null when void or withheld.',
      '218000',
    ),
    decimals: about(z.int().min(0).max(18), 'Decimals of every scaled integer here.', 0),
    withheld: about(
      z.boolean(),
      "Whether the source's terms keep the level out of the report.",
      false,
    ),
    commitment: about(
      hashText.nullable(),
      'Where the level is withheld: SHA-256 of 32 secret random bytes and the value (64-bit little endian), so that it can be proven later. Null elsewhere.',
      null,
    ),
    settleable: about(
      z.boolean(),
      'Whether its rule lets money settle on it: final, not withheld, and the terms of the source allow it. It does so once its `quorum`, beside the report, is there: as many `have` signed as are `required`.',
      true,
    ),
    grade: about(z.enum(GRADES), "The rule's grade of the source.", 'A'),
    z: about(z.string().nullable(), Z_WORDS, '-0.8'),
    band: about(z.string().nullable(), BAND_WORDS, 'normal'),
    dispersion: about(
      integerText.nullable(),
      'Largest less smallest of the reads that count, scaled; null when void or withheld.',
      '0',
    ),
    reads: about(z.array(read), 'One for each provider of the rule, in its order.'),
    cosigners: about(
      z.looseObject({
        set: about(
          hashText.nullable(),
          'Hash of the set of co-signers in force; null where none is registered.',
          null,
        ),
        required: about(z.int(), 'How many of them a settlement needs.', 0),
      }),
      'Who else must have recounted it.',
    ),
    supersedes: about(
      hashText.nullable(),
      'SHA-256 of the report of this period before it; null for the first.',
      '2506ef1efc4c6170192c12b1cd422c20289f36cc93b336a82477c39910bec5cd',
    ),
    after: about(
      z
        .looseObject({
          height: about(z.int(), 'Its height.', 912345),
          hash: about(
            hashText,
            'Its id as block explorers show it.',
            '00000000000000000000abababababababababababababababababababababab',
          ),
        })
        .nullable(),
      'The newest Bitcoin block that the log names before the report: its hash was known to nobody before it was mined, so the report was not written before. Null where the log names none.',
    ),
    published_at: about(timeText, 'When it was published, UTC.', '2026-07-30T14:30:05Z'),
  }),
  'Report',
  'What the publisher says about one period of one index, under one rule, at one time. Its canonical JSON (keys sorted, no spaces) is what is hashed and signed.',
);

export const reportAnswer: z.ZodType<Plain<ReportPayload>> = named(
  z.looseObject({
    report: about(report, 'The report itself.'),
    hash: about(
      hashText,
      "SHA-256 of the report's canonical JSON.",
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
    print: about(
      hexText(128),
      'The 128 bytes that are signed, hex: series, rule hash, report hash, value, times and status.',
      '6173736179505231ef704e58c49891c5ee01890de1b0b101e26e5c29c1a575aedeedf3449c6755b477350a96382458fe504878fafa5c32aa852a0c64eb5d645a783ea96071256c8e7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc689882557529053030000000000e85f6b6a00000000b350000002000100',
    ),
    signature: about(
      hexText(64),
      "The publisher's Ed25519 signature over `print`, hex.",
      '363bfee144a436b736f66f7a16e6cadff304f91c52f96730030e04318acaf4e711d7abc56cf5e37b78a0bd2d0720acc269e1149cd261424e4e7d1eaac5fede01',
    ),
    public_key: about(
      hexText(32),
      'The key of that signature, hex. Trust it from the signer document that you pinned, not from here.',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    ),
    seq: about(z.int(), 'The entry of the log that holds the report.', 61),
    after_seq: about(
      z.int().nullable(),
      "The entry of the beacon that names the block of the report's `after`; null without one.",
      57,
    ),
    clock_seqs: about(
      z.array(z.int()).optional(),
      'The entries that the clocks of the period rest on where its number is late and its rule allows for that: the report that was in time, or what a quorum of co-signers saw and the reports that it is about. Not there where the schedule sets them.',
      [58, 60],
    ),
    cosignatures: about(
      z.array(cosign),
      'Co-signers whose own read gave this number; empty while nobody has recounted it.',
    ),
    dissents: about(z.array(cosign), 'Co-signers whose own read gave another.'),
    quorum: about(quorum, 'How far the recount is.'),
    feed: about(
      feed.nullable(),
      'The on-chain account that holds the print; null until the chain has finalized it.',
    ),
    proof: about(proof.nullable(), 'What stamps `hash` in Bitcoin; null until a batch holds it.'),
  }),
  'SignedReport',
  'A report with what proves it: its hash, the bytes that are signed, and the signature.',
);

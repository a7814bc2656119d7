import { z } from 'zod';
import type { IndexProofPayload } from '@assay/core/answer/completeness';
import type { IndexRow } from '@assay/core/view/completeness';
import { about, dateText, hashText, named, type Plain, timeText } from './field.ts';

const HASH = '3f0e6fb1d0f2b2f1a2c9c4ab6b25a0c4bb7f0b5d3a4c1e2f908172635445a6b7';

const LEAF =
  '800050acef704e58c49891c5ee01890de1b0b101e26e5c29c1a575aedeedf3449c6755b402007f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752';

const RULE_LEAF =
  'ef704e58c49891c5ee01890de1b0b101e26e5c29c1a575aedeedf3449c6755b40000000177350a96382458fe504878fafa5c32aa852a0c64eb5d645a783ea96071256c8e';

const list = (what: string, count: number): z.ZodType<Plain<IndexRow['prints']>> =>
  about(
    z.looseObject({
      count: about(z.int().min(0), 'How many it has.', count),
      root: about(hashText, 'The RFC 6962 root over them, sorted.', HASH),
    }),
    what,
  );

const members = {
  day: about(dateText, 'The day (UTC) that it ends.', '2026-07-30'),
  seq: about(z.int().min(0), 'Its entry.', 231),
  at: about(timeText, 'When that says that it was written, UTC.', '2026-07-31T00:00:12Z'),
  size: about(z.int().min(1), 'The entries that it covers: all before it.', 231),
  prints: list('Every report, by period, series, status and issue.', 118),
  keys: list('The keys of the log.', 4),
  rules: list('Every version of every rule.', 12),
  events: list('Events: none in this version.', 0),
};

export const indexEntry: z.ZodType<Plain<IndexRow>> = named(
  z.looseObject(members),
  'IndexEntry',
  'What the log had in all when a day had ended: counts and roots of sorted lists.',
);

export const indexProof: z.ZodType<Plain<IndexProofPayload>> = named(
  z.looseObject({
    ...members,
    report: about(hashText, 'The report that was asked for.', HASH),
    proof: about(
      z.looseObject({
        first: about(z.int().min(0), 'The place in the list of the first leaf here.', 116),
        leaves: about(
          z.array(
            z.looseObject({
              leaf: about(
                z.string().regex(/^[0-9a-f]{140}$/),
                'Period, series, status, issue and report hash; 70 bytes in hex.',
                LEAF,
              ),
              proof: about(z.array(hashText), 'Its RFC 6962 inclusion proof, leaf side first.', [
                HASH,
              ]),
            }),
          ),
          "Every report of that report's period, side by side, with the leaf before and the leaf after where there is one.",
        ),
      }),
      'Shows that the index entry has these reports of the period and no other.',
    ),
    versions: about(
      z.looseObject({
        first: about(z.int().min(0), 'The place in the list of the first leaf here.', 3),
        leaves: about(
          z.array(
            z.looseObject({
              leaf: about(
                z.string().regex(/^[0-9a-f]{136}$/),
                'Series, version and rule hash; 68 bytes in hex.',
                RULE_LEAF,
              ),
              proof: about(z.array(hashText), 'Its RFC 6962 inclusion proof, leaf side first.', [
                HASH,
              ]),
            }),
          ),
          "Every version of the report's rule, with the leaf before and the leaf after where there is one.",
        ),
      }),
      'Shows that the index entry has these versions of the rule and no other.',
    ),
  }),
  'IndexProof',
  'What the newest index entry has of the period of a report.',
);

import { z } from 'zod';
import { isDate } from '@assay/core/time/time';
import type { Operation } from '../../http/operation.ts';
import { about, hashText } from '../schema/field.ts';
import { indexEntry, indexProof } from '../schema/index-entry.ts';

const folded = { tag: 'proofs', basis: 'folded', freshness: 'etag' } as const;

type DayQuery = z.ZodObject<{ day: z.ZodOptional<z.ZodString> }>;

const dayQuery: DayQuery = z.object({
  day: about(
    z
      .string()
      .refine((text) => isDate(text), 'not a date YYYY-MM-DD')
      .meta({ format: 'date' })
      .optional(),
    'The day (UTC) that it ends. The newest where it is not given.',
    '2026-07-30',
  ),
});

export const getIndexEntry: Operation<DayQuery> = {
  ...folded,
  id: 'getIndexEntry',
  summary: 'What the log has in all',
  description:
    'The index entry of a day: counts and RFC 6962 roots of every report, key and rule that the log had when it ended, each list sorted. With a leaf and its neighbours anyone sees that nothing is missing from it or doubled.',
  query: dayQuery,
  success: 'The index entry.',
  content: { type: 'application/json', schema: indexEntry },
  problems: ['not_found', 'halted'],
};

export const getIndexProof: Operation = {
  ...folded,
  id: 'getIndexProof',
  summary: 'That a report is the only one of its period',
  description:
    "Every report of a report's period in the newest index entry, with the proofs that lead to its root and the leaves before and after: no other final or void is between. 404 while no index entry covers the report.",
  params: z.object({
    report: about(
      hashText,
      'Hash of the report, 64 lower-case hex digits.',
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
  }),
  query: 'ignored',
  success: 'The index entry, and what it has of the period.',
  content: { type: 'application/json', schema: indexProof },
  problems: ['not_found', 'halted'],
};

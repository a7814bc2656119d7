import { z } from 'zod';
import { type Report } from '@assay/core/report/report';
import { RETAINS, ROLES } from '@assay/core/rule/rule';
import { READ_FAILURES } from '@assay/core/rule/value';
import { about, hashText, integerText, named, type Plain, timeText } from './field.ts';

export const read: z.ZodType<Plain<Report['reads'][number]>> = named(
  z.looseObject({
    provider: about(z.string(), "The provider's id in the rule.", 'dol-press'),
    role: about(
      z.enum(ROLES),
      '`record`: the number of record. `mirror`, `custody`: a copy, which counts toward the quorum. `check`: compared and shown, never counts.',
      'record',
    ),
    outcome: about(z.enum(['ok', ...READ_FAILURES]), '`ok`, or why the read gave no number.', 'ok'),
    value: about(
      integerText.nullable(),
      'The number read, scaled like that of the report; null unless `ok`, and where the level is withheld.',
      '218000',
    ),
    snapshot: about(
      hashText.nullable(),
      "SHA-256 of the snapshot's manifest, to be had at `/blob/{hash}`; null when nothing came back.",
      '42c43205fa2d2a41ac84612b7f08b07cc783b37932640540003820ae0733611d',
    ),
    retain: about(
      z.enum(RETAINS),
      "What the source's terms let the log keep of the answer: its `bytes`, its `hash`, or `none`.",
      'bytes',
    ),
    read_at: about(timeText, 'When it was read, UTC.', '2026-07-30T14:30:05Z'),
  }),
  'Read',
  "One provider's read, as the publisher made it.",
);

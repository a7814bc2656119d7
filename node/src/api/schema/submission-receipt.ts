import { z } from 'zod';
import { HELD } from '@assay/core/intake/submission-receipt';
import { about, hashText, hexText, named } from './field.ts';

const HASH = '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752';

export const submissionReceipt: z.ZodType<object> = named(
  z.looseObject({
    type: about(z.literal('assay-receipt/1'), 'Names the format.', 'assay-receipt/1'),
    log: about(hashText, "The log's id.", HASH),
    subject: about(
      z.string(),
      'What was submitted to: a question or a round.',
      'd7d39887-3885-8360-a0be-f81a5cf45c30',
    ),
    ordinal: about(z.int(), 'The place of the submission, from 0.', 2),
    leaf: about(hashText, 'The commitment that the log has there.', HASH),
    nonce: about(hexText(32), 'The nonce of the client.', '3c'.repeat(32)),
    key: about(hexText(32), 'The report key that signed.', HASH),
    signature: about(
      hexText(64),
      'Ed25519 over log, subject, ordinal, leaf and nonce.',
      HASH + HASH,
    ),
    held: about(
      z.enum(HELD),
      'Who has the entry now: `second_machine` if a witness has signed a checkpoint over it.',
      'one_disk',
    ),
  }),
  'SubmissionReceipt',
  'The signed promise that a submission is in the log.',
);

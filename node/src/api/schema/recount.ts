import { z } from 'zod';
import type { RecountPayload } from '@assay/core/answer/recount';
import { cosign, quorum } from './cosign.ts';
import { about, dateText, hashText, hexText, named, type Plain, timeText } from './field.ts';

export const recountAnswer: z.ZodType<Plain<RecountPayload>> = named(
  z.looseObject({
    ticker: about(z.string(), 'The index as addresses have it.', 'LAYOFFS'),
    period: about(dateText, 'The period that is recounted.', '2026-08-01'),
    release_at: about(
      timeText.nullable(),
      'When the source is due to release its number, UTC; null where no rule of the index governs it.',
      '2026-08-06T12:30:00Z',
    ),
    set: about(
      hashText.nullable(),
      'SHA-256 of the set of co-signers that the report names; of a period without a report, of the set in force at its release. Null where the log has none.',
      '5f0c3bd1bb0e26d05e9ad0fdb3bb1d1e6c7b3d4c1d6b1c6a3b6b7f0c8f5f3a21',
    ),
    required: about(z.int(), 'How many of them must sign before the period settles.', 2),
    cosigners: about(
      z.array(
        z.looseObject({
          name: about(z.string(), "The operator's name.", 'Recount Example'),
          key: about(
            hexText(32),
            'Ed25519 public key, hex.',
            '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
          ),
        }),
      ),
      'Who recounts, as the log names them.',
    ),
    report: about(
      hashText.nullable(),
      'Hash of the newest report of the period; null while there is none.',
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
    quorum: about(quorum.nullable(), 'How far the recount is; null while there is no report.'),
    cosignatures: about(z.array(cosign), 'Who found the same number in a read of its own.'),
    dissents: about(z.array(cosign), 'Who found something else.'),
  }),
  'Recount',
  'Who recounts a period of an index, and what they have stated about its newest report.',
);

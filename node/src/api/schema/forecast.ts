import { z } from 'zod';
import { about, hexText, named } from './field.ts';
import { submissionReceipt } from './submission-receipt.ts';

const NONCE = '9d'.repeat(32);

export const forecastBody: z.ZodType<object> = named(
  z.object({
    question: about(z.string(), 'The id of the question.', 'layoffs-2026-11-21'),
    handle: about(
      z.string(),
      'The name, 3 to 24 letters, digits, `_` and `-`. It is compared in lower case.',
      'ada',
    ),
    value: about(
      z.union([z.number(), z.string()]).optional(),
      'The forecast as a plain decimal with no more decimals than the index has; as text it stays exact. The operator sees it.',
      231_000,
    ),
    sealed: about(
      hexText(160).optional(),
      'Instead of `value`: the 160 bytes of a sealed forecast. `assay forecast make` makes them.',
      '5a'.repeat(160),
    ),
    nonce: about(
      hexText(32).optional(),
      '32 random bytes of your own, so that the receipt is nobody else’s.',
      NONCE,
    ),
    secret: about(
      hexText(32).optional(),
      'The secret of a handle that was issued one.',
      'ef'.repeat(32),
    ),
    handle_salt: about(
      hexText(32).optional(),
      'For a new handle without a key: 32 random bytes that its id is made with. A first forecast that is sealed needs it.',
      '1b'.repeat(32),
    ),
    key: about(
      hexText(32).optional(),
      'The Ed25519 key of a handle that brings one.',
      '2c'.repeat(32),
    ),
    counter: about(
      z.int().min(1).optional(),
      'With a key: above that of the handle’s forecast before.',
      1,
    ),
    signature: about(
      hexText(64).optional(),
      'With a key: its signature over log, question, handle, counter, nonce and bytes.',
      '3d'.repeat(64),
    ),
    salt: about(
      hexText(32).optional(),
      'Of a forecast that is not sealed: 32 random bytes that its commitment is made with. With a key it is required.',
      '4e'.repeat(32),
    ),
  }) as unknown as z.ZodType<object>,
  'ForecastBody',
  'A forecast, sealed or as a plain value.',
);

export const acceptedForecast: z.ZodType<object> = named(
  z.looseObject({
    accepted: about(z.literal(true), 'It is in the log.', true),
    handle_id: about(hexText(16), 'The id under which the log has the handle.', 'ab'.repeat(16)),
    receipt: about(submissionReceipt, 'What the publisher signed: keep it.'),
    salt: about(
      hexText(32).optional(),
      'Of a forecast that is not sealed: with it and the value the commitment can be checked.',
      'cd'.repeat(32),
    ),
    secret: about(
      hexText(32).optional(),
      'The secret of a new handle. It is given once and stored nowhere: keep it.',
      'ef'.repeat(32),
    ),
  }) as unknown as z.ZodType<object>,
  'AcceptedForecast',
  'The receipt for a forecast.',
);

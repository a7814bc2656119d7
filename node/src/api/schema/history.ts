import { z } from 'zod';
import { about, dateText, decimalText, named } from './field.ts';
import { BAND_WORDS, Z_WORDS } from './period.ts';
import { PROOF_URL_EXAMPLE, proofPath } from './proof.ts';

/** A field of a CSV, which may be empty. */
function orEmpty(shape: z.ZodString): z.ZodType<string> {
  return z.union([shape, z.literal('')]);
}

/** One row of history.csv. Members are its columns, in their order. */
export const historyRow: z.ZodType<object> = named(
  z.looseObject({
    ticker: about(z.string(), 'The index.', 'LAYOFFS'),
    period: about(dateText, 'The date that names the period.', '2026-07-04'),
    value: about(
      orEmpty(decimalText),
      "The number as printed, exact, in the index's unit; for a period loaded as history the source's newest figure. Empty when void or withheld.",
      '215000',
    ),
    settlement_value: about(
      orEmpty(decimalText),
      "The number as first published and final, whether or not as many co-signers as it requires have signed it: before money moves, ask for the period's `settleable`. Empty for history, void and withheld.",
      '215000',
    ),
    revised: about(
      orEmpty(decimalText),
      "The source's newest figure where it differs from the print.",
      '217000',
    ),
    revised_on: about(
      orEmpty(dateText),
      'The day (UTC) on which `revised` was read.',
      '2026-07-30',
    ),
    band: about(z.string(), BAND_WORDS.replace('null', 'empty'), 'normal'),
    z: about(orEmpty(decimalText), Z_WORDS, '0.4'),
    proof_day: about(
      orEmpty(dateText),
      'The day (UTC) on which the report that settles was stamped; empty until it is.',
      '2026-07-09',
    ),
    bitcoin_height: about(
      orEmpty(z.string().regex(/^\d+$/)),
      'Height of the Bitcoin block that holds that stamp; empty until it is known.',
      '963412',
    ),
    proof_url: about(
      orEmpty(proofPath),
      "The `.ots` file of that report's hash, from the service's address on; empty until it is stamped.",
      PROOF_URL_EXAMPLE,
    ),
    note: about(
      z.string().optional(),
      'A twelfth column of the four monthly indexes alone: set on a month that was loaded as history.',
      'loaded as history',
    ),
  }),
  'HistoryRow',
  'A row of `history.csv`: no field needs quotes, an absent one is empty.',
);

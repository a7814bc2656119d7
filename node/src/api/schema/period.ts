import { z } from 'zod';
import { type PeriodPayload, UNSETTLED } from '@assay/core/answer/period';
import { about, dateText, decimalText, hashText, named, timeText } from './field.ts';
import { periodProof } from './proof.ts';

/** What `z` and `band` mean, wherever they stand. */
export const Z_WORDS =
  'Signed distance from the usual, with one decimal: how many robust standard deviations (1.4826 times the median absolute deviation) the value is above (+) or below (-) the median of the settlement values before it. Fixed at first publication.';
export const BAND_WORDS =
  "The rule's word for that distance, from `very_low` to `very_high`; null exactly when `z` is.";

export const UNSETTLED_WORDS =
  '`history`: loaded from a source without a first print. `void`: there is no number. `provisional`: not final yet. `withheld`: its level is not public. `terms`: its rule or the terms of the source do not allow it. `quorum`: fewer co-signers have signed it than its report requires.';

export const period: z.ZodType<PeriodPayload> = named(
  z.looseObject({
    period: about(
      dateText,
      'The date that names the period: a week by its last Saturday, a day by itself (UTC), a month by its first day.',
      '2026-07-04',
    ),
    status: about(
      z.enum(['provisional', 'final', 'corrected', 'void', 'history']),
      '`provisional`: printed, may still change. `final`: settled, never changes. `corrected`: an error of the publisher was put right after the final, which still settles. `void`: there will be no number. `history`: loaded from a source, without a first print.',
      'final',
    ),
    value: about(
      z.number().nullable(),
      "The number as printed, in the index's unit; for `history` the source's newest figure. Null when void, withheld, or too large for a double: take `value_decimal` where money rests on it.",
      215000,
    ),
    value_decimal: about(decimalText.nullable(), 'The same, exact, as text.', '215000'),
    settlement_value: about(
      z.number().nullable(),
      "The number as first published and final, in the index's unit: it never changes, and it settles only where `settleable` is true. Null until there is one, and for `history`, void and withheld periods.",
      215000,
    ),
    settlement_value_decimal: about(decimalText.nullable(), 'The same, exact, as text.', '215000'),
    revised: about(
      z.number().nullable(),
      "The source's newest figure, in the index's unit, where it differs from the print; null where it does not. It settles nothing.",
      217000,
    ),
    revised_decimal: about(decimalText.nullable(), 'The same, exact, as text.', '217000'),
    revised_on: about(
      dateText.nullable(),
      'The day (UTC) on which `revised` was read; null without one.',
      '2026-07-30',
    ),
    z: about(
      z.number().nullable(),
      `${Z_WORDS} Null for lack of settlement values to compare with, when void, and for \`history\`.`,
      0.4,
    ),
    band: about(z.string().nullable(), BAND_WORDS, 'normal'),
    settleable: about(
      z.boolean(),
      'Whether money may settle on `settlement_value` now: it is final, its level is public, its rule and the terms of the source allow it, and as many co-signers as its report requires have signed it (`quorum`). False until then; a later correction takes nothing from it.',
      true,
    ),
    quorum: about(
      z
        .looseObject({
          required: about(
            z.int(),
            "How many must have signed it before it settles: the report's own `cosigners.required`.",
            2,
          ),
          have: about(z.int(), "How many of the report's own co-signers have signed it.", 2),
        })
        .nullable(),
      'How far the recount of the first final is; null while there is none. Who signed is in the answer of `/indices/{ticker}/report`.',
    ),
    withheld: about(
      z.boolean(),
      "Whether the source's terms keep the level out of everything that is published: every value is null then, and the report holds a commitment.",
      false,
    ),
    commitment: about(
      hashText.nullable(),
      'Where the level is withheld: SHA-256 of 32 secret random bytes and the value (64-bit little endian), so that it can be proven later. Null elsewhere.',
      null,
    ),
    report_hash: about(
      hashText.nullable(),
      "SHA-256 of the newest signed report's canonical JSON; null for `history`.",
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
    published_at: about(
      timeText.nullable(),
      'When that report was published, UTC; null for `history`.',
      '2026-07-09T14:30:00Z',
    ),
    ...periodProof,
    unsettled: about(
      z.enum(UNSETTLED).nullable().optional(),
      `Why money may not settle on the period now; null where it may. ${UNSETTLED_WORDS} Only in \`/indices/{ticker}/periods\`.`,
      null,
    ),
  }),
  'Period',
  'One period of an index. Each number is there twice: as a JSON number for convenience, and beside it as exact decimal text.',
);

import { z } from 'zod';
import type { PeriodPagePayload } from '@assay/core/answer/period-page';
import { UNSETTLED } from '@assay/core/answer/period';
import type { SettlementStatus } from '@assay/core/answer/settlement-status';
import { about, dateText, decimalText, hashText, hexText, named, type Plain } from './field.ts';
import { nextCursor } from './page.ts';
import { period, UNSETTLED_WORDS } from './period.ts';

const REPORT_HASH = '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752';
const COSIGNER = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c';

const STATUSES = ['provisional', 'final', 'corrected', 'void', 'history'] as const;
const STATUS_WORDS =
  'As in `/indices/{ticker}`: `provisional`, `final`, `corrected`, `void`, `history`.';

const status = {
  period: about(dateText, 'The date that names the period.', '2026-07-04'),
  status: about(z.enum(STATUSES), STATUS_WORDS, 'final'),
  value: about(
    decimalText.nullable(),
    'The number as printed, exact; for `history` the newest figure of the source. Null when void or withheld.',
    '215000',
  ),
  settlement_value: about(
    decimalText.nullable(),
    'The number as first published and final, exact: it settles only where `settleable` is true. Null where there is none, and where the level is withheld.',
    '215000',
  ),
  settleable: about(z.boolean(), 'Whether money may settle on `settlement_value` now.', true),
  unsettled: about(
    z.enum(UNSETTLED).nullable(),
    `Why not; null where it may. ${UNSETTLED_WORDS}`,
    null,
  ),
  withheld: about(
    z.boolean(),
    "Whether the source's terms keep the level out of everything that is published.",
    false,
  ),
  required: about(
    z.int().nullable(),
    'How many co-signers the first final needs; null while there is none.',
    2,
  ),
  have: about(z.int().nullable(), 'How many of them have signed it; null while there is none.', 2),
  report_hash: about(
    hashText.nullable(),
    'The first final; the newest report where there is none; null of a period without a report.',
    REPORT_HASH,
  ),
  seq: about(z.int().nullable(), 'The entry of the log that holds it.', 63),
  cosigners: about(
    z.array(hexText(32)),
    'The Ed25519 keys of those who have signed it, hex, in the order of the log.',
    [COSIGNER],
  ),
};

export const settlementStatus: z.ZodType<Plain<SettlementStatus>> = named(
  z.looseObject(status),
  'SettlementStatus',
  'Whether money may settle on a period, and on what.',
);

export const periodPage: z.ZodType<Plain<PeriodPagePayload>> = named(
  z.looseObject({
    ticker: about(z.string(), 'The index as addresses have it.', 'LAYOFFS'),
    periods: about(z.array(period), 'Its periods, newest first, provisional ones too.'),
    next_cursor: nextCursor,
  }),
  'PeriodPage',
  'A page of the periods of an index.',
);

/** A field of a CSV, which may be empty. */
function orEmpty(shape: z.ZodString): z.ZodType<string> {
  return z.union([shape, z.literal('')]);
}

const count = z.string().regex(/^\d+$/);
const flag = z.enum(['true', 'false']);

/** One row of settlement.csv. Members are its columns, in their order. */
export const settlementRow: z.ZodType<object> = named(
  z.looseObject({
    ticker: about(z.string(), 'The index.', 'LAYOFFS'),
    period: status.period,
    status: status.status,
    settlement_value: about(
      orEmpty(decimalText),
      'The number as first published and final, exact: it settles only where `settleable` is `true`.',
      '215000',
    ),
    settleable: about(flag, 'Whether money may settle on `settlement_value` now.', 'true'),
    unsettled: about(
      z.union([z.enum(UNSETTLED), z.literal('')]),
      `Why not; empty where it may. ${UNSETTLED_WORDS}`,
      '',
    ),
    withheld: about(flag, "Whether the source's terms keep the level out.", 'false'),
    required: about(orEmpty(count), 'How many co-signers the first final needs.', '2'),
    have: about(orEmpty(count), 'How many of them have signed it.', '2'),
    report_hash: about(
      orEmpty(hashText),
      'The first final; the newest report where there is none.',
      REPORT_HASH,
    ),
    seq: about(orEmpty(count), 'The entry of the log that holds it.', '63'),
    cosigners: about(
      z.string().regex(/^([0-9a-f]{64}(;[0-9a-f]{64})*)?$/),
      'The Ed25519 keys of those who have signed it, hex, with semicolons between them.',
      COSIGNER,
    ),
  }),
  'SettlementRow',
  'A row of `settlement.csv`: no field needs quotes, an absent one is empty.',
);

import { isDate } from '@assay/core/time/time';
import { z } from 'zod';
import type { Operation } from '../../http/operation.ts';
import { about, wholeNumber } from '../schema/field.ts';
import { paymentRequiredBody } from '../schema/payment.ts';
import { fullReceipts, pastBoard, scoreHistory } from '../schema/tier.ts';

const CLOSED =
  'Where the machine tier is closed, the answer is 503 `tier_closed`, whatever the parameters are. Where it is open, a request without a valid payment gets 402 (x402, version 2).';

const tier = {
  tag: 'machine',
  basis: 'live',
  freshness: 'none',
  charged: { type: 'application/json', schema: paymentRequiredBody },
} as const;

/** What can go wrong with a payment. */
const PAYMENT_PROBLEMS = [
  'invalid_payment',
  'payment_conflict',
  'answer_gone',
  'tier_closed',
  'facilitator_unavailable',
  'settlement_unknown',
  'busy',
] as const;

const ISO_TIME = z.iso.datetime({ offset: true });
/** A time with nine digits of a second and a zone. */
const MOST_TIME = '2026-09-21T14:15:00.000000000+00:00'.length;

/** Whether a text is a time that there may be a board of: an endless fraction is none, and nor is what lies before 1970. */
function isMoment(text: string): boolean {
  return text.length <= MOST_TIME && ISO_TIME.safeParse(text).success && Date.parse(text) >= 0;
}

type Text = z.ZodOptional<z.ZodString>;
type Sample = z.ZodOptional<z.ZodLiteral<'true'>>;

const sample: Sample = about(
  z.literal('true').optional(),
  'A free answer of the same shape, with `sample: true` and invented figures.',
  'true',
);

const historyQuery: z.ZodObject<{ days: Text; sample: Sample }> = z.object({
  days: wholeNumber({ from: 1, to: 365, usual: 90 }, 'How many days, up to now.', 90),
  sample,
});

export const getScoreHistory: Operation<z.ZodObject<{ days: Text; sample: Sample }>> = {
  ...tier,
  id: 'getScoreHistory',
  summary: 'Every stored tick of an asset',
  description: `The scores of an asset with prices and volumes, oldest first. ${CLOSED}`,
  params: z.object({ symbol: about(z.string(), 'The symbol of an asset, in any case.', 'ETH') }),
  query: historyQuery,
  success: 'The ticks.',
  content: { type: 'application/json', schema: scoreHistory },
  problems: ['not_listed', ...PAYMENT_PROBLEMS],
};

const moment: Text = about(
  z
    .string()
    .refine(isMoment, 'not an ISO 8601 date-time with a zone, from 1970 on')
    .optional()
    .meta({ format: 'date-time', maxLength: MOST_TIME }),
  'The time (ISO 8601 with a zone), from 1970 on and not after now. An hour ago without it.',
  '2026-09-21T14:15:00Z',
);

const momentQuery: z.ZodObject<{ ts: Text; sample: Sample }> = z.object({ ts: moment, sample });

export const getPastBoard: Operation<z.ZodObject<{ ts: Text; sample: Sample }>> = {
  ...tier,
  id: 'getPastBoard',
  summary: 'The board as it was',
  description: `Every displayed asset that had a score in the two hours before a time, with its newest reading at or before it, by score. ${CLOSED}`,
  query: momentQuery,
  success: 'The board of that time.',
  content: { type: 'application/json', schema: pastBoard },
  problems: PAYMENT_PROBLEMS,
};

const fullQuery: z.ZodObject<{
  since: Text;
  limit: Text;
  offset: Text;
  sample: Sample;
}> = z.object({
  since: about(
    z
      .string()
      .refine((text) => isDate(text), 'not a date YYYY-MM-DD')
      .optional()
      .meta({ format: 'date', default: '2026-08-27' }),
    'Events that opened on this day (UTC) or later.',
    '2026-08-27',
  ),
  limit: wholeNumber({ from: 1, to: 500, usual: 200 }, 'How many rows.', 200),
  offset: wholeNumber({ from: 0, to: 999_999_999, usual: 0 }, 'How many rows to pass over.', 0),
  sample,
});

export const listFullReceipts: Operation<
  z.ZodObject<{
    since: Text;
    limit: Text;
    offset: Text;
    sample: Sample;
  }>
> = {
  ...tier,
  id: 'listFullReceipts',
  summary: 'The dataset with the bytes that were hashed',
  description: `The rows of the dataset and, for the open record and each resolved horizon, the canonical JSON that was hashed, its digest, the Bitcoin block, and the proof. ${CLOSED}`,
  query: fullQuery,
  success: 'The rows.',
  content: { type: 'application/json', schema: fullReceipts },
  problems: PAYMENT_PROBLEMS,
};

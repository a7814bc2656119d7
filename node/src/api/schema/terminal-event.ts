import { z } from 'zod';
import { CLOSE_REASONS } from '@assay/core/kind/event-close';
import { UNMEASURED_REASONS } from '@assay/core/kind/benchmark';
import { VOID_REASONS } from '@assay/core/kind/receipt-entry';
import type {
  EventPayload,
  EventProofPayload,
  ReceiptPayload,
} from '@assay/core/answer/terminal/terminal-event';
import { ASSET_CLASSES } from '@assay/core/terminal/tick/asset-symbol';
import { EVENT_STATUSES } from '@assay/core/view/terminal-events';
import { deprecated } from './basis.ts';
import { about, hashText, named, timeText } from './field.ts';

/** An asset's symbol as it stands in answers. */
export const symbolText: z.ZodString = z.string().regex(/^[A-Z0-9]{1,16}$/);
/** An event's id: a UUID, version 8. */
export const eventIdText: z.ZodString = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  .meta({ format: 'uuid' });

export const EVENT_ID_EXAMPLE = '3f1d5b7c-9e0a-8b4d-af81-92a3b4c5d6e7';

/** An activity score. */
export const score: z.ZodInt = z.int().min(0).max(100);

export const className: z.ZodEnum<{ crypto: 'crypto'; stock: 'stock' }> = z.enum(ASSET_CLASSES);

/** Where the file of a receipt's proof is, from the service's address on. */
const receiptProofPath: z.ZodString = z
  .string()
  .regex(/^\/receipts\/proof\?event_id=[0-9a-f-]{36}&horizon=(open|24h|7d|30d)&format=ots$/);

export const RECEIPT_PROOF_URL_EXAMPLE: string = `/receipts/proof?event_id=${EVENT_ID_EXAMPLE}&horizon=open&format=ots`;

/** The words of a receipt's members, which the dataset's columns share. */
export const RECEIPT_WORDS = {
  status:
    '`pending` until the horizon is reached; `resolved` by the first good tick at or after it; `void` where there is none in time. Neither of these ever changes.',
  ret_pct:
    'Return since the opening, percent with two decimals, splits applied; null until resolved, and of a void.',
  resolved_at: 'The tick that resolved it, UTC; null until then, and of a void.',
  void_reason:
    'Why it is void: `no_data`, no good tick in time; `delisted`, the asset is not listed any more.',
  benchmark:
    'What the return is held against: BTC for crypto, a broad US stock index fund for stocks; null where the event is its own.',
  benchmark_ret_pct:
    'Its return over the same window, percent with two decimals; null until it is filled.',
  benchmark_reason:
    'Why there is no return of the benchmark: `own`, the event is its own; `no_data`, it had no good tick near enough.',
} as const;

export const receipt: z.ZodType<ReceiptPayload> = named(
  z.looseObject({
    due_at: about(timeText, 'When its horizon is reached, UTC.', '2026-09-22T14:15:00Z'),
    status: about(z.enum(['pending', 'resolved', 'void']), RECEIPT_WORDS.status, 'resolved'),
    ret_pct: about(z.number().nullable(), RECEIPT_WORDS.ret_pct, 3.41),
    resolved_at: about(timeText.nullable(), RECEIPT_WORDS.resolved_at, '2026-09-22T14:15:00Z'),
    void_reason: about(z.enum(VOID_REASONS).nullable(), RECEIPT_WORDS.void_reason, null),
    benchmark: about(symbolText.nullable(), RECEIPT_WORDS.benchmark, 'BTC'),
    benchmark_ret_pct: about(z.number().nullable(), RECEIPT_WORDS.benchmark_ret_pct, 1.02),
    benchmark_reason: about(
      z.enum(UNMEASURED_REASONS).nullable(),
      RECEIPT_WORDS.benchmark_reason,
      null,
    ),
  }) as unknown as z.ZodType<ReceiptPayload>,
  'Receipt',
  'What became of an event at a horizon.',
);

const eventProof: z.ZodType<EventProofPayload> = named(
  z.looseObject({
    digest: about(
      hashText,
      "SHA-256 of the canonical body of the record's entry: what is stamped.",
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
    stamped_at: about(
      timeText.nullable(),
      'When its batch was sent to the calendars that took it, UTC; null while it waits for a batch.',
      '2026-09-21T14:30:03Z',
    ),
    bitcoin_height: about(
      z.int().nullable(),
      'Height of the Bitcoin block that holds it; null while calendars hold it and no block is known.',
      963412,
    ),
    proof_url: about(
      receiptProofPath.nullable(),
      "The OpenTimestamps proof, from the service's address on; null while it waits for a batch.",
      RECEIPT_PROOF_URL_EXAMPLE,
    ),
  }),
  'EventProof',
  'How far the stamp of a record is.',
);

export const event: z.ZodType<EventPayload> = named(
  z.looseObject({
    id: about(eventIdText, "The event's id.", EVENT_ID_EXAMPLE),
    status: about(
      z.enum(EVENT_STATUSES),
      '`open`; `cooling`: it has closed, and a receipt is still to come; `resolved`: all three are resolved or void.',
      'resolved',
    ),
    symbol: about(symbolText, 'The asset.', 'ETH'),
    name: about(z.string(), "The asset's name.", 'Ethereum'),
    class: about(className, 'What kind of asset it is.', 'crypto'),
    opened_at: about(timeText, 'The tick that opened it, UTC.', '2026-09-21T14:15:00Z'),
    closed_at: about(
      timeText.nullable(),
      'The tick that closed it, UTC; null while open.',
      '2026-09-21T18:00:00Z',
    ),
    close_reason: about(
      z.enum(CLOSE_REASONS).nullable(),
      '`below`: the score stayed low; `age`: it was open for as long as it may be; `silent`: no good tick for long.',
      'below',
    ),
    score_at_open: about(score, 'The score that opened it.', 72),
    peak_score: about(
      score.nullable(),
      'The highest score while it was open; null while it is, for the log says it at the close.',
      81,
    ),
    peak_heat: deprecated(about(score.nullable(), 'Use `peak_score`.', 81)),
    heat_at_open: deprecated(
      about(
        score.nullable(),
        'Use `peak_score`: it is the peak, whatever its name says. The opening score is `score_at_open`.',
        81,
      ),
    ),
    move_24h: about(
      z.number().nullable(),
      'The move over a day at the opening, percent with two decimals.',
      8.42,
    ),
    vol_mult: about(
      z.number().nullable(),
      "Volume of the day before the opening against the asset's own 30-day average, two decimals.",
      3.15,
    ),
    breadth: about(
      z.looseObject({
        up: about(z.int(), 'Those that had moved up by 5 % or more.', 2),
        down: about(z.int(), 'Those that had moved down by 5 % or more.', 0),
        of: about(z.int(), 'Those with a move at all.', 80),
      }),
      'How many of the assets of the class had moved at the opening.',
    ),
    rule: about(
      hashText,
      'Hash of the score rule.',
      '5c1f0a2b3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
    ),
    receipts: about(
      z.looseObject({
        '24h': about(receipt, 'A day after the opening.'),
        '7d': about(receipt, 'A week after it.'),
        '30d': about(receipt, '30 days after it.'),
      }),
      'What became of it at each horizon.',
    ),
    proofs: about(
      z.looseObject({
        open: about(eventProof.nullable(), 'Of the event as it was called.'),
        '24h': about(eventProof.nullable(), 'Of the receipt; null until there is one.'),
        '7d': about(eventProof.nullable(), 'Of the receipt; null until there is one.'),
        '30d': about(eventProof.nullable(), 'Of the receipt; null until there is one.'),
      }),
      'What stamps its records in Bitcoin.',
    ),
  }) as unknown as z.ZodType<EventPayload>,
  'Event',
  'An event of an asset: a high score opened it. Its asset, its opening and its resolved receipts never change.',
);

import { z } from 'zod';
import { VOID_REASONS } from '@assay/core/kind/receipt-entry';
import { CLOSE_REASONS } from '@assay/core/kind/event-close';
import { UNMEASURED_REASONS } from '@assay/core/kind/benchmark';
import type { ReceiptProofPayload } from '../../terminal/answer/receipt-proof.ts';
import { STAMP_POINTS } from '@assay/core/answer/terminal/terminal-event';
import { HORIZONS } from '@assay/core/kind/horizon';
import { deprecated } from './basis.ts';
import { nextCursor } from './page.ts';
import { about, dateText, hashText, named, type Plain, timeText } from './field.ts';
import { mergedProblem } from './problem.ts';
import { BATCH_STATES, block, calendars, STATE_WORDS } from './proof.ts';
import {
  className,
  event,
  EVENT_ID_EXAMPLE,
  eventIdText,
  RECEIPT_PROOF_URL_EXAMPLE,
  RECEIPT_WORDS,
  score,
  symbolText,
} from './terminal-event.ts';

export const receiptsAnswer: z.ZodType<object> = named(
  z.looseObject({
    events: about(z.array(event), 'Closed events, those that closed last first.'),
    next_cursor: about(
      z.string().nullable().optional(),
      'The `cursor` of the page that follows; null where there is none. Only where `cursor`, `symbol`, `from` or `to` was given; `Link` has it in any case.',
      'cmVjZWlwdHMgNDE',
    ),
  }),
  'Receipts',
  'The events that closed last, with their receipts.',
);

/** The columns of a row as JSON, in their order. */
export const datasetColumns: Readonly<Record<string, z.ZodType>> = {
  event_id: about(eventIdText, "The event's id.", EVENT_ID_EXAMPLE),
  symbol: about(symbolText, 'The asset.', 'ETH'),
  name: about(z.string(), "The asset's name.", 'Ethereum'),
  class: about(className, 'What kind of asset it is.', 'crypto'),
  display: about(z.boolean(), 'Whether other free reads show the asset.', true),
  status: about(
    z.enum(['cooling', 'resolved']),
    '`cooling`: a receipt is still to come; `resolved`: all three are resolved or void.',
    'resolved',
  ),
  opened_at: about(timeText, 'The tick that opened it, UTC.', '2026-09-21T14:15:00Z'),
  closed_at: about(timeText, 'The tick that closed it, UTC.', '2026-09-21T18:00:00Z'),
  close_reason: about(z.enum(CLOSE_REASONS), 'Why it closed.', 'below'),
  score_at_open: about(score, 'The score that opened it.', 72),
  peak_score: about(score, 'The highest score while it was open.', 81),
  peak_heat: deprecated(about(score, 'Use `peak_score`.', 81)),
  heat_at_open: deprecated(about(score, 'Use `peak_score`: it is the peak.', 81)),
  move_24h: about(
    z.number().nullable(),
    'The move over a day at the opening, percent with two decimals.',
    8.42,
  ),
  vol_mult: about(
    z.number().nullable(),
    "Volume of the day before against the asset's own 30-day average, two decimals.",
    3.15,
  ),
  breadth_up: about(z.int(), 'Assets of the class that had moved up by 5 % or more.', 2),
  breadth_down: about(z.int(), 'Those that had moved down by 5 % or more.', 0),
  breadth_of: about(z.int(), 'Those with a move at all.', 80),
  rule: about(
    hashText,
    'Hash of the score rule.',
    '5c1f0a2b3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8',
  ),
  ...Object.fromEntries(HORIZONS.flatMap((horizon) => horizonColumns(horizon))),
};

function horizonColumns(horizon: string): readonly (readonly [string, z.ZodType])[] {
  const words = (text: string): string => `${horizon}: ${text}`;
  return [
    [
      `status_${horizon}`,
      about(z.enum(['pending', 'resolved', 'void']), words(RECEIPT_WORDS.status), 'resolved'),
    ],
    [`ret_pct_${horizon}`, about(z.number().nullable(), words(RECEIPT_WORDS.ret_pct), 3.41)],
    [
      `resolved_at_${horizon}`,
      about(timeText.nullable(), words(RECEIPT_WORDS.resolved_at), '2026-09-22T14:15:00Z'),
    ],
    [
      `void_reason_${horizon}`,
      about(z.enum(VOID_REASONS).nullable(), words(RECEIPT_WORDS.void_reason), null),
    ],
    [`benchmark_${horizon}`, about(symbolText.nullable(), words(RECEIPT_WORDS.benchmark), 'BTC')],
    [
      `benchmark_ret_pct_${horizon}`,
      about(z.number().nullable(), words(RECEIPT_WORDS.benchmark_ret_pct), 1.02),
    ],
    [
      `benchmark_reason_${horizon}`,
      about(z.enum(UNMEASURED_REASONS).nullable(), words(RECEIPT_WORDS.benchmark_reason), null),
    ],
  ];
}

const datasetRow: z.ZodType<object> = named(
  z.looseObject(datasetColumns),
  'DatasetRow',
  'A closed event as one flat row.',
);

/** One row of the CSV: the same columns as text, empty where JSON has null. */
export const datasetCsvRow: z.ZodType<object> = named(
  z.looseObject(
    Object.fromEntries(
      Object.entries(datasetColumns).map(([name, field]) => {
        const { description = '', examples } = z.globalRegistry.get(field) as {
          readonly description?: string;
          readonly examples: readonly (string | number | boolean | null)[];
        };
        const example = String(examples[0] ?? '');
        const text = about(z.string(), description, example);
        return [name, name.includes('heat') ? deprecated(text) : text];
      }),
    ),
  ),
  'DatasetCsvRow',
  'A row of the CSV: the columns of a `DatasetRow`, empty where that has null. Text with a comma is in quotes.',
);

export const datasetAnswer: z.ZodType<object> = named(
  z.looseObject({
    halted: about(z.literal(false), 'True in the problem that replaces it.', false),
    since: about(dateText, 'The first day (UTC) of openings, as it was taken.', '2026-08-27'),
    rows: about(
      z.array(datasetRow),
      'Events in the order in which the log closed them: rows are only added at the end.',
    ),
    next_offset: about(
      z.int().nullable(),
      'What `offset` has for the rows that follow; null where there are none, and where `cursor` was given.',
      null,
    ),
    next_cursor: nextCursor,
  }),
  'Dataset',
  'Closed events as flat rows, hidden assets among them.',
);

export const haltedDataset: z.ZodType<object> = mergedProblem(
  { halted: about(z.literal(true), 'The record cannot be read.', true) },
  'HaltedDataset',
  'The dataset of a halted service: a problem.',
);

export const receiptProof: z.ZodType<Plain<ReceiptProofPayload>> = named(
  z.looseObject({
    event_id: about(eventIdText, 'The event.', EVENT_ID_EXAMPLE),
    horizon: about(
      z.enum(STAMP_POINTS),
      '`open`: the event as it was called; else its receipt at that horizon.',
      'open',
    ),
    symbol: about(symbolText, 'Its asset.', 'ETH'),
    opened_at: about(
      timeText,
      'When it opened, UTC: hold `stamped_at` against it.',
      '2026-09-21T14:15:00Z',
    ),
    resolved_at: about(
      timeText.nullable(),
      'The tick that resolved the receipt, UTC; null of the event itself, and of a void.',
      null,
    ),
    seq: about(z.int(), 'The entry of the log whose canonical body has the digest.', 4711),
    recorded_at: about(
      timeText,
      'When that entry says it was written, UTC.',
      '2026-09-21T14:16:00Z',
    ),
    digest: about(
      hashText,
      "SHA-256 of the entry's canonical body: what is stamped.",
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
    state: about(z.enum(BATCH_STATES), STATE_WORDS, 'attested'),
    stamped_at: about(
      timeText,
      'When its batch was made and sent to the calendars that took it, UTC, by the clock of the publisher.',
      '2026-09-21T14:30:03Z',
    ),
    bitcoin_height: about(
      z.int().nullable(),
      'Height of the lowest Bitcoin block that holds it; null while it is calendar-pending.',
      963412,
    ),
    before: about(block.nullable(), 'That block: the record was there before it was mined.'),
    after: about(
      block.nullable(),
      'The newest block that the log names before the entry: it was written after that was mined.',
    ),
    calendars: about(calendars, 'Who holds the stamp, by address.'),
    batch: about(z.int(), 'The batch, as in /anchors.', 12),
    anchor_seq: about(z.int(), 'The newest entry of the log about the batch.', 4720),
    proof_url: about(
      z.string(),
      "The OpenTimestamps proof, from the service's address on.",
      RECEIPT_PROOF_URL_EXAMPLE,
    ),
  }),
  'ReceiptProof',
  'What stamps an event as it was called, or one of its receipts.',
);

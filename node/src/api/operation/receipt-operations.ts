import { z } from 'zod';
import { STAMP_POINTS } from '@assay/core/answer/terminal/terminal-event';
import { isDate } from '@assay/core/time/time';
import type { AnswerHeader, Operation } from '../../http/operation.ts';
import { cursorParameter, dayParameter, nextLink, symbolParameter } from './page-parameters.ts';
import { otsContent, otsFormat } from './proof-operations.ts';
import { about, wholeNumber } from '../schema/field.ts';
import {
  datasetAnswer,
  datasetCsvRow,
  haltedDataset,
  receiptProof,
  receiptsAnswer,
} from '../schema/receipts.ts';
import { EVENT_ID_EXAMPLE } from '../schema/terminal-event.ts';

const folded = { tag: 'terminal', basis: 'folded', freshness: 'etag' } as const;

type Text = z.ZodOptional<z.ZodString>;

type LimitQuery = z.ZodObject<{
  limit: z.ZodOptional<z.ZodString>;
  symbol: Text;
  from: Text;
  to: Text;
  cursor: Text;
}>;

const openedFrom = dayParameter('The first day (UTC) on which the events opened.');
const openedTo = dayParameter('The last day (UTC) on which the events opened.');

const limitQuery: LimitQuery = z.object({
  limit: wholeNumber({ from: 1, to: 100, usual: 30 }, 'How many events.', 30),
  symbol: symbolParameter,
  from: openedFrom,
  to: openedTo,
  cursor: cursorParameter,
});

export const listReceipts: Operation<LimitQuery> = {
  ...folded,
  id: 'listReceipts',
  summary: 'The events that closed last',
  description:
    'Closed events, newest first, each with the score that opened it, its peak, its receipts after a day, a week and 30 days, and what stamps them. A resolved receipt never changes.',
  query: limitQuery,
  success: 'The events.',
  headers: [nextLink],
  content: { type: 'application/json', schema: receiptsAnswer },
  problems: ['halted'],
};

type DatasetQuery = z.ZodObject<{
  since: z.ZodOptional<z.ZodString>;
  format: z.ZodOptional<z.ZodEnum<{ json: 'json'; csv: 'csv' }>>;
  limit: z.ZodOptional<z.ZodString>;
  offset: z.ZodOptional<z.ZodString>;
  symbol: Text;
  from: Text;
  to: Text;
  cursor: Text;
}>;

const datasetQuery: DatasetQuery = z.object({
  since: about(
    z
      .string()
      .refine((text) => isDate(text), 'not a date YYYY-MM-DD')
      .meta({ format: 'date' })
      .optional(),
    'Events that opened on this day (UTC) or later. The first day of the dataset where it is not given or lies before it: 2026-08-27, or where this log is a replay its own first day.',
    '2026-08-27',
  ),
  format: about(
    z.enum(['json', 'csv'], 'neither json nor csv').optional().meta({ default: 'json' }),
    '`json` where it is not given.',
    'json',
  ),
  limit: wholeNumber({ from: 1, to: 5000, usual: 1000 }, 'How many rows.', 1000),
  offset: wholeNumber(
    { from: 0, to: 999_999_999, usual: 0 },
    'How many rows to pass over: `next_offset` of the answer before. Rows are only added at the end. Not together with `cursor`.',
    0,
    'not a whole number from 0',
  ),
  symbol: symbolParameter,
  from: dayParameter('The same as `since`; the later of the two counts.'),
  to: openedTo,
  cursor: cursorParameter,
});

const attachment: AnswerHeader = {
  name: 'Content-Disposition',
  description: 'Of a file: the name under which to keep it.',
  example: 'attachment; filename="assay-receipts.csv"',
  always: false,
};

export const getDataset: Operation<DatasetQuery> = {
  ...folded,
  id: 'getDataset',
  summary: 'Every closed event as a flat row',
  description:
    'For analysis: one row for each closed event in the order in which the log closed them, hidden assets among them, as JSON or CSV with the same columns. Returns are null until their receipts resolve.',
  query: datasetQuery,
  success: 'The rows.',
  content: [
    { type: 'application/json', schema: datasetAnswer },
    { type: 'text/csv', schema: datasetCsvRow },
  ],
  headers: [attachment, nextLink],
  problems: ['halted'],
  problemSchemas: { 503: haltedDataset },
};

type ProofQuery = z.ZodObject<{
  event_id: z.ZodString;
  horizon: z.ZodEnum<{ open: 'open'; '24h': '24h'; '7d': '7d'; '30d': '30d' }>;
  format: z.ZodOptional<z.ZodEnum<{ ots: 'ots' }>>;
}>;

const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** What is wrong with a parameter that must be given. */
function needed(what: string): (issue: { readonly input?: unknown }) => string {
  return ({ input }) => (input === undefined ? `needed: ${what}` : `not ${what}`);
}

const proofQuery: ProofQuery = z.object({
  event_id: about(
    z.string({ error: needed('the UUID of an event') }).regex(UUID, 'not the UUID of an event'),
    "The event's id.",
    EVENT_ID_EXAMPLE,
  ),
  horizon: about(
    z.enum(STAMP_POINTS, { error: needed('open, 24h, 7d or 30d') }),
    '`open`: the event as it was called; `24h`, `7d`, `30d`: its receipts.',
    'open',
  ),
  format: otsFormat,
});

export const getReceiptProof: Operation<ProofQuery> = {
  ...folded,
  id: 'getReceiptProof',
  summary: 'What stamps an event or a receipt',
  description:
    'How far the stamp of an event as it was called is, or of one of its receipts: `stamped_at` beside `opened_at`, and the Bitcoin height once it is known. With `?format=ots` the OpenTimestamps proof of the digest, for any client of that format. 404 while there is no such record, and while it waits for a batch.',
  query: proofQuery,
  success: 'The proof.',
  content: [{ type: 'application/json', schema: receiptProof }, otsContent],
  headers: [attachment],
  problems: ['not_found', 'halted'],
};

import { INDEX_NAME } from '@assay/core/answer/routes';
import { isDate } from '@assay/core/time/time';
import { z } from 'zod';
import type { AnswerHeader, Operation } from '../../http/operation.ts';
import { about, wholeNumber } from '../schema/field.ts';
import { recountAnswer } from '../schema/recount.ts';
import { periodPage, settlementRow } from '../schema/settlement-status.ts';
import { cursorParameter, dayParameter, nextLink } from './page-parameters.ts';

const folded = { tag: 'indices', basis: 'folded', freshness: 'etag' } as const;

type Text = z.ZodOptional<z.ZodString>;

const ofTicker: z.ZodObject = z.object({
  ticker: about(
    z.string().regex(INDEX_NAME, 'not the name of an index'),
    'Ticker or slug, in any case.',
    'LAYOFFS',
  ),
});

const attachment: AnswerHeader = {
  name: 'Content-Disposition',
  description: 'The name under which to keep it.',
  example: 'attachment; filename="assay-LAYOFFS-settlement.csv"',
  always: true,
};

export const getSettlementCsv: Operation = {
  ...folded,
  id: 'getSettlementCsv',
  summary: 'Whether money may settle on each period, as CSV',
  description:
    'What `history.csv` has no columns for: one row for each complete period, the same rows in the same order, with its status, whether money may settle on it and why not, the report and its entry, and who has signed it.',
  params: ofTicker,
  success: 'The rows.',
  content: { type: 'text/csv', schema: settlementRow },
  headers: [attachment],
  problems: ['not_found', 'halted'],
};

type PeriodQuery = z.ZodObject<{ period: Text }>;

const periodQuery: PeriodQuery = z.object({
  period: about(
    z
      .string()
      .refine((text) => isDate(text), 'not a date YYYY-MM-DD')
      .meta({ format: 'date' })
      .optional(),
    'The period, a month as YYYY-MM-01. The next one where it is not given.',
    '2026-08-01',
  ),
});

export const getRecount: Operation<PeriodQuery> = {
  ...folded,
  id: 'getRecount',
  summary: 'Who recounts a period, and what they say',
  description:
    'The co-signers that the log names for a period, how many of them must sign before it settles, and their statements on its newest report. Of a period that has no report yet, those in force at its release.',
  params: ofTicker,
  query: periodQuery,
  success: 'The recount.',
  content: { type: 'application/json', schema: recountAnswer },
  problems: ['not_found', 'halted'],
};

type PeriodsQuery = z.ZodObject<{ from: Text; to: Text; limit: Text; cursor: Text }>;

const periodsQuery: PeriodsQuery = z.object({
  from: dayParameter('The first period.'),
  to: dayParameter('The last period.'),
  limit: wholeNumber({ from: 1, to: 1000, usual: 100 }, 'How many periods.', 100),
  cursor: cursorParameter,
});

export const listPeriods: Operation<PeriodsQuery> = {
  ...folded,
  id: 'listPeriods',
  summary: 'The periods of an index by pages',
  description:
    'The periods that `/indices/{ticker}` has all of, newest first, each with why money may not settle on it.',
  params: ofTicker,
  query: periodsQuery,
  success: 'The periods.',
  content: { type: 'application/json', schema: periodPage },
  headers: [nextLink],
  problems: ['not_found', 'halted'],
};

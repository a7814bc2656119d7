import { toHashHex } from '@assay/core/hash/hash';
import { currentRule, findIndex } from '@assay/core/answer/index';
import { FOLDED_ROUTES, type FoldedRoute, type Given } from '@assay/core/answer/routes';
import { notPeriodText } from '@assay/core/rule/period';
import { isDate, parseDate } from '@assay/core/time/time';
import { newestIndex } from '@assay/core/view/completeness';
import { stampRow } from '@assay/core/view/stamps';
import type { ViewState } from '@assay/core/view/view';
import type { Operation } from '../http/operation.ts';
import { problem, type ProblemCode } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import { route, type Route, type RouteOptions } from '../http/route.ts';
import type { LogRecord } from '../ledger/record.ts';
import { getArenaRound } from './operation/arena-operations.ts';
import { getIndexEntry, getIndexProof } from './operation/index-entry-operations.ts';
import {
  getClose,
  getHistory,
  getIndex,
  getReport,
  getRule,
  getSigner,
  listIndices,
} from './operation/index-operations.ts';
import { getRecount, getSettlementCsv } from './operation/settlement-operations.ts';
import { getProof, listAnchors } from './operation/proof-operations.ts';
import { getQuestion } from './operation/question-operations.ts';
import { listReceipts } from './operation/receipt-operations.ts';
import type { Publication } from './publication.ts';

/** How a folded route is served. */
interface Served extends RouteOptions {
  readonly operation: Operation;
  /** What is said where the log has no answer to what was asked for. */
  readonly missing?: (state: ViewState, asked: Given, given: Given | undefined) => string;
  /** `not_found` without. */
  readonly code?: ProblemCode;
}

/** By pattern. What the log always has an answer to needs no words for where it has none. */
const SERVED: Readonly<Record<string, Served>> = {
  '/indices': { operation: listIndices },
  '/indices/:ticker': { operation: getIndex, missing: noIndex },
  '/indices/:ticker/rule': { operation: getRule, missing: noIndex },
  '/indices/:ticker/report': { operation: getReport, missing: noReport, code: 'no_report' },
  '/indices/:ticker/history.csv': { operation: getHistory, missing: noIndex },
  '/indices/:ticker/settlement.csv': { operation: getSettlementCsv, missing: noIndex },
  '/indices/:ticker/recount': { operation: getRecount, missing: noPeriod },
  '/.well-known/assay-signer.json': { operation: getSigner, unversioned: true },
  '/indices/close': {
    operation: getClose,
    missing: (_, { day }) =>
      day === undefined ? 'There is no Close yet.' : `There is no Close of ${day}.`,
  },
  '/index': {
    operation: getIndexEntry,
    budget: 'log',
    missing: (_, { day }) =>
      day === undefined
        ? 'The log has no index entry yet: the first comes when a day has ended.'
        : 'The log has no index entry of that day.',
  },
  '/index/:report': { operation: getIndexProof, budget: 'log', missing: uncovered },
  '/anchors': { operation: listAnchors, budget: 'log' },
  '/proof/:digest': { operation: getProof, budget: 'log', missing: unstamped },
  '/receipts': { operation: listReceipts },
  '/arena/rounds/:round': { operation: getArenaRound, missing: noRound },
  '/questions/:id': {
    operation: getQuestion,
    missing: (_, { id }) => `There is no question ${id}.`,
  },
};

/** What answers a request otherwise than from the log alone; undefined where the log is to answer. */
export type Instead = (
  request: ApiRequest,
  query: Readonly<Record<string, string>>,
) => ApiReply | Promise<ApiReply> | undefined;

/**
 * The routes of `FOLDED_ROUTES` whose operations have one of those tags, in its order. `instead` is asked before the
 * log, by pattern.
 */
export function foldedRoutes(
  record: LogRecord,
  publication: Publication,
  tags: readonly string[],
  instead: Readonly<Record<string, Instead>> = {},
): readonly Route[] {
  return FOLDED_ROUTES.flatMap((folded) => {
    const { operation, missing, code = 'not_found', ...options } = servedBy(folded);
    if (!tags.includes(operation.tag)) return [];
    const otherwise = instead[folded.pattern];
    const answer = (request: ApiRequest, query: Given): ApiReply | Promise<ApiReply> => {
      if (!publication.readable) return halted(request);
      const other = otherwise?.(request, query);
      if (other !== undefined) return other;
      const reply = publication.folded(request, folded, query);
      if (reply !== undefined) return reply;
      if (missing === undefined) return halted(request);
      const asked = { ...request.params, ...query };
      const given = publication.parse(folded, asked);
      const detail = missing(record.shown, asked, given);
      return problem(request, given === undefined ? 'not_found' : code, { detail });
    };
    return [route('GET', folded.pattern, answer as Route['handle'], { ...options, operation })];
  });
}

function servedBy({ pattern }: FoldedRoute): Served {
  const served = SERVED[pattern];
  if (served === undefined) throw new TypeError(`no operation: GET ${pattern}`);
  return served;
}

/** That the record cannot be read. */
export function halted(request: Pick<ApiRequest, 'path'>): ApiReply {
  return problem(request, 'halted', { detail: UNREADABLE });
}

export const UNREADABLE = 'The record cannot be read now: /status says why.';

function noIndex(_: ViewState, { ticker }: Given): string {
  return `There is no index ${JSON.stringify(ticker)}.`;
}

function noPeriod(state: ViewState, asked: Given, given: Given | undefined): string {
  if (given === undefined) return noIndex(state, asked);
  const wrong = wrongDay(state, given);
  return wrong ?? `There is no period ${JSON.stringify(given['period'])} of ${given['ticker']}.`;
}

function noReport(state: ViewState, asked: Given, given: Given | undefined): string {
  if (given === undefined) return noIndex(state, asked);
  const wrong = wrongDay(state, given);
  return (
    wrong ?? `Nothing is signed for ${[given['ticker'], given['period']].join(' ').trimEnd()}.`
  );
}

/** That a day is no period of an index; undefined where it is one, or no day at all. */
function wrongDay(state: ViewState, { ticker = '', period = '' }: Given): string | undefined {
  const known = findIndex(state, ticker);
  if (known === undefined || !isDate(period)) return undefined;
  const { rule } = currentRule(state, known);
  const text = notPeriodText(rule.period, parseDate(period), rule.display);
  return text === undefined ? undefined : `${text}.`;
}

function noRound(_: ViewState, { round, place }: Given): string {
  const of = `round ${JSON.stringify(round)}`;
  return place === undefined
    ? `There is no ${of}.`
    : `There is no forecast at place ${place} of ${of}.`;
}

/** Why a digest has no proof. */
export function unstamped(state: ViewState, { digest = '' }: Given): string {
  const waiting = stampRow(state, toHashHex(digest));
  return waiting === undefined
    ? 'Nothing in the log has that digest: it is the hash of no report, Close or stamped checkpoint.'
    : `The ${waiting.of} of entry ${waiting.seq} has that digest, and waits for the next batch.`;
}

/** Why a report is in no index entry. */
function uncovered(state: ViewState, { report = '' }: Given): string {
  const stamp = stampRow(state, toHashHex(report));
  const size = newestIndex(state)?.size;
  return stamp?.of === 'report'
    ? `The report of entry ${stamp.seq} waits for an index entry: the newest covers ${size ?? 'no'} entries.`
    : 'No report of the log has that hash.';
}

import { type HashHex, type Sha256, toHashHex } from '../hash/hash.ts';
import { isHex } from '../bytes/hex.ts';
import type { Ticker } from '../rule/ticker.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { type DateText, isDate } from '../time/time.ts';
import { closesOf, newestClose } from '../view/closes.ts';
import { newestIndex } from '../view/completeness.ts';
import { periodRow, periodRows, periodsBack } from '../view/periods.ts';
import { currentRule, findIndex, indexDetailPayload, indexListPayload } from './index.ts';
import { historyCsv } from './history-csv.ts';
import { anchorListPayload } from './anchors.ts';
import { closePayload } from './close.ts';
import { INDEX_PATH, indexPayload, indexProofPayload } from './completeness.ts';
import { provenReport } from './period.ts';
import { PROOF_PATH, proofPayload } from './proof.ts';
import {
  DEFAULT_RECEIPTS,
  MAX_RECEIPTS,
  RECEIPTS_PATH,
  receiptsPayload,
} from './terminal/receipts.ts';
import { reportPayload } from './report.ts';
import { rulePayload } from './rule.ts';
import { signerPayload } from './signer.ts';
import { tickers } from '../view/rules.ts';
import { checkpointDigest } from '../view/stamp.ts';
import { anchorsBack } from '../view/anchors.ts';
import { stampedBatch } from '../view/stamps.ts';
import { eventsByOpening } from '../view/terminal-events.ts';
import { logRow } from '../view/log.ts';
import type { ViewState } from '../view/view.ts';

/**
 * An answer of the API that follows from the log alone: path to exact bytes. The publisher and the verifier derive it
 * from the same rows, so that a verifier can compare what it was served byte for byte.
 */
export interface FoldedAnswer {
  readonly path: string;
  readonly status: 200 | 404;
  readonly contentType: 'application/json' | 'text/csv' | 'application/problem+json';
  readonly body: Uint8Array;
}

/** The bytes of a JSON payload. */
export function jsonBody(payload: unknown): Uint8Array {
  return formatUtf8(JSON.stringify(payload));
}

export const SIGNER_PATH = '/.well-known/assay-signer.json';
export const INDICES_PATH = '/indices';
export const CLOSE_PATH = '/indices/close';
export const ANCHORS_PATH = '/anchors';

function signerAnswer(state: ViewState, sha256: Sha256): FoldedAnswer | undefined {
  const payload = signerPayload(state, sha256);
  return payload === undefined ? undefined : json(SIGNER_PATH, payload);
}

/**
 * The newest report of a period, or of the newest printed period. A void period answers 404 with the signed void in the
 * body; undefined where nothing is signed yet.
 */
function reportAnswer(
  state: ViewState,
  ticker: Ticker,
  sha256: Sha256,
  path: string,
  period: string | undefined,
): FoldedAnswer | undefined {
  if (period !== undefined && !isDate(period)) return undefined;
  const payload = reportPayload(state, ticker, sha256, period);
  if (payload === undefined) return undefined;
  if (payload.report.status !== 'void') return json(path, payload);
  return {
    path,
    status: 404,
    contentType: 'application/problem+json',
    body: jsonBody({
      type: 'urn:assay:problem:no_report',
      title: 'There is no number for that index and period',
      status: 404,
      detail: `The period ${payload.report.period} is void: ${payload.report.reason}.`,
      instance: path.replace(/\?.*/, ''),
      error: 'no_report',
      void: payload,
    }),
  };
}

/** The Close of a day, or the newest; undefined where there is none. */
function closeAnswer(state: ViewState, sha256: Sha256, path: string): FoldedAnswer | undefined {
  const match = /^\/indices\/close(?:\?day=(.*))?$/.exec(path);
  const day = match?.[1];
  if (match === null || (day !== undefined && !isDate(day))) return undefined;
  const payload = closePayload(state, sha256, day);
  return payload === undefined ? undefined : json(path, payload);
}

/** A page of batches; undefined where `before` is not a number of the log. */
function anchorsAnswer(state: ViewState, sha256: Sha256, path: string): FoldedAnswer | undefined {
  const match = /^\/anchors(?:\?before=(0|[1-9][0-9]{0,14}))?$/.exec(path);
  if (match === null) return undefined;
  const before = match[1] === undefined ? undefined : Number(match[1]);
  return json(path, anchorListPayload(state, sha256, before));
}

/** An index entry, or what the newest index entry has of a report's period; undefined where there is none. */
function indexAnswer(state: ViewState, sha256: Sha256, path: string): FoldedAnswer | undefined {
  const [, day, report] = /^\/index(?:\?day=(.*)|\/(.*))?$/.exec(path) ?? [];
  if (report !== undefined) {
    if (!isHex(report, 32)) return undefined;
    const payload = indexProofPayload(state, sha256, toHashHex(report));
    return payload === undefined ? undefined : json(path, payload);
  }
  if (day !== undefined && !isDate(day)) return undefined;
  const payload = indexPayload(state, day);
  return payload === undefined ? undefined : json(path, payload);
}

/** The proof of a digest; undefined while no batch holds it. */
function proofAnswer(state: ViewState, sha256: Sha256, path: string): FoldedAnswer | undefined {
  const digest = path.slice(PROOF_PATH.length + 1);
  if (!isHex(digest, 32)) return undefined;
  const payload = proofPayload(state, sha256, toHashHex(digest));
  return payload === undefined ? undefined : json(path, payload);
}

/** The newest closed events; undefined for an invalid limit. */
function receiptsAnswer(state: ViewState, sha256: Sha256, path: string): FoldedAnswer | undefined {
  const match = /^\/receipts(?:\?limit=([1-9][0-9]{0,2}))?$/.exec(path);
  if (match === null) return undefined;
  const limit = match[1] === undefined ? DEFAULT_RECEIPTS : Number(match[1]);
  return limit > MAX_RECEIPTS ? undefined : json(path, receiptsPayload(state, sha256, limit));
}

/**
 * The folded answer to a path of the API, its query included; undefined where the log has none
 * (an unknown index, a period without a report, a path that is not folded).
 */
export function answerTo(state: ViewState, sha256: Sha256, path: string): FoldedAnswer | undefined {
  if (path === SIGNER_PATH) return signerAnswer(state, sha256);
  if (path === INDICES_PATH) return json(path, indexListPayload(state));
  if (path === CLOSE_PATH || path.startsWith(`${CLOSE_PATH}?`)) {
    return closeAnswer(state, sha256, path);
  }
  if (path.startsWith(ANCHORS_PATH)) return anchorsAnswer(state, sha256, path);
  if (/^\/index(?![a-z])/.test(path)) return indexAnswer(state, sha256, path);
  if (path.startsWith(`${PROOF_PATH}/`)) return proofAnswer(state, sha256, path);
  if (path.startsWith(RECEIPTS_PATH)) return receiptsAnswer(state, sha256, path);
  const match = /^\/indices\/([A-Za-z0-9-]+)(\/[a-z.]+)?(?:\?period=(.*))?$/.exec(path);
  const ticker = match === null ? undefined : findIndex(state, match[1] ?? '');
  if (match === null || ticker === undefined) return undefined;
  const [, , part = '', period] = match;
  if (part === '/report') return reportAnswer(state, ticker, sha256, path, period);
  if (period !== undefined) return undefined;
  switch (part) {
    case '':
      return json(path, indexDetailPayload(state, sha256, ticker));
    case '/rule':
      return json(path, rulePayload(state, ticker));
    case '/history.csv': {
      const body = formatUtf8(historyCsv(state, ticker));
      return { path, status: 200, contentType: 'text/csv', body };
    }
    default:
      return undefined;
  }
}

/**
 * The paths of every folded answer, including the reports of the newest `reports` periods of each index. A static
 * export writes them, and a verifier asks for them.
 */
export function foldedPaths(state: ViewState, sha256: Sha256, reports: number): readonly string[] {
  if (logRow(state) === undefined) return [];
  const paths = [SIGNER_PATH, INDICES_PATH, ANCHORS_PATH];
  const day = newestClose(state);
  if (day !== undefined) paths.push(CLOSE_PATH, `${CLOSE_PATH}?day=${day}`);
  const indexed = newestIndex(state)?.day;
  if (indexed !== undefined) paths.push(INDEX_PATH, `${INDEX_PATH}?day=${indexed}`);
  for (const _ of eventsByOpening(state)) {
    paths.push(RECEIPTS_PATH, `${RECEIPTS_PATH}?limit=${MAX_RECEIPTS}`);
    break;
  }
  for (const ticker of tickers(state)) {
    const base = `${INDICES_PATH}/${currentRule(state, ticker).rule.display}`;
    paths.push(base, `${base}/rule`, `${base}/history.csv`);
    const printed = periodRows(state, ticker).filter(([, row]) => row.basis === 'print');
    if (printed.length > 0) paths.push(`${base}/report`);
    for (const [period] of printed.slice(-reports)) paths.push(`${base}/report?period=${period}`);
  }
  for (const digest of provenDigests(state, sha256, reports)) paths.push(`${PROOF_PATH}/${digest}`);
  return paths;
}

/**
 * The digests whose proofs a static export holds and a verifier asks for: for each index the newest `reports` reports
 * that a period shows and a batch holds, the newest Close, and the checkpoints of as many batches.
 */
export function provenDigests(
  state: ViewState,
  sha256: Sha256,
  reports: number,
): readonly HashHex[] {
  const digests: HashHex[] = [];
  const origin = logRow(state)?.origin ?? '';
  for (const ticker of tickers(state)) {
    let found = 0;
    for (const [, row] of periodsBack(state, ticker)) {
      const digest = provenReport(row);
      if (digest === null || stampedBatch(state, digest) === undefined) continue;
      digests.push(digest);
      found += 1;
      if (found >= reports) break;
    }
  }
  const day = newestClose(state);
  const close = day === undefined ? undefined : closesOf(state, day).at(-1);
  if (close !== undefined && stampedBatch(state, close.hash) !== undefined)
    digests.push(close.hash);
  let batches = 0;
  for (const { to, root } of anchorsBack(state)) {
    if (batches >= reports) break;
    digests.push(checkpointDigest(sha256, origin, to, root));
    batches += 1;
  }
  return digests;
}

/** What is asked for about one number: a path of its report, and the digest of a report that a batch holds. */
export interface NumberAnswers {
  readonly paths: readonly string[];
  readonly digests: readonly HashHex[];
}

/** The answers about one period of an index, however old it is; none for a period that was never printed. */
export function numberAnswers(state: ViewState, ticker: Ticker, period: DateText): NumberAnswers {
  const row = periodRow(state, ticker, period);
  if (row?.basis !== 'print') return { paths: [], digests: [] };
  const path = `${INDICES_PATH}/${currentRule(state, ticker).rule.display}/report?period=${period}`;
  const digest = provenReport(row);
  if (digest === null || stampedBatch(state, digest) === undefined) {
    return { paths: [path], digests: [] };
  }
  return { paths: [path, `${PROOF_PATH}/${digest}`], digests: [digest] };
}

function json(path: string, payload: unknown): FoldedAnswer {
  return { path, status: 200, contentType: 'application/json', body: jsonBody(payload) };
}

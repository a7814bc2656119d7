import type { Sha256 } from '../hash.ts';
import type { Ticker } from '../ticker.ts';
import { formatUtf8 } from '../utf8.ts';
import { type DateText } from '../time.ts';
import { currentRule, indexDetailPayload, indexListPayload } from './index.ts';
import { historyCsv } from './history-csv.ts';
import { reportPayload } from './report.ts';
import { rulePayload } from './rule.ts';
import { signerPayload } from './signer.ts';
import { tickers } from '../view/rules.ts';
import { logRow } from '../view/log.ts';
import type { ViewState } from '../view/view.ts';

/**
 * An answer of the API that the log alone decides: path to exact bytes. Publisher and verifier
 * derive both from the same rows, so that a verifier can compare what it was served byte for byte.
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

/** The paths of one index, with its ticker as the API shows it. */
export interface IndexPaths {
  readonly detail: string;
  readonly rule: string;
  readonly report: string;
  readonly history: string;
}

export function indexPaths(state: ViewState, ticker: Ticker): IndexPaths {
  const base = `${INDICES_PATH}/${currentRule(state, ticker).rule.display}`;
  return {
    detail: base,
    rule: `${base}/rule`,
    report: `${base}/report`,
    history: `${base}/history.csv`,
  };
}

/** The answer at `INDICES_PATH`. */
export function indexListAnswer(state: ViewState): FoldedAnswer {
  return json(INDICES_PATH, indexListPayload(state));
}

/** The answer at `SIGNER_PATH`; undefined before genesis. */
export function signerAnswer(state: ViewState, sha256: Sha256): FoldedAnswer | undefined {
  const payload = signerPayload(state, sha256);
  return payload === undefined ? undefined : json(SIGNER_PATH, payload);
}

/** The answers for one index: detail, rule, history and the newest report. */
export function indexAnswers(
  state: ViewState,
  ticker: Ticker,
  sha256: Sha256,
): readonly FoldedAnswer[] {
  const paths = indexPaths(state, ticker);
  const report = reportAnswer(state, ticker, sha256);
  return [
    json(paths.detail, indexDetailPayload(state, ticker)),
    json(paths.rule, rulePayload(state, ticker)),
    {
      path: paths.history,
      status: 200,
      contentType: 'text/csv',
      body: formatUtf8(historyCsv(state, ticker)),
    },
    ...(report === undefined ? [] : [report]),
  ];
}

/**
 * The newest report of a period, or of the newest printed one. A void period answers 404 with the
 * signed void inside; undefined where nothing is signed yet.
 */
export function reportAnswer(
  state: ViewState,
  ticker: Ticker,
  sha256: Sha256,
  period?: DateText,
): FoldedAnswer | undefined {
  const base = indexPaths(state, ticker).report;
  const path = period === undefined ? base : `${base}?period=${period}`;
  const payload = reportPayload(state, ticker, sha256, period);
  if (payload === undefined) return undefined;
  if (payload.report.status !== 'void') return json(path, payload);
  return {
    path,
    status: 404,
    contentType: 'application/problem+json',
    body: jsonBody({
      type: 'urn:assay:problem:no_report',
      title: 'No report',
      status: 404,
      error: 'no_report',
      detail: `The period ${payload.report.period} is void: ${payload.report.reason}.`,
      void: payload,
    }),
  };
}

/** Every folded answer at once: what a static export writes and a verifier asks for. */
export function* foldedAnswers(state: ViewState, sha256: Sha256): Generator<FoldedAnswer> {
  if (logRow(state) === undefined) return;
  const signer = signerAnswer(state, sha256);
  if (signer !== undefined) yield signer;
  yield indexListAnswer(state);
  for (const ticker of tickers(state)) yield* indexAnswers(state, ticker, sha256);
}

function json(path: string, payload: unknown): FoldedAnswer {
  return { path, status: 200, contentType: 'application/json', body: jsonBody(payload) };
}

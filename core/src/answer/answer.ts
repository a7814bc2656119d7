import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { Ticker } from '../rule/ticker.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import type { DateText } from '../time/time.ts';
import { logRow } from '../view/log.ts';
import { periodRow } from '../view/periods.ts';
import { stampedBatch } from '../view/stamps.ts';
import type { ViewState } from '../view/view.ts';
import { currentRule } from './index.ts';
import { provenReport } from './period.ts';
import {
  type Folded,
  FOLDED_ROUTES,
  type FoldedLog,
  type FoldedRoute,
  formatFolded,
  type Given,
  matchFolded,
  PROOF_ROUTE,
  REPORT_ROUTE,
} from './routes.ts';

/**
 * An answer of the API that follows from the log alone: path to exact bytes. The publisher and the verifier derive it
 * from the same rows, so that a verifier can compare what it was served byte for byte.
 */
export interface FoldedAnswer {
  readonly path: string;
  readonly status: 200 | 404;
  readonly contentType: Folded['contentType'];
  readonly body: Uint8Array;
  /** The query of the page that follows; absent where there is none. It is no part of what is compared. */
  readonly next?: string | undefined;
}

/** The bytes of a JSON payload. */
export function jsonBody(payload: unknown): Uint8Array {
  return formatUtf8(JSON.stringify(payload));
}

/**
 * The folded answer to a path of the API, its query included; undefined where the log has none
 * (an unknown index, a period without a report, a path that is not folded).
 */
export function answerTo(state: ViewState, sha256: Sha256, path: string): FoldedAnswer | undefined {
  const found = matchFolded(path);
  if (found === undefined) return undefined;
  const { route } = found;
  const given = route.parse === undefined ? found.given : route.parse(state, found.given);
  const answer = given && foldedAnswer({ state, sha256 }, route, given);
  return answer && { ...answer, path };
}

/** The answer of a route to what its `parse` returned; undefined where the log has none. */
export function foldedAnswer(
  log: FoldedLog,
  route: FoldedRoute,
  given: Given,
): FoldedAnswer | undefined {
  const folded = route.fold(log, given);
  if (folded === undefined) return undefined;
  const { contentType, content, next } = folded;
  return {
    path: formatFolded(route, given),
    status: contentType === 'application/problem+json' ? 404 : 200,
    contentType,
    body: contentType === 'text/csv' ? formatUtf8(content as string) : jsonBody(content),
    ...(next === undefined ? {} : { next }),
  };
}

/**
 * The paths of every folded answer, including the reports of the newest `reports` periods of each index. A static
 * export writes them, and a verifier asks for them.
 */
export function foldedPaths(state: ViewState, sha256: Sha256, reports: number): readonly string[] {
  if (logRow(state) === undefined) return [];
  return FOLDED_ROUTES.flatMap((route) =>
    [...(route.list?.({ state, sha256 }, reports) ?? [])].map((given) =>
      formatFolded(route, given),
    ),
  );
}

/** How many paths `foldedPaths` has of all reports, of which none is made. */
export function foldedCount(state: ViewState, sha256: Sha256): number {
  if (logRow(state) === undefined) return 0;
  let count = 0;
  for (const route of FOLDED_ROUTES) {
    for (const _ of route.list?.({ state, sha256 }, Number.POSITIVE_INFINITY) ?? []) count += 1;
  }
  return count;
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
  const { display } = currentRule(state, ticker).rule;
  const path = formatFolded(REPORT_ROUTE, { ticker: display, period });
  const digest = provenReport(row);
  if (digest === null || stampedBatch(state, digest) === undefined) {
    return { paths: [path], digests: [] };
  }
  return { paths: [path, formatFolded(PROOF_ROUTE, { digest })], digests: [digest] };
}

import { type Sha256, toHashHex } from '../hash/hash.ts';
import type { SortedTree } from '../completeness/sorted-tree.ts';
import { type DateText, isDate, toDate } from '../time/time.ts';
import { newestClose } from '../view/closes.ts';
import { type IndexRow, newestIndex } from '../view/completeness.ts';
import { forecastCount } from '../view/forecasts.ts';
import { periodRows } from '../view/periods.ts';
import { roundsByClose } from '../view/rounds.ts';
import { questionsByOpening } from '../view/referee.ts';
import { tickers } from '../view/rules.ts';
import { eventsByOpening } from '../view/terminal-events.ts';
import type { ViewState } from '../view/view.ts';
import type { Ticker } from '../rule/ticker.ts';
import { anchorListPayload } from './anchors.ts';
import { arenaRoundPayload, ROUNDS_PATH } from './arena-round.ts';
import { closePayload } from './close.ts';
import { INDEX_PATH, indexPayload, indexProofPayload } from './completeness.ts';
import { historyCsv } from './history-csv.ts';
import { currentRule, findIndex, indexDetailPayload, indexListPayload } from './index.ts';
import { lightIndexListPayload } from './light-index.ts';
import { PROOF_PATH, proofPayload } from './proof.ts';
import { provenDigests } from './proven-digests.ts';
import { recountPayload } from './recount.ts';
import { reportPayload } from './report.ts';
import { questionDetailPayload, QUESTIONS_PATH } from './referee/question.ts';
import { rulePayload } from './rule.ts';
import { settlementCsv } from './settlement-status.ts';
import { signerPayload } from './signer.ts';
import {
  DEFAULT_RECEIPTS,
  MAX_RECEIPTS,
  RECEIPTS_PATH,
  receiptsPage,
} from './terminal/receipts.ts';

/** What the names in a pattern and in its query stand for. */
export type Given = Readonly<Record<string, string>>;

/** What an answer is folded from. */
export interface FoldedLog {
  readonly state: ViewState;
  readonly sha256: Sha256;
  /** The prints in an index entry, from whoever keeps them; they are folded again where it is absent. */
  readonly printsOf?: (row: IndexRow) => SortedTree;
}

/** What a path answers: a void period is a problem with status 404, and everything else has status 200. */
export interface Folded {
  readonly contentType: 'application/json' | 'text/csv' | 'application/problem+json';
  /** The text of a CSV file, or what JSON is made of. */
  readonly content: unknown;
  /** The query of the page that follows; absent where there is none. */
  readonly next?: string | undefined;
}

/** A path of the API whose answer follows from the log alone, and all that anybody needs to know of it. */
export interface FoldedRoute {
  /** `:ticker` stands for one segment. */
  readonly pattern: string;
  /** The one name that may stand in the query. */
  readonly query?: string;
  /** Which texts each name may stand for. */
  readonly names?: Readonly<Record<string, { readonly test: (text: string) => boolean }>>;
  /** What was given, as the log spells it; undefined where the log has no such thing. As given without. */
  readonly parse?: (state: ViewState, given: Given) => Given | undefined;
  /** The answer; undefined where the log has none yet. */
  readonly fold: (log: FoldedLog, given: Given) => Folded | undefined;
  /** What an export and a verifier ask for: of what there are many, the newest `newest`. Nothing without. */
  readonly list?: (log: FoldedLog, newest: number) => Iterable<Given>;
  /**
   * Whether release 0.1 has no such answer. A verifier compares it where it is served, and passes over it where the
   * server does not know the path.
   */
  readonly added?: (given: Given) => boolean;
}

export const SIGNER_PATH = '/.well-known/assay-signer.json';
export const INDICES_PATH = '/indices';

/** What may stand in the place of a name. */
export const INDEX_NAME: RegExp = /^[A-Za-z0-9-]{1,32}$/;
export const HASH_TEXT: RegExp = /^[0-9a-f]{64}$/;
export const BATCH_NUMBER: RegExp = /^(0|[1-9][0-9]{0,14})$/;
export const QUESTION_ID: RegExp =
  /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const LIGHT_VIEW: RegExp = /^light$/;
export const RECEIPT_COUNT: RegExp = /^([1-9][0-9]?|100)$/;
export const ROUND_ID: RegExp = /^[a-z][a-z0-9]{0,15}-[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
/** The place of a forecast in its round. */
export const FORECAST_PLACE: RegExp = /^(0|[1-9][0-9]{0,6})$/;
const DATE = { test: isDate };

const ONCE: readonly Given[] = [{}];

/** What the routes of one index share. */
const OF_INDEX = {
  names: { ticker: INDEX_NAME },
  parse(state: ViewState, given: Given): Given | undefined {
    const ticker = findIndex(state, given['ticker'] ?? '');
    return ticker && { ...given, ticker: currentRule(state, ticker).rule.display };
  },
  list: ({ state }: FoldedLog): readonly Given[] =>
    tickers(state).map((ticker) => ({ ticker: currentRule(state, ticker).rule.display })),
};

/** The newest periods of an index that have a report. */
function printedPeriods({ state }: FoldedLog, ticker: Ticker, newest: number): readonly DateText[] {
  const printed = periodRows(state, ticker).filter(([, row]) => row.basis === 'print');
  return printed.slice(-newest).map(([period]) => period);
}

/** A report; a void period is a problem with the signed void inside. */
export const REPORT_ROUTE: FoldedRoute = {
  ...OF_INDEX,
  pattern: '/indices/:ticker/report',
  query: 'period',
  names: { ...OF_INDEX.names, period: DATE },
  fold({ state, sha256 }, given) {
    const { period } = given;
    const payload = reportPayload(state, tickerIn(state, given), sha256, dateIn(period));
    if (payload?.report.status !== 'void') return json(payload);
    const content = {
      type: '/problems/no_report',
      title: 'There is no number for that index and period',
      status: 404,
      detail: `The period ${payload.report.period} is void: ${payload.report.reason}.`,
      instance: `${INDICES_PATH}/${given['ticker']}/report`,
      error: 'no_report',
      void: payload,
    };
    return { contentType: 'application/problem+json', content };
  },
  *list(log, newest) {
    for (const given of OF_INDEX.list(log)) {
      const printed = printedPeriods(log, tickerIn(log.state, given), newest);
      if (printed.length > 0) yield given;
      for (const period of printed) yield { ...given, period };
    }
  },
};

/** What stamps a digest. */
export const PROOF_ROUTE: FoldedRoute = {
  pattern: `${PROOF_PATH}/:digest`,
  names: { digest: HASH_TEXT },
  fold: ({ state, sha256 }, { digest = '' }) =>
    json(proofPayload(state, sha256, toHashHex(digest))),
  list: ({ state, sha256 }, newest) =>
    provenDigests(state, sha256, newest).map((digest) => ({ digest })),
};

/**
 * Every path whose answer follows from the log alone. The publisher serves these, a static export holds those that they
 * list, and a verifier asks for them and compares. A new one is a row here.
 */
export const FOLDED_ROUTES: readonly FoldedRoute[] = [
  {
    pattern: INDICES_PATH,
    query: 'view',
    names: { view: LIGHT_VIEW },
    fold: ({ state }, { view }) =>
      json(view === undefined ? indexListPayload(state) : lightIndexListPayload(state)),
    list: () => [...ONCE, { view: 'light' }],
    added: ({ view }) => view !== undefined,
  },
  {
    ...OF_INDEX,
    pattern: '/indices/:ticker',
    fold: ({ state, sha256 }, given) =>
      json(indexDetailPayload(state, sha256, tickerIn(state, given))),
  },
  {
    ...OF_INDEX,
    pattern: '/indices/:ticker/rule',
    fold: ({ state }, given) => json(rulePayload(state, tickerIn(state, given))),
  },
  REPORT_ROUTE,
  {
    ...OF_INDEX,
    pattern: '/indices/:ticker/history.csv',
    fold: ({ state }, given) => ({
      contentType: 'text/csv',
      content: historyCsv(state, tickerIn(state, given)),
    }),
  },
  {
    ...OF_INDEX,
    pattern: '/indices/:ticker/settlement.csv',
    fold: ({ state }, given) => ({
      contentType: 'text/csv',
      content: settlementCsv(state, tickerIn(state, given)),
    }),
    added: () => true,
  },
  {
    ...OF_INDEX,
    pattern: '/indices/:ticker/recount',
    query: 'period',
    names: { ...OF_INDEX.names, period: DATE },
    fold: ({ state }, given) =>
      json(recountPayload(state, tickerIn(state, given), dateIn(given['period']))),
    *list(log, newest) {
      for (const given of OF_INDEX.list(log)) {
        const ticker = tickerIn(log.state, given);
        if (recountPayload(log.state, ticker) !== undefined) yield given;
        for (const period of printedPeriods(log, ticker, newest)) yield { ...given, period };
      }
    },
    added: () => true,
  },
  {
    pattern: SIGNER_PATH,
    fold: ({ state, sha256 }) => json(signerPayload(state, sha256)),
    list: () => ONCE,
  },
  {
    pattern: '/indices/close',
    query: 'day',
    names: { day: DATE },
    fold: ({ state, sha256 }, given) => json(closePayload(state, sha256, dateIn(given['day']))),
    list: ({ state }) => newestDay(newestClose(state)),
  },
  {
    pattern: INDEX_PATH,
    query: 'day',
    names: { day: DATE },
    fold: ({ state }, given) => json(indexPayload(state, dateIn(given['day']))),
    list: ({ state }) => newestDay(newestIndex(state)?.day),
  },
  {
    pattern: `${INDEX_PATH}/:report`,
    names: { report: HASH_TEXT },
    fold: ({ state, sha256, printsOf }, { report = '' }) =>
      json(indexProofPayload(state, sha256, toHashHex(report), printsOf)),
  },
  {
    pattern: '/anchors',
    query: 'before',
    names: { before: BATCH_NUMBER },
    fold: ({ state, sha256 }, { before }) => {
      const page = before === undefined ? undefined : Number(before);
      const content = anchorListPayload(state, sha256, page);
      const { next_before } = content;
      return {
        contentType: 'application/json',
        content,
        next: next_before === null ? undefined : `before=${next_before}`,
      };
    },
    list: () => ONCE,
  },
  PROOF_ROUTE,
  {
    pattern: RECEIPTS_PATH,
    query: 'limit',
    names: { limit: RECEIPT_COUNT },
    fold: ({ state, sha256 }, { limit = DEFAULT_RECEIPTS }) => {
      const { payload, next } = receiptsPage(state, sha256, { limit: Number(limit) });
      return {
        contentType: 'application/json',
        content: payload,
        next: next === null ? undefined : `limit=${limit}&cursor=${next}`,
      };
    },
    *list({ state }) {
      for (const _ of eventsByOpening(state)) return yield* [{}, { limit: `${MAX_RECEIPTS}` }];
    },
  },
  {
    pattern: `${ROUNDS_PATH}/:round`,
    query: 'place',
    names: { round: ROUND_ID, place: FORECAST_PLACE },
    fold: ({ state, sha256 }, { round = '', place }) =>
      json(
        arenaRoundPayload(state, sha256, round, place === undefined ? undefined : Number(place)),
      ),
    *list({ state }, newest) {
      let left = newest;
      for (const { body } of roundsByClose(state)) {
        if (left === 0) return;
        left -= 1;
        yield { round: body.id };
        if (forecastCount(state, body.id) > 0) yield { round: body.id, place: '0' };
      }
    },
  },
  {
    pattern: `${QUESTIONS_PATH}/:id`,
    names: { id: QUESTION_ID },
    fold: ({ state, sha256 }, { id = '' }) => json(questionDetailPayload(state, sha256, id)),
    *list({ state }, newest) {
      let count = 0;
      for (const { body } of questionsByOpening(state)) {
        if (count === newest) return;
        count += 1;
        yield { id: body.id };
      }
    },
  },
];

/** The routes with their segments. A literal segment comes before a name, as in any router. */
const BY_NAMES = [...FOLDED_ROUTES]
  .sort((a, b) => namesIn(a) - namesIn(b))
  .map((route) => ({ route, parts: route.pattern.split('/') }));

/** The route of a path with its query, and what stands in the place of its names; undefined where no route has it. */
export function matchFolded(
  path: string,
): { readonly route: FoldedRoute; readonly given: Given } | undefined {
  const [plain = '', ...rest] = path.split('?');
  const query = rest.length === 0 ? undefined : rest.join('?');
  const segments = plain.split('/');
  for (const { route, parts } of BY_NAMES) {
    if (parts.length !== segments.length) continue;
    const given = givenIn(route, parts, segments, query);
    if (given !== undefined) return { route, given };
  }
  return undefined;
}

/** Whether release 0.1 has no answer to a path, so that a server may be without it. */
export function isAdded(path: string): boolean {
  const found = matchFolded(path);
  return found?.route.added?.(found.given) === true;
}

/** The path that `matchFolded` reads. */
export function formatFolded({ pattern, query }: FoldedRoute, given: Given): string {
  const path = pattern.replace(/:(\w+)/, (_, name: string) => given[name] ?? '');
  const asked = query === undefined ? undefined : given[query];
  return asked === undefined ? path : `${path}?${query}=${asked}`;
}

/** What stands in the place of a route's names, in a path of as many segments; undefined where it is another path. */
function givenIn(
  { query: name = '', names = {} }: FoldedRoute,
  parts: readonly string[],
  segments: readonly string[],
  query: string | undefined,
): Given | undefined {
  const given: Record<string, string> = {};
  for (const [i, text] of segments.entries()) {
    const part = parts[i] ?? '';
    if (part.startsWith(':')) given[part.slice(1)] = text;
    else if (part !== text) return undefined;
  }
  if (query !== undefined) {
    if (name === '' || !query.startsWith(`${name}=`)) return undefined;
    given[name] = query.slice(name.length + 1);
  }
  const fits = Object.entries(given).every(([each, text]) => names[each]?.test(text));
  return fits ? given : undefined;
}

function namesIn({ pattern }: FoldedRoute): number {
  return pattern.split(':').length;
}

function newestDay(day: string | undefined): readonly Given[] {
  return day === undefined ? [] : [{}, { day }];
}

function dateIn(text: string | undefined): DateText | undefined {
  return text === undefined ? undefined : toDate(text);
}

/** The index that a route's `parse` found. */
function tickerIn(state: ViewState, { ticker = '' }: Given): Ticker {
  return findIndex(state, ticker) as Ticker;
}

function json(content: unknown): Folded | undefined {
  return content === undefined ? undefined : { contentType: 'application/json', content };
}

import type { HashHex } from '../hash.ts';
import { type Rule, ruleHash } from '../rule/rule.ts';
import type { Ticker } from '../ticker.ts';
import { type DateText, parseDate, type TimeText } from '../time.ts';
import type { WireObject } from '../wire.ts';
import type { View, ViewState } from './view.ts';

const TICKERS = 'tickers';
const rulesTable = (ticker: Ticker): string => `rules/${ticker}`;

export interface RuleRow {
  readonly hash: HashHex;
  readonly seq: number;
  /** When the log says that it was recorded. */
  readonly at: TimeText;
  readonly rule: Rule;
}

/** Every version of every rule, the first entry of each, and which tickers there are. */
export const rulesView: View = {
  name: 'rules',
  apply(entry, state, sha256) {
    if (entry.kind !== 'rule/1') return [];
    const { rule } = entry.body;
    const table = rulesTable(rule.ticker);
    const key = String(rule.version).padStart(7, '0');
    // Rules are appended: a version that is there stays as it is.
    if (state.get(table, key) !== undefined) return [];
    const row: RuleRow = { hash: ruleHash(sha256, rule), seq: entry.seq, at: entry.at, rule };
    const known = state.get(TICKERS, rule.ticker) !== undefined;
    return [
      ...(known ? [] : [{ table: TICKERS, key: rule.ticker, value: { since: entry.seq } }]),
      { table, key, value: row as unknown as WireObject },
    ];
  },
};

export function tickers(state: ViewState): readonly Ticker[] {
  return [...state.list(TICKERS)].map(([ticker]) => ticker as Ticker);
}

/** The index whose rule came first: a log's Closes stand on chain under its feed. */
export function firstTicker(state: ViewState): Ticker | undefined {
  let first: { readonly ticker: Ticker; readonly since: number } | undefined;
  for (const [ticker, value] of state.list(TICKERS)) {
    const { since } = value as { readonly since: number };
    if (first === undefined || since < first.since) first = { ticker: ticker as Ticker, since };
  }
  return first?.ticker;
}

/** The rule versions of an index, oldest first. */
export function ruleVersions(state: ViewState, ticker: Ticker): readonly RuleRow[] {
  return [...state.list(rulesTable(ticker))].map(([, row]) => row as unknown as RuleRow);
}

/** The one rule for a period: the newest version that applies from it or from before. */
export function ruleFor(state: ViewState, ticker: Ticker, period: DateText): RuleRow | undefined {
  return ruleVersions(state, ticker).findLast(
    ({ rule }) => parseDate(rule.applies_from) <= parseDate(period),
  );
}

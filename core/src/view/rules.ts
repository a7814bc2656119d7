import type { HashHex } from '../hash/hash.ts';
import { type Rule, ruleHash } from '../rule/rule.ts';
import type { Ticker } from '../rule/ticker.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import type { View, ViewState } from './view.ts';

const TICKERS = 'tickers';
const rulesTable = (ticker: Ticker): string => `rules/${ticker}`;

export interface RuleRow {
  readonly hash: HashHex;
  readonly seq: number;
  /** The time at which it was recorded, as its entry claims. */
  readonly at: TimeText;
  readonly rule: Rule;
}

/** The versions of every rule, whose numbers and first periods rise, and the existing tickers. */
export const rulesView: View = {
  name: 'rules',
  apply(entry, state, sha256) {
    if (entry.kind !== 'rule/1') return [];
    const { rule } = entry.body;
    const table = rulesTable(rule.ticker);
    const key = String(rule.version).padStart(7, '0');
    // Rules are appended, and each begins after the one before. Anything else is a finding and no version.
    const last = newestRule(state, rule.ticker)?.rule;
    if (last !== undefined && !mayFollow(rule, last)) return [];
    const row: RuleRow = { hash: ruleHash(sha256, rule), seq: entry.seq, at: entry.at, rule };
    const known = state.get(TICKERS, rule.ticker) !== undefined;
    return [
      ...(known ? [] : [{ table: TICKERS, key: rule.ticker, value: { since: entry.seq } }]),
      { table, key, value: wire(row) },
    ];
  },
};

export function tickers(state: ViewState): readonly Ticker[] {
  return [...state.list(TICKERS)].map(([ticker]) => ticker as Ticker);
}

/** Whether the log has a rule of this index. */
export function hasTicker(state: ViewState, ticker: Ticker): boolean {
  return state.get(TICKERS, ticker) !== undefined;
}

/** The index whose rule came first. A log's Closes are on chain under its feed. */
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

/** The newest version of an index's rule. */
export function newestRule(state: ViewState, ticker: Ticker): RuleRow | undefined {
  for (const [, row] of state.descend(rulesTable(ticker))) return row as unknown as RuleRow;
  return undefined;
}

/** The versions above one, oldest first, and the newest of the others; all of them where `version` is undefined. */
export function ruleVersionsAbove(
  state: ViewState,
  ticker: Ticker,
  version: number | undefined,
): { readonly rows: readonly RuleRow[]; readonly before: RuleRow | undefined } {
  const rows: RuleRow[] = [];
  for (const [, value] of state.descend(rulesTable(ticker))) {
    const row = value as unknown as RuleRow;
    if (version !== undefined && row.rule.version <= version) {
      return { rows: rows.reverse(), before: row };
    }
    rows.push(row);
  }
  return { rows: rows.reverse(), before: undefined };
}

function mayFollow(rule: Rule, last: Rule): boolean {
  return (
    rule.version > last.version &&
    rule.applies_from > last.applies_from &&
    rule.period === last.period
  );
}

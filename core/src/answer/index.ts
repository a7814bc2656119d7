import { type DateText, formatDate, formatTime, parseDate } from '../time/time.ts';
import { releaseTime } from '../rule/release.ts';
import { governingRule } from '../round/governing.ts';
import { periodOf, type PeriodKind, shiftPeriod } from '../rule/period.ts';
import type { Rule } from '../rule/rule.ts';
import { isTicker, type Ticker } from '../rule/ticker.ts';
import { newestComplete, type PeriodRow, periodRows, periodsBack } from '../view/periods.ts';
import { newestPrinted } from '../view/reports.ts';
import { hasTicker, ruleVersions, tickers, type RuleRow } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';
import { periodPayload, type PeriodPayload, provenReport } from './period.ts';
import { proofPayload, type ProofPayload } from './proof.ts';
import type { Sha256 } from '../hash/hash.ts';

/** How many complete periods of each index the list of all indexes shows. */
export const LISTED_PERIODS = 30;

const CADENCES: Readonly<Record<PeriodKind, readonly [cadence: string, step: number | null]>> = {
  week_ending_saturday: ['weekly', 7],
  utc_day: ['daily', 1],
  month: ['monthly', null],
};

/** What the list and the detail of an index share. Every member is folded from the log alone. */
export interface IndexPayload {
  readonly ticker: string;
  readonly slug: string;
  readonly title: string;
  readonly network: string;
  readonly unit: string;
  readonly format: string;
  readonly decimals: number;
  readonly cadence: string;
  /** Days between periods; null where a period is a calendar month. */
  readonly step: number | null;
  readonly grade: string;
  readonly source: SourcePayload;
  readonly settlement: SettlementPayload;
  readonly newest_reading: PeriodPayload | null;
  readonly newest_complete: PeriodPayload | null;
  readonly next_period: string;
  readonly next_release_at: string;
  /** Newest first. */
  readonly periods: readonly PeriodPayload[];
}

export interface SourcePayload {
  readonly name: string;
  readonly terms_url: string;
  readonly clause: string;
  readonly attribution: string;
  readonly providers: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: string;
    readonly url: string;
  }[];
}

export interface SettlementPayload {
  readonly rule_version: number;
  readonly rule_hash: string;
  readonly settles: string;
  readonly allowed: boolean;
  /**
   * Reads that must agree, which is `aggregate.quorum` of the rule. Elsewhere in these answers a quorum is of co-signers:
   * readers should take this figure from the rule.
   *
   * @deprecated The name is kept because these bytes are in settlement files.
   */
  readonly quorum: number;
  readonly freeze_after_s: number;
  readonly tie: string;
}

export interface IndexDetailPayload extends IndexPayload {
  readonly open_round: null;
  /** The newest proof of a report of this index. */
  readonly newest_proof: ProofPayload | null;
}

/** The list of every index, by ticker: each with its newest complete periods. */
export function indexListPayload(state: ViewState): readonly IndexPayload[] {
  return tickers(state).map((ticker) => indexSummary(state, ticker));
}

/** One index, as in the list, with its newest complete periods: `limit` of them. */
export function indexSummary(
  state: ViewState,
  ticker: Ticker,
  limit: number = LISTED_PERIODS,
): IndexPayload {
  return indexPayload(state, ticker, limit);
}

/** One index with every period. */
export function indexDetailPayload(
  state: ViewState,
  sha256: Sha256,
  ticker: Ticker,
): IndexDetailPayload {
  const newest_proof = newestProof(state, sha256, ticker);
  return { ...indexPayload(state, ticker), open_round: null, newest_proof };
}

/** The proof of the newest period that has one. */
function newestProof(state: ViewState, sha256: Sha256, ticker: Ticker): ProofPayload | null {
  for (const [, row] of periodsBack(state, ticker)) {
    const digest = provenReport(row);
    const proof = digest === null ? undefined : proofPayload(state, sha256, digest);
    if (proof !== undefined) return proof;
  }
  return null;
}

/** The index that a path names, by its ticker or otherwise its slug, in any letter case. */
export function findIndex(state: ViewState, name: string): Ticker | undefined {
  const wanted = name.toLowerCase();
  const ticker = wanted.toUpperCase();
  // Some letters have another one's capital: those are not the same name.
  if (ticker.toLowerCase() === wanted && isTicker(ticker) && hasTicker(state, ticker)) {
    return ticker;
  }
  return tickers(state).find((each) =>
    ruleVersions(state, each).some(({ rule }) => rule.slug === wanted),
  );
}

function newestPeriod(
  state: ViewState,
  ticker: Ticker,
): readonly [DateText, PeriodRow] | undefined {
  const [newest] = periodsBack(state, ticker);
  return newest;
}

/** The rule of the newest period; before any period, the first version. */
export function currentRule(state: ViewState, ticker: Ticker): RuleRow {
  const newest = newestPrinted(state, ticker) ?? newestPeriod(state, ticker)?.[0];
  const versions = ruleVersions(state, ticker);
  const found = newest === undefined ? undefined : governingRule(state, ticker, newest);
  const row = found ?? versions[0];
  if (row === undefined) throw new TypeError(`currentRule: no rule for ${ticker}`);
  return row;
}

function indexPayload(state: ViewState, ticker: Ticker, limit?: number): IndexPayload {
  const { rule, hash } = currentRule(state, ticker);
  const shown =
    limit === undefined ? periodRows(state, ticker) : newestComplete(state, ticker, limit);
  const [cadence, step] = CADENCES[rule.period];
  const newest = newestPeriod(state, ticker);
  const [complete] = newestComplete(state, ticker, 1);
  const next = nextPeriod(state, ticker);
  const nextRule = governingRule(state, ticker, next)?.rule ?? rule;
  return {
    ticker: rule.display,
    slug: rule.slug,
    title: rule.title,
    network: rule.network,
    unit: rule.unit,
    format: rule.format,
    decimals: rule.decimals,
    cadence,
    step,
    grade: rule.grade,
    source: sourcePayload(rule),
    settlement: {
      rule_version: rule.version,
      rule_hash: hash,
      settles: rule.revision.settles,
      allowed: rule.rights.settlement === 'yes',
      quorum: rule.aggregate.quorum,
      freeze_after_s: rule.revision.freeze_after_s,
      tie: rule.tie.text,
    },
    newest_reading: newest === undefined ? null : periodPayload(state, ...newest),
    newest_complete: complete === undefined ? null : periodPayload(state, ...complete),
    next_period: next,
    next_release_at: formatTime(releaseTime(nextRule.release, nextRule.period, parseDate(next))),
    periods: shown.map(([period, row]) => periodPayload(state, period, row)).reverse(),
  };
}

function sourcePayload(rule: Rule): SourcePayload {
  return {
    name: rule.source,
    terms_url: rule.rights.terms_url,
    clause: rule.rights.clause,
    attribution: rule.rights.attribution,
    providers: rule.providers.map(({ id, name, role, request }) => ({
      id,
      name,
      role,
      url: request.url,
    })),
  };
}

/** The period after the newest that the log has; none before the first one of the first rule. */
export function nextPeriod(state: ViewState, ticker: Ticker): DateText {
  const first = ruleVersions(state, ticker)[0]?.rule ?? currentRule(state, ticker).rule;
  const newest = newestPeriod(state, ticker)?.[0];
  const from = periodOf(first.period, parseDate(first.applies_from));
  if (newest === undefined) return formatDate(from);
  return formatDate(Math.max(from, shiftPeriod(first.period, parseDate(newest), 1)));
}

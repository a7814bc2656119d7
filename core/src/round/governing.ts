import type { Ticker } from '../rule/ticker.ts';
import { type DateText, DAY_SECONDS, formatDate, parseDate, parseTime } from '../time/time.ts';
import { newestRule, type RuleRow, ruleVersionsAbove } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';
import { isPeriod, periodEnd, type PeriodKind, periodOf, shiftPeriod } from '../rule/period.ts';
import { movedDays, type Release, releaseOn, releaseTime } from '../rule/release.ts';
import type { Rule } from '../rule/rule.ts';

/** The one version of an index's rule under which a period is printed, and what its calendar gives for it. */
export interface GoverningRule extends RuleRow {
  /**
   * The scheduled release by its own calendar, in Unix seconds. The other clocks may depend on what the log has; see
   * `periodClocks`.
   */
  readonly release: number;
  /**
   * The earliest and the latest release, in Unix seconds, that it or the versions that governed the period before it
   * set. Where they differ, the release was moved while nobody could know the number.
   */
  readonly earliest: number;
  readonly latest: number;
}

/**
 * The version that governs a period (docs/spec/rule.md, Which version governs). Of the versions that cover the period,
 * it is the newest that was recorded before the earliest release that it or any version before it set for the period.
 * Undefined where there is none; such a period cannot be printed. The node, recounters, the verifier and the watch all
 * use this function and no other.
 *
 * Results are cached beside the rows, because rules are only ever appended.
 */
export function governingRule(
  state: ViewState,
  ticker: Ticker,
  period: DateText | number,
): GoverningRule | undefined {
  const days = typeof period === 'number' ? period : parseDate(period);
  return calendarOf(state, ticker)?.governing(days);
}

/**
 * The same as `governingRule`, of the versions that the log has before its entry `before`. Versions that were recorded later are
 * as if they were not there.
 */
export function governingRuleBefore(
  state: ViewState,
  ticker: Ticker,
  period: DateText,
  before: number,
): GoverningRule | undefined {
  const newest = newestRule(state, ticker);
  if (newest === undefined || newest.seq < before) return governingRule(state, ticker, period);
  const rows = ruleVersionsAbove(state, ticker, undefined).rows.filter(({ seq }) => seq < before);
  const [first, ...others] = rows;
  if (first === undefined) return undefined;
  const calendar = new Calendar(first);
  for (const row of others) calendar.add(row);
  return calendar.governing(parseDate(period));
}

/**
 * The newest period that `rule`, recorded at `at` (Unix seconds) after the versions that the log has, would cover too
 * late: a release that it or a version before it set for the period is not after `at`. Undefined where there is none,
 * and for the first rule of an index, whose earlier periods nobody can print.
 */
export function coveredTooLate(state: ViewState, rule: Rule, at: number): DateText | undefined {
  const days = calendarOf(state, rule.ticker)?.tooLate(rule, at);
  return days === undefined ? undefined : formatDate(days);
}

/** The same for a version that the log has, by its hash. Nobody should sign a report under such a version. */
export function recordedTooLate(
  state: ViewState,
  ticker: Ticker,
  hash: RuleRow['hash'],
): DateText | undefined {
  const days = calendarOf(state, ticker)?.late.get(hash);
  return days === undefined ? undefined : formatDate(days);
}

/**
 * Periods, as day numbers, whose release some version moved by an exception. They may be released long after their
 * neighbours.
 */
export function movedPeriods(state: ViewState, ticker: Ticker): ReadonlySet<number> {
  return calendarOf(state, ticker)?.moved ?? new Set();
}

const CALENDARS = new WeakMap<ViewState, Map<Ticker, Calendar>>();
/** How many periods of one index have their results cached. Others are computed again. */
const MAX_KEPT = 4096;

function calendarOf(state: ViewState, ticker: Ticker): Calendar | undefined {
  const newest = newestRule(state, ticker);
  if (newest === undefined) return undefined;
  let all = CALENDARS.get(state);
  if (all === undefined) {
    all = new Map();
    CALENDARS.set(state, all);
  }
  const known = all.get(ticker);
  if (known !== undefined && isSame(known.newest, newest)) return known;
  const above = ruleVersionsAbove(state, ticker, known?.newest.rule.version);
  if (known !== undefined && above.before !== undefined && isSame(known.newest, above.before)) {
    for (const row of above.rows) known.add(row);
    return known;
  }
  const [first, ...others] = ruleVersionsAbove(state, ticker, undefined).rows;
  const calendar = new Calendar(first as RuleRow);
  for (const row of others) calendar.add(row);
  all.set(ticker, calendar);
  return calendar;
}

function isSame(a: RuleRow, b: RuleRow): boolean {
  return a === b || (a.hash === b.hash && a.seq === b.seq && a.at === b.at);
}

/** The result of the versions so far for one period. */
interface Decided {
  /** How many versions have been evaluated. */
  asked: number;
  /** The index of the version that governs it; -1 while there is none. */
  governing: number;
  /** The release that version and those before it set, in Unix seconds. */
  first: number;
  last: number;
  /** The earliest release that any of them set, in time or not. */
  earliest: number;
  /** One of them was recorded too late, so all after it are too late. */
  isLate: boolean;
  answer: GoverningRule | undefined;
}

/** The release days of versions that have the same ones, apart from exceptions. */
interface UsualDays {
  readonly release: Release;
  /** The place of the first such version. */
  readonly from: number;
}

/**
 * The versions of one index, in the order in which they were recorded. Their numbers and first periods rise. The log's
 * times do not decrease (where they do, the latest so far counts), so every version after the first that is too late
 * for a period is too late as well, and the versions are evaluated up to there, once. A version recorded before a
 * period was over that does not move the period was in time, whatever its calendar. There may be many of those, and
 * their calendars are evaluated instead.
 */
class Calendar {
  readonly #kind: PeriodKind;
  readonly #rows: RuleRow[] = [];
  readonly #first: number[] = [];
  readonly #times: number[] = [];
  /** For each version its moved days, and the place of its usual days. */
  readonly #days: ReadonlyMap<number, number>[] = [];
  readonly #usual: number[] = [];
  readonly #calendars: UsualDays[] = [];
  readonly #named = new Map<string, number>();
  readonly #decided = new Map<number, Decided>();
  readonly #releases = new MovedReleases();
  /** For versions that were recorded too late for a period that they cover, the newest such period. */
  readonly late = new Map<RuleRow['hash'], number>();
  readonly moved = new Set<number>();

  constructor(first: RuleRow) {
    this.#kind = first.rule.period;
    this.#append(first);
  }

  get newest(): RuleRow {
    return this.#rows.at(-1) as RuleRow;
  }

  add(row: RuleRow): void {
    const late = this.tooLate(row.rule, parseTime(row.at));
    if (late !== undefined) this.late.set(row.hash, late);
    this.#append(row);
  }

  #append(row: RuleRow): void {
    const { release, applies_from: first } = row.rule;
    const { zone, local, days_after: after } = release;
    const from = parseDate(first);
    const time = this.#from(parseTime(row.at));
    const name = `${zone} ${local} ${after}`;
    const known = this.#named.get(name);
    const usual = known ?? this.#calendars.length;
    if (known === undefined) {
      this.#named.set(name, usual);
      this.#calendars.push({ release, from: this.#rows.length });
    }
    const days = movedDays(release);
    this.#rows.push(row);
    this.#first.push(from);
    this.#times.push(time);
    this.#days.push(days);
    this.#usual.push(usual);
    this.#releases.pass(time);
    for (const [period, day] of days) {
      if (period < from || !isPeriod(this.#kind, period)) continue;
      this.moved.add(period);
      this.#releases.add(period, releaseOn(release, day));
    }
  }

  /** `at`, or the time of the newest version if that is later. */
  #from(at: number): number {
    return Math.max(at, this.#times.at(-1) ?? at);
  }

  governing(period: number): GoverningRule | undefined {
    const found = this.#decide(period);
    const row = this.#rows[found.governing];
    if (row === undefined) return undefined;
    const { first: earliest, last: latest } = found;
    found.answer ??= {
      ...row,
      release: releaseTime(row.rule.release, this.#kind, period),
      earliest,
      latest,
    };
    return found.answer;
  }

  #decide(period: number): Decided {
    let found = this.#decided.get(period);
    if (found === undefined) {
      if (this.#decided.size >= MAX_KEPT) this.#decided.clear();
      found = this.#begin(period);
      this.#decided.set(period, found);
    }
    // First periods rise, so after the first version that does not cover the period none does.
    while (!found.isLate && (this.#first[found.asked] ?? Number.POSITIVE_INFINITY) <= period) {
      this.#ask(found, period);
    }
    return found;
  }

  #begin(period: number): Decided {
    const found: Decided = {
      asked: 0,
      governing: -1,
      first: Number.POSITIVE_INFINITY,
      last: Number.NEGATIVE_INFINITY,
      earliest: Number.POSITIVE_INFINITY,
      isLate: false,
      answer: undefined,
    };
    if (this.moved.has(period)) return found;
    // By the usual days of a calendar no period is released before it is over, because no zone is ahead of UTC.
    const over = periodEnd(this.#kind, period) * DAY_SECONDS;
    found.asked = Math.min(countBelow(this.#times, over), countBelow(this.#first, period + 1));
    found.governing = found.asked - 1;
    for (const { release, from } of this.#calendars) {
      if (from >= found.asked) break;
      this.#take(found, this.#usually(release, period));
    }
    found.earliest = found.first;
    return found;
  }

  #ask(found: Decided, period: number): void {
    const place = found.asked;
    const { release: usual } = this.#calendars[this.#usual[place] as number] as UsualDays;
    const day = this.#days[place]?.get(period);
    const release = day === undefined ? this.#usually(usual, period) : releaseOn(usual, day);
    found.asked += 1;
    found.earliest = Math.min(found.earliest, release);
    found.isLate = (this.#times[place] as number) >= found.earliest;
    if (found.isLate) return;
    found.governing = place;
    found.answer = undefined;
    this.#take(found, release);
  }

  #take(found: Decided, release: number): void {
    found.first = Math.min(found.first, release);
    found.last = Math.max(found.last, release);
  }

  #usually(release: Release, period: number): number {
    return releaseOn(release, periodEnd(this.#kind, period) + release.days_after);
  }

  tooLate({ applies_from: first, release }: Rule, at: number): number | undefined {
    const from = parseDate(first);
    const time = this.#from(at);
    const isOut = (period: number): boolean => releaseTime(release, this.#kind, period) <= time;
    let newest = this.#releases.newest(time);
    for (const [period, day] of movedDays(release)) {
      // No zone is ahead of UTC, so nothing is released before its day has begun in UTC.
      if (period <= newest || day * DAY_SECONDS > time) continue;
      if (isPeriod(this.#kind, period) && isOut(period)) newest = period;
    }
    if (newest >= from) return newest;
    // By the days of a calendar, no period is released before it is over.
    let period = periodOf(this.#kind, Math.floor(time / DAY_SECONDS));
    for (; period >= from; period = shiftPeriod(this.#kind, period, -1)) {
      const { isLate, earliest } = this.#decide(period);
      if (isLate || earliest <= time || isOut(period)) return period;
    }
    return undefined;
  }
}

/** Finds the newest released period among those whose release was moved, as time goes on. */
class MovedReleases {
  /** The earliest moved release of each period, unix seconds. */
  readonly #soonest = new Map<number, number>();
  /** Periods by the day of their release, or by the day that `pass` has reached if that is later. */
  readonly #waiting = new Map<number, number[]>();
  #passed = Number.NEGATIVE_INFINITY;
  #newest = Number.NEGATIVE_INFINITY;

  add(period: number, release: number): void {
    if (release >= (this.#soonest.get(period) ?? Number.POSITIVE_INFINITY)) return;
    this.#soonest.set(period, release);
    const day = Math.max(Math.floor(release / DAY_SECONDS), this.#passed);
    const waiting = this.#waiting.get(day);
    if (waiting === undefined) this.#waiting.set(day, [period]);
    else waiting.push(period);
  }

  /**
   * The newest at `time`, in Unix seconds, which must not be before any passed time; minus infinity if there is
   * none.
   */
  newest(time: number): number {
    let newest = this.#newest;
    for (const day of this.#daysTo(time)) {
      for (const period of this.#waiting.get(day) ?? []) {
        if (period > newest && this.#isOut(period, time)) newest = period;
      }
    }
    return newest;
  }

  /** No earlier time will be asked for, so what is released need not be examined again. */
  pass(time: number): void {
    this.#newest = this.newest(time);
    for (const day of this.#daysTo(time)) {
      const later = (this.#waiting.get(day) ?? []).filter((period) => !this.#isOut(period, time));
      if (later.length === 0) this.#waiting.delete(day);
      else this.#waiting.set(day, later);
    }
    this.#passed = Math.floor(time / DAY_SECONDS);
  }

  #isOut(period: number, time: number): boolean {
    return (this.#soonest.get(period) as number) <= time;
  }

  #daysTo(time: number): readonly number[] {
    const to = Math.floor(time / DAY_SECONDS);
    const length = to - this.#passed + 1;
    if (length > this.#waiting.size) return [...this.#waiting.keys()].filter((day) => day <= to);
    return Array.from({ length }, (_, i) => this.#passed + i);
  }
}

/** How many of `sorted`, which does not descend, are below `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

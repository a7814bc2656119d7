import type { Dice } from './dice.ts';
import { addDays, DAY_S, momentsOf, type RuleTerms, secondsOf, shift } from './calendar.ts';

/** What the world's sources really show of one period, and when. */
export interface Figure {
  /** Unix seconds from which the record shows it; null for a period without a figure. */
  readonly from: number | null;
  readonly value: number;
  /** A later figure, long after the first, which settles nothing. */
  readonly revised: { readonly from: number; readonly value: number } | null;
  /** Seconds by which the mirror is behind the record. */
  readonly mirrorLag: number;
}

/** An index as the world has it: its calendar, and what its sources show. */
export interface Index {
  readonly ticker: string;
  readonly slug: string;
  readonly kind: 'utc_day' | 'week_ending_saturday';
  /** The periods that the log is about, oldest first. */
  readonly periods: readonly string[];
  readonly zone: 'UTC' | 'America/New_York';
  readonly local: string;
  readonly daysAfter: number;
  readonly freeze: number;
  readonly within: number;
  readonly deadline: number;
  readonly quorum: 1 | 2;
  /** What its rules say of a late number: seconds until it is void after all, or void at once; null where they do not say. */
  readonly late: number | 'void' | null;
  /** Whether the providers show whole series, so that there are revisions. */
  readonly series: boolean;
  readonly withheld: boolean;
  readonly settles: boolean;
  /** Releases that the sources postponed: announced in time. */
  readonly postponed: ReadonlyMap<string, { readonly date: string; readonly announced: number }>;
  readonly figures: ReadonlyMap<string, Figure>;
}

const TICKERS = ['ALPHA', 'BRAVO', 'CARGO', 'DELTA'];

/** When the world of a log begins: a Saturday, a week before the clocks of New York change. */
export const BEGIN: number = secondsOf('2026-02-28T00:00:00Z');

/** The member of a rule that says what happens to a late number. */
export function releaseLate({ late }: Pick<Index, 'late'>): Pick<RuleTerms['release'], 'late'> {
  if (late === null) return {};
  return {
    late: late === 'void' ? { kind: 'void' } : { kind: 'from_publication', within_s: late },
  };
}

export function termsOf(index: Index, exceptions: RuleTerms['release']['exceptions']): RuleTerms {
  const { kind, zone, local, daysAfter, freeze, within, deadline } = index;
  return {
    period: kind,
    release: {
      zone,
      local,
      days_after: daysAfter,
      exceptions,
      deadline_s: deadline,
      first_print_within_s: within,
      ...releaseLate(index),
    },
    revision: { freeze_after_s: freeze },
  };
}

/** The exceptions that an honest publisher has heard of by `time`. */
export function announcedBy(
  { postponed }: Index,
  time: number,
): RuleTerms['release']['exceptions'] {
  return [...postponed]
    .filter(([, { announced }]) => announced <= time)
    .map(([period, { date }]) => ({ period, date }));
}

/** A bound of a day and some hours above the time for first prints at least, and of the deadline. */
function lateTerms(dice: Dice, { withheld, within, deadline }: Index): Index['late'] {
  if (dice.chance(0.6)) return null;
  const least = Math.max(deadline, within + DAY_S + 3600);
  return withheld || dice.chance(0.15) ? 'void' : least + dice.between(0, 3 * DAY_S);
}

/** When a late number's clocks end at the latest: those of one that was seen in the last moment. */
export function longestOf({ late, deadline }: Index): number {
  return typeof late === 'number' ? late + deadline : deadline;
}

export function makeIndex(dice: Dice, i: number, mayWithhold: boolean): Index {
  const kind = dice.chance(0.7) ? 'utc_day' : 'week_ending_saturday';
  const step = kind === 'utc_day' ? DAY_S : 7 * DAY_S;
  const first = kind === 'utc_day' ? '2026-03-03' : '2026-03-07';
  const count = kind === 'utc_day' ? dice.between(2, 6) : dice.between(2, 3);
  const periods = Array.from({ length: count }, (_, k) => shift(kind, first, k));
  const withheld = mayWithhold && dice.chance(0.15);
  const plain: Index = {
    ticker: TICKERS[i] as string,
    slug: dice.chance(0.5) ? (TICKERS[i] as string).toLowerCase() : `index-${i}`,
    kind,
    periods,
    zone: dice.chance(0.7) ? 'UTC' : 'America/New_York',
    local: dice.pick(['08:30', '09:00', '10:00']),
    daysAfter: kind === 'utc_day' ? dice.int(2) : dice.between(1, 4),
    freeze: withheld ? 0 : dice.pick([0, 3600, 7200]),
    within: dice.pick([21_600, 43_200]),
    deadline: dice.pick([36_000, step, 2 * step]),
    quorum: dice.chance(0.5) ? 1 : 2,
    late: null,
    series: !withheld && dice.chance(0.35),
    withheld,
    settles: !withheld && dice.chance(0.95),
    postponed: new Map(),
    figures: new Map(),
  };
  const bare: Index = { ...plain, late: lateTerms(dice.fork('late'), plain) };
  const tardy = dice.fork('tardy');
  const postponed = new Map<string, { date: string; announced: number }>();
  for (const period of periods.slice(1)) {
    if (!dice.chance(0.12)) continue;
    const { release } = momentsOf(termsOf(bare, []), period);
    const day = addDays(period, 1 + bare.daysAfter);
    // Sometimes days, sometimes so far that other periods are released before.
    const date = addDays(day, dice.pick([1, 2, 9]));
    postponed.set(period, { date, announced: release - dice.between(3600, 30 * 3600) });
  }
  const index = { ...bare, postponed };
  const terms = termsOf(index, announcedBy(index, Number.POSITIVE_INFINITY));
  const figures = new Map<string, Figure>();
  for (const period of periods) {
    const { release, frozen, firstPrint, deadline } = momentsOf(terms, period);
    const usual = dice.chance(0.15) ? dice.between(60, 4 * 3600) : 0;
    const isTardy = typeof bare.late === 'number' && tardy.chance(0.35);
    const late = isTardy
      ? firstPrint - release + tardy.between(60, (bare.late as number) - (firstPrint - release))
      : usual;
    const isMissing = dice.chance(0.08);
    const value = dice.between(1000, 9999);
    // Behind the time for first prints: whoever reads it then has read a revision.
    const last = isTardy ? release + late + bare.freeze + 4 * 3600 : release + late;
    const since = Math.max(firstPrint, frozen, last, deadline) + dice.between(1, 3600);
    figures.set(period, {
      from: isMissing ? null : release + late,
      value,
      revised: dice.chance(0.4) ? { from: since, value: value + dice.between(1, 400) } : null,
      mirrorLag: dice.chance(0.15) ? dice.between(60, 3 * 3600) : 0,
    });
  }
  return { ...index, figures };
}

/** What a provider's answer shows at a time: the figures by period, null where it says that there is none. */
export function shown(
  { figures }: Index,
  provider: string,
  time: number,
): ReadonlyMap<string, number | null> {
  const found = new Map<string, number | null>();
  for (const [period, { from, value, revised, mirrorLag }] of figures) {
    const since = from === null ? null : from + (provider === 'mirror' ? mirrorLag : 0);
    if (since === null || time < since) continue;
    found.set(period, revised !== null && time >= revised.from ? revised.value : value);
  }
  return found;
}

/** The bytes of an answer. A series has all figures in a table, any other a line for each. */
export function pageOf(
  { ticker, series }: Pick<Index, 'ticker' | 'series'>,
  figures: ReadonlyMap<string, number | null>,
): Uint8Array {
  const lines = [...figures].map(([period, value]) =>
    series ? `${period},${value ?? '-'}` : `${period}=${value ?? '-'} of ${ticker}`,
  );
  const text = series ? ['period,value', ...lines] : [`Figures of ${ticker}`, ...lines];
  return Buffer.from(`${text.join('\n')}\n`);
}

export function lastMoment(index: Index): number {
  const terms = termsOf(index, announcedBy(index, Number.POSITIVE_INFINITY));
  return Math.max(
    ...index.periods.map((period) => momentsOf(terms, period).release + longestOf(index)),
  );
}

export function midnightAfter(time: number): number {
  return Math.ceil((time + 1) / DAY_S) * DAY_S;
}

import { contentHash, type HashHex, hashHex, type Sha256 } from '../../hash/hash.ts';
import type { Breadth } from '../../kind/event.ts';
import {
  compare,
  type Rational,
  rational,
  roundScaled,
  subtract,
  divide,
} from '../../number/rational.ts';
import { runSteps, type Steps } from '../../steps.ts';
import { DAY_SECONDS } from '../../time/time.ts';
import { formatWire } from '../../wire/wire.ts';
import type { AssetClass } from '../tick/asset-symbol.ts';
import { discoveries } from './benjamini-hochberg.ts';
import { bootstrapMean, type Bootstrap, type Cluster, P_DRAWS } from './bootstrap.ts';
import { EVENT_GROUPS, type EventGroup, groupOf } from '../../kind/event-group.ts';
import { excessOf, type HorizonReturn, returnStatistics } from './return-statistics.ts';
import { divideRounded } from '../../number/scaled.ts';
import {
  type HorizonStatistics,
  type Ordinary,
  type StudyBlob,
  type StudyGroup,
  type StudyHorizon,
  type WithheldReason,
} from './study-blob.ts';

/**
 * What a group must have before a rate is given: events, dates, and at most this share of events on one date.
 */
export const MIN_EVENTS = 50;
export const MIN_DATES = 20;
const TOP_SHARE: Rational = rational(1n, 5n);
/** The largest share of false discoveries among the groups that are accepted. */
const DISCOVERY_RATE: Rational = rational(1n, 10n);

export type HorizonReturns = { readonly [H in StudyHorizon]: HorizonReturn };

/** A closed event, from its entries and those of its receipts. */
export interface StudyEvent {
  readonly id: string;
  readonly symbol: string;
  /** Unix seconds. */
  readonly opened_at: number;
  /** Basis points. */
  readonly move_24h: number | null;
  readonly breadth: Breadth;
  /** A return is null if its receipt is void or not there yet. */
  readonly returns: HorizonReturns;
}

/** Everything that a study's groups depend on. */
export interface StudyData {
  readonly class: AssetClass;
  readonly rule: HashHex;
  /** The entries of the log from `from` to before `to`. */
  readonly from: number;
  readonly to: number;
  readonly events: readonly StudyEvent[];
  readonly ordinary: Ordinary;
}

/** Makes the study of closed events, which depends on its data alone (docs/spec/base-rate.md). */
export function makeStudy(sha256: Sha256, data: StudyData): StudyBlob {
  return runSteps(studySteps(sha256, data));
}

/** The same in steps, because the draws of a large study take seconds. */
export function* studySteps(sha256: Sha256, data: StudyData): Steps<StudyBlob> {
  const events = data.events.toSorted(
    (a, b) => a.opened_at - b.opened_at || (a.symbol < b.symbol ? -1 : 1),
  );
  const ordered = { type: 'assay-study-data/1', ...data, events };
  const hash = hashHex(contentHash(sha256, formatWire(ordered)));
  const { n, sum } = data.ordinary.excess_7d;
  const ordinary = n === 0 ? undefined : rational(BigInt(sum), BigInt(n));
  const groups: StudyGroup[] = [];
  for (const group of EVENT_GROUPS) {
    const members = events.filter((event) => isMember(event, group));
    yield;
    groups.push(yield* measure(sha256, data.class, group, members, ordinary));
  }
  const shares = groups.map((group) =>
    rational(BigInt(isSmall(group) ? P_DRAWS : (group.p_draws ?? P_DRAWS)), BigInt(P_DRAWS)),
  );
  const found = discoveries(shares, DISCOVERY_RATE);
  return {
    type: 'assay-study/1',
    class: data.class,
    rule: data.rule,
    from: data.from,
    to: data.to,
    data: hash,
    symbols: [...new Set(events.map(({ symbol }) => symbol))].toSorted(),
    ordinary: data.ordinary,
    groups: groups.map((group, i) =>
      found[i] === true || isSmall(group)
        ? group
        : { ...group, withheld: [...group.withheld, 'false_discovery' as const] },
    ),
  };
}

/** An event belongs to a group once its return after 7 days and the benchmark's are known. */
function isMember({ move_24h, breadth, returns }: StudyEvent, group: EventGroup): boolean {
  const own = groupOf(move_24h, breadth);
  return (
    own?.bucket === group.bucket &&
    own.breadth === group.breadth &&
    excessOf(returns['7d']) !== null
  );
}

/**
 * The seed of a group's draws. It is the same in every study, so that nobody can choose the data of a study for
 * the sake of its draws.
 */
function seedOf(of: AssetClass, { bucket, breadth }: EventGroup): string {
  return `assay-study-draws/1:${of}/${bucket}/${breadth}`;
}

/**
 * Measures a group before it is compared with the others, so `false_discovery` is not among its reasons yet.
 */
function* measure(
  sha256: Sha256,
  of: AssetClass,
  group: EventGroup,
  members: readonly StudyEvent[],
  ordinary: Rational | undefined,
): Steps<StudyGroup> {
  const dates = clustersOf(members);
  const n = members.length;
  const top = Math.max(0, ...dates.map(({ count }) => count));
  const whole = edgeOf(dates, ordinary);
  const drawn =
    ordinary === undefined || whole === undefined
      ? undefined
      : intervalOf(yield* bootstrapMean(sha256, seedOf(of, group), dates, ordinary), ordinary);
  const middle = dates.length >> 1;
  const halves = [dates.slice(0, middle), dates.slice(middle)].map((half) =>
    edgeOf(half, ordinary),
  );
  const failed: readonly (readonly [boolean, WithheldReason])[] = [
    [n < MIN_EVENTS, 'few_events'],
    [dates.length < MIN_DATES, 'few_dates'],
    [n > 0 && compare(rational(BigInt(top), BigInt(n)), TOP_SHARE) > 0, 'one_date'],
    [ordinary === undefined, 'no_ordinary'],
    [!haveOneSign(halves), 'halves_differ'],
    [drawn === undefined || !drawn.excludesZero, 'interval'],
  ];
  return {
    ...group,
    n,
    n_dates: dates.length,
    top_date_share: n === 0 ? 0 : divideRounded(10_000 * top, n),
    horizons: horizonStatistics(members.map(({ returns }) => returns)),
    edge_7d: whole === undefined ? null : tenths(whole),
    edge_7d_ci: drawn === undefined ? null : [tenths(drawn.low), tenths(drawn.high)],
    p_draws: drawn?.p ?? null,
    withheld: failed.flatMap(([fails, reason]) => (fails ? [reason] : [])),
  };
}

/**
 * Whether a group has too few events, or too many on one date, for a bootstrap to be meaningful. Its p would be
 * too small, which would also affect the other groups.
 */
function isSmall({ withheld }: StudyGroup): boolean {
  return withheld.some((reason) => SMALL.has(reason));
}

const SMALL: ReadonlySet<WithheldReason> = new Set(['few_events', 'few_dates', 'one_date']);

/** The excess returns of each date in ascending order. Members are sorted by their opening. */
function clustersOf(members: readonly StudyEvent[]): readonly Cluster[] {
  const dates = new Map<number, Cluster>();
  for (const { opened_at, returns } of members) {
    const day = Math.floor(opened_at / DAY_SECONDS);
    const { sum, count } = dates.get(day) ?? { sum: 0n, count: 0 };
    dates.set(day, { sum: sum + BigInt(excessOf(returns['7d']) ?? 0), count: count + 1 });
  }
  return [...dates.values()];
}

/** The mean of the dates minus the ordinary mean, in basis points; undefined if one of the two is. */
function edgeOf(dates: readonly Cluster[], ordinary: Rational | undefined): Rational | undefined {
  if (dates.length === 0 || ordinary === undefined) return undefined;
  const sum = dates.reduce((all, each) => all + each.sum, 0n);
  const count = dates.reduce((all, each) => all + each.count, 0);
  return subtract(rational(sum, BigInt(count)), ordinary);
}

/** The interval of the edge, whether it excludes 0, and the draws that make p. */
function intervalOf(
  { low, high, atMost, atLeast }: Bootstrap,
  ordinary: Rational,
): { low: Rational; high: Rational; excludesZero: boolean; p: number } {
  return {
    low: subtract(low, ordinary),
    high: subtract(high, ordinary),
    excludesZero: compare(low, ordinary) > 0 || compare(high, ordinary) < 0,
    p: Math.min(P_DRAWS, 2 * (Math.min(atMost, atLeast) + 1)),
  };
}

function haveOneSign(edges: readonly (Rational | undefined)[]): boolean {
  const signs = new Set(
    edges.map((edge) => (edge === undefined ? 0 : Number(edge.n > 0n) - Number(edge.n < 0n))),
  );
  return signs.size === 1 && !signs.has(0);
}

/** Basis points as tenths of a percentage point. */
function tenths(value: Rational): number {
  return Number(roundScaled(divide(value, rational(10n)), 0, 'half_away'));
}

function horizonStatistics(rows: readonly HorizonReturns[]): HorizonStatistics {
  return {
    '1d': returnStatistics(rows.map((row) => row['1d'])),
    '7d': returnStatistics(rows.map((row) => row['7d'])),
    '30d': returnStatistics(rows.map((row) => row['30d'])),
  };
}

import { eventId } from '@assay/core/kind/event-id';
import type { EventOpen } from '@assay/core/kind/event';
import type { Split } from '@assay/core/kind/split';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_REPLAY_RULE } from '@assay/core/terminal/rule/score-rules';
import { formatTime } from '@assay/core/time/time';
import { sha256, SOME_HASH } from '../src/core/fixture/fixture.ts';
import { Random } from '../src/core/terminal/random.ts';

const DAY = 86_400;
const HOUR = 3600;
const QUARTER = 900;
const START = Date.parse('2026-01-20T22:30:00Z') / 1000;
const MOST = Number.MAX_SAFE_INTEGER;

/** A good leaf: price in units, and score. */
export type Leaf = readonly [price: number, score: number | null];

export interface RangeTick {
  readonly ts: number;
  /** Which of the rules it names. */
  readonly rule: number;
  readonly leaves: Readonly<Record<string, Leaf>>;
  readonly opens: readonly EventOpen[];
}

/** What a log has of a class, made up: nothing of it needs to be what scores and machines make of prices. */
export interface Range {
  readonly rules: readonly ScoreRule[];
  readonly ticks: readonly RangeTick[];
  readonly splits: readonly Split[];
}

/** An asset's own habits. */
interface Habit {
  readonly symbol: string;
  /** It is good but one time in so many. */
  readonly holes: number;
  /** Seconds from the start in which it is away. */
  readonly away: readonly [from: number, to: number];
  readonly wild: boolean;
  /** It is never good on the hour. */
  readonly between: boolean;
}

/**
 * Ticks over some fifty days, mostly on the hour: assets that come and go, about half of them at one time, prices as far
 * as they can be apart, splits, and a rule that changes.
 */
export function madeRange(seed: number): Range {
  const random = new Random(seed);
  const days = 36 + random.below(40);
  const outage = random.below(days * DAY);
  const habits = Array.from({ length: 9 + random.below(9) }, (_, i): Habit => {
    const [from, length] = random.oneIn(2)
      ? [outage + random.below(6) * HOUR, DAY + random.below(9 * DAY)]
      : [random.below(days * DAY), random.oneIn(2) ? random.below(days * DAY) : 0];
    const holes = random.oneIn(4) ? 2 : 20;
    const [wild, between] = [random.oneIn(5), random.oneIn(5)];
    return { symbol: `S${i}`, holes, away: [from, from + length], wild, between };
  });
  const rules = madeRules(random);
  const changed = random.below(days - 10) * DAY;
  const ticks: RangeTick[] = [];
  const newest = days * DAY + (random.oneIn(2) ? HOUR / 2 : 0);
  const silent = (rules[1]?.event.silent ?? 0) * QUARTER;
  const last = newest - 7 * DAY - 6 * HOUR;
  for (let after = 0; after <= newest; after += QUARTER) {
    const ts = START + after;
    // Openings from which the newest tick is the last one, and the last but one, at which somebody could enter.
    const edge = [newest - silent, newest + QUARTER - silent].indexOf(after);
    // And an entry whose week is just over at the newest tick, with a control whose exit is just in time if that is on the hour.
    const opened = after === last - QUARTER;
    const due = edge >= 0 || opened || after === last || after === newest;
    if (!due && (ts % 3600 === 0 ? random.oneIn(30) : !random.oneIn(4))) continue;
    const leaves = leavesAt(random, habits, after);
    for (const symbol of after < newest - silent ? [] : ['S0', 'S1']) delete leaves[symbol];
    if (edge >= 0 && after < newest) leaves[`S${edge}`] = [1000, 90];
    if (opened || after === last) leaves['S2'] = [1000, opened ? 90 : null];
    if (after >= newest - DAY) delete leaves['S3'];
    if (opened || after === last || after === newest) leaves['S3'] = [1000, 10];
    const rule = after < changed ? 0 : 1;
    const open = rules[rule]?.event.open ?? 0;
    const opens = Object.entries(leaves).flatMap(([symbol, [, score]]) =>
      score !== null && score >= open ? [madeOpen(random, symbol, ts, score)] : [],
    );
    ticks.push({ ts, rule, leaves, opens });
  }
  return { rules, ticks, splits: madeSplits(random, habits, days) };
}

/** Two versions; the first is of the type 1 now and then. */
function madeRules(random: Random): readonly ScoreRule[] {
  const receipts = {
    ...CRYPTO_REPLAY_RULE.receipts,
    void_after_s: [0, 1800, 3600, 4 * 3600, DAY][random.below(5)] ?? 0,
  };
  const first = random.oneIn(2);
  return [1, 2].map((version): ScoreRule => {
    const event = { ...CRYPTO_REPLAY_RULE.event, silent: 1 + random.below(24), open: 70 + version };
    const own = { ...CRYPTO_REPLAY_RULE, version, event, receipts };
    return first && version === 1 ? own : { ...own, type: 'assay-score-rule/2', study: 2 };
  });
}

function leavesAt(random: Random, habits: readonly Habit[], after: number): Record<string, Leaf> {
  const leaves: Record<string, Leaf> = {};
  for (const { symbol, holes, away, wild, between } of habits) {
    if ((after >= away[0] && after < away[1]) || random.oneIn(holes)) continue;
    if (between && (START + after) % 3600 === 0) continue;
    const price = wild ? ([1, 2, MOST - 1, MOST][random.below(4)] ?? 1) : 900 + random.below(200);
    const score = random.oneIn(80) ? 70 + random.below(4) : random.below(58);
    leaves[symbol] = [price, random.oneIn(20) ? null : score];
  }
  return leaves;
}

function madeOpen(random: Random, symbol: string, ts: number, score: number): EventOpen {
  const moves = [-1501, -1500, -1499, -500, -499, 0, 499, 500, 1499, 1500, 2999, 3000];
  const [up, down] = [random.below(6), random.below(6)];
  const of = random.oneIn(20) ? 0 : 12 + random.below(20);
  return {
    id: eventId(sha256, symbol, ts),
    symbol,
    class: 'crypto',
    opened_at: formatTime(ts),
    score,
    move_24h: moves[random.below(moves.length)] ?? 0,
    vol_mult: 100,
    breadth: of === 0 ? { up: 0, down: 0, of } : { up, down, of },
    price: SOME_HASH,
    rule: SOME_HASH,
  };
}

/** Every few days of an asset, at a tick of the grid or a second behind one. */
function madeSplits(random: Random, habits: readonly Habit[], days: number): readonly Split[] {
  return habits
    .filter(() => random.oneIn(2))
    .flatMap(({ symbol }) =>
      Array.from({ length: Math.floor(days / 4) }, (_, i) => ({
        symbol,
        effective_at: formatTime(
          START + (i * 4 * 96 + random.below(288)) * QUARTER + random.below(2),
        ),
        numerator: 1 + random.below(10),
        denominator: 1 + random.below(3),
      })),
    )
    .sort((a, b) => (a.effective_at < b.effective_at ? -1 : 1));
}

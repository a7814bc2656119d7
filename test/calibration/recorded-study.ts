import {
  type HorizonReturns,
  type StudyData,
  type StudyEvent,
} from '@assay/core/terminal/study/base-rate';
import { eventId } from '@assay/core/kind/event-id';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { type Horizon, HORIZON_SECONDS } from '@assay/core/kind/horizon';
import { OrdinarySample } from '@assay/core/terminal/study/ordinary-sample';
import { returnBp } from '@assay/core/terminal/score/returns';
import type { HorizonReturn } from '@assay/core/terminal/study/return-statistics';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import type { Ordinary } from '@assay/core/terminal/study/study-blob';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { classTicks, priceAt } from './class-ticks.ts';
import { isScored, type Measured, NONE } from './measured.ts';
import type { RecordedEvent } from './events.ts';

/** An asset with where its ticks are found: position of the first tick at or after a count of the grid. */
class Ticks {
  readonly asset: Measured;
  readonly #first: number;
  readonly #next: Int32Array;

  constructor(asset: Measured) {
    this.asset = asset;
    this.#first = asset.index[0] as number;
    const last = asset.index[asset.size - 1] as number;
    this.#next = new Int32Array(last - this.#first + 1);
    for (let at = 0, i = 0; i < this.#next.length; i += 1) {
      if ((asset.index[at] as number) < this.#first + i) at += 1;
      this.#next[i] = at;
    }
  }

  /** Undefined where there is none within `limit` counts, `limit` included. */
  from(index: number, limit: number): number | undefined {
    const at = index < this.#first ? 0 : this.#next[index - this.#first];
    return at !== undefined && (this.asset.index[at] as number) <= index + limit ? at : undefined;
  }
}

/** The opening of a recorded event, or of one that was moved to another time. */
export interface RecordedOpening {
  readonly asset: Measured;
  /** A count of the grid at which the asset has a tick. */
  readonly index: number;
  /** Basis points. */
  readonly move: number | null;
  readonly breadth: StudyEvent['breadth'];
}

/** The openings of recorded events, with how broad their moves were among `assets`. */
export function recordedOpenings(
  assets: readonly Measured[],
  events: readonly RecordedEvent[],
): readonly RecordedOpening[] {
  const ticks = assets.map((asset) => new Ticks(asset));
  return events.map(({ asset, at }) => {
    const index = asset.index[at] as number;
    const move = asset.move[at] as number;
    return {
      asset,
      index,
      move: move === NONE ? null : move,
      breadth: breadthAt(ticks, index),
    };
  });
}

/** What a study of recorded events rests on, against the recorded benchmark. It is of no log: its range says nothing. */
export function recordedData(
  assets: readonly Measured[],
  events: readonly RecordedEvent[],
  rule: ScoreRule,
): StudyData {
  const closed = events.filter(({ lasted }) => lasted !== null);
  return {
    ...openingsData(assets, recordedOpenings(assets, closed), rule),
    ordinary: ordinaryMoments(assets, recordedOpenings(assets, events), rule),
  };
}

/** The same of openings at any time. */
export function openingsData(
  assets: readonly Measured[],
  openings: readonly RecordedOpening[],
  rule: ScoreRule,
): StudyData {
  const ticks = new Map(assets.map((asset) => [asset.symbol, new Ticks(asset)]));
  const benchmark = ticks.get(rule.receipts.benchmark);
  const returns = ({ asset, index }: RecordedOpening): HorizonReturns => {
    const own = ticks.get(asset.symbol) as Ticks;
    const at = own.from(index, 0) as number;
    const after = (horizon: Horizon): HorizonReturn =>
      returnsAfter(own, benchmark, at, horizon, rule);
    return { '1d': after('24h'), '7d': after('7d'), '30d': after('30d') };
  };
  return {
    class: rule.class,
    rule: scoreRuleHash(nodeSha256, rule),
    from: 0,
    to: 1,
    events: openings.map((opening): StudyEvent => {
      const { symbol } = opening.asset;
      const openedAt = opening.index * GRID_SECONDS;
      return {
        id: eventId(nodeSha256, symbol, openedAt),
        symbol,
        opened_at: openedAt,
        move_24h: opening.move,
        breadth: opening.breadth,
        returns: returns(opening),
      };
    }),
    ordinary: ordinaryMoments(assets, openings, rule),
  };
}

/** What receipt and benchmark of `horizon` would say of an event that opened at `at`. */
function returnsAfter(
  own: Ticks,
  benchmark: Ticks | undefined,
  at: number,
  horizon: Horizon,
  { receipts }: ScoreRule,
): HorizonReturn {
  const { asset } = own;
  const opened = asset.index[at] as number;
  const due = opened + HORIZON_SECONDS[horizon] / GRID_SECONDS;
  const then = own.from(due, receipts.void_after_s / GRID_SECONDS);
  if (then === undefined) return { ret: null, benchmark: null };
  const ret = returnBp(asset.price[at] as number, asset.price[then] as number);
  const tolerance = receipts.benchmark_tolerance_s / GRID_SECONDS;
  const from = benchmark?.from(opened, tolerance);
  const to = benchmark?.from(asset.index[then] as number, tolerance);
  if (benchmark === undefined || own === benchmark || from === undefined || to === undefined) {
    return { ret, benchmark: null };
  }
  const { price } = benchmark.asset;
  return { ret, benchmark: returnBp(price[from] as number, price[to] as number) };
}

function breadthAt(assets: readonly Ticks[], index: number): StudyEvent['breadth'] {
  const moves = assets.flatMap((ticks) => {
    const at = ticks.from(index, 0);
    const move = at === undefined ? NONE : (ticks.asset.move[at] as number);
    return move === NONE ? [] : [move];
  });
  return {
    up: moves.filter((move) => move >= 500).length,
    down: moves.filter((move) => move <= -500).length,
    of: moves.length,
  };
}

/** The ordinary moments of the recorded ticks, which are all good. */
function ordinaryMoments(
  assets: readonly Measured[],
  openings: readonly RecordedOpening[],
  rule: ScoreRule,
): Ordinary {
  const sample = new OrdinarySample(rule);
  const opened = byIndex(openings);
  for (const { index, good } of classTicks(assets)) {
    sample.step({
      ts: index * GRID_SECONDS,
      index,
      good,
      scored: () =>
        [...good].flatMap(([symbol, { asset, at }]) => (isScored(asset, at) ? symbol : [])),
      price: (symbol) => priceAt(good, symbol),
    });
    for (const { asset } of opened.get(index) ?? [])
      sample.event(asset.symbol, index * GRID_SECONDS);
  }
  return sample.end();
}

/** The openings at each count of the grid. */
export function byIndex(
  openings: readonly RecordedOpening[],
): ReadonlyMap<number, readonly RecordedOpening[]> {
  const all = new Map<number, RecordedOpening[]>();
  for (const opening of openings) {
    const known = all.get(opening.index);
    if (known === undefined) all.set(opening.index, [opening]);
    else known.push(opening);
  }
  return all;
}

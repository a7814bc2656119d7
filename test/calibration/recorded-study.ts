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

/** What a study of recorded events rests on, against the recorded benchmark. It is of no log: its range says nothing. */
export function recordedData(
  assets: readonly Measured[],
  events: readonly RecordedEvent[],
  rule: ScoreRule,
): StudyData {
  const ticks = new Map(assets.map((asset) => [asset.symbol, new Ticks(asset)]));
  const benchmark = ticks.get(rule.receipts.benchmark);
  const returns = (asset: Measured, at: number): HorizonReturns => {
    const own = ticks.get(asset.symbol) as Ticks;
    const after = (horizon: Horizon): HorizonReturn =>
      returnsAfter(own, benchmark, at, horizon, rule);
    return { '1d': after('24h'), '7d': after('7d'), '30d': after('30d') };
  };
  const closed = events.filter(({ lasted }) => lasted !== null);
  return {
    class: rule.class,
    rule: scoreRuleHash(nodeSha256, rule),
    from: 0,
    to: 1,
    events: closed.map(({ asset, at }): StudyEvent => {
      const index = asset.index[at] as number;
      const move = asset.move[at] as number;
      return {
        id: eventId(nodeSha256, asset.symbol, index * GRID_SECONDS),
        symbol: asset.symbol,
        opened_at: index * GRID_SECONDS,
        move_24h: move === NONE ? null : move,
        breadth: breadthAt([...ticks.values()], index),
        returns: returns(asset, at),
      };
    }),
    ordinary: ordinaryMoments(assets, events, rule),
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
  events: readonly RecordedEvent[],
  rule: ScoreRule,
): Ordinary {
  const sample = new OrdinarySample(rule);
  const opened = new Map<number, string[]>();
  for (const { asset, at } of events) {
    const index = asset.index[at] as number;
    opened.set(index, [...(opened.get(index) ?? []), asset.symbol]);
  }
  const places = assets.map((asset) => ({ asset, at: 0 }));
  for (;;) {
    const next = places.flatMap(({ asset, at }) => (at < asset.size ? [asset.index[at] ?? 0] : []));
    if (next.length === 0) return sample.end();
    const index = Math.min(...next);
    const good = new Map<string, number>();
    const scored: string[] = [];
    for (const place of places) {
      const { asset, at } = place;
      if (at === asset.size || asset.index[at] !== index) continue;
      good.set(asset.symbol, asset.price[at] as number);
      if (isScored(asset, at)) scored.push(asset.symbol);
      place.at = at + 1;
    }
    sample.step({
      ts: index * GRID_SECONDS,
      index,
      good,
      scored: () => scored,
      price: (symbol) => good.get(symbol) as number,
    });
    for (const symbol of opened.get(index) ?? []) sample.event(symbol, index * GRID_SECONDS);
  }
}

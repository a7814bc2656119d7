import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { returnBp } from '@assay/core/terminal/score/returns';
import { parseTime } from '@assay/core/time/time';
import { type SplitRow, splitsOf } from '@assay/core/view/splits';
import type { ViewState } from '@assay/core/view/view';
import { hundredths } from '@assay/core/answer/terminal/terminal-event';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';

/** What a move is computed from: whether a tick was good, and its price where that is still stored. */
export interface PricedTick {
  readonly good: boolean;
  readonly units: number | undefined;
  /** The source of the price, where its terms do not allow that the price is shown. */
  readonly hidden: string | undefined;
}

/** A move in percent; none; or one that is not shown, because a price of it is no longer stored or is of sources that are not shown. */
export type Move = number | null | 'not_stored' | { readonly hidden: readonly string[] };

/**
 * The moves of one asset over the long return of its rule (docs/spec/score.md), from ticks that are added in their order. A move whose
 * first tick was thinned, or has the price of a source that is not shown, is not shown, and never taken from another tick than the rule's.
 */
export class DayMoves {
  readonly #rule: ScoreRule;
  readonly #grid: TickGrid;
  readonly #splits: readonly SplitRow[];
  readonly #ticks = new Map<number, PricedTick>();

  constructor(state: ViewState, symbol: string, rule: ScoreRule, grid: TickGrid) {
    this.#rule = rule;
    this.#grid = grid;
    this.#splits = splitsOf(state, symbol);
  }

  /** The time of the first tick that must be added for the move to the tick at `ts` to be known (unix seconds). */
  static firstTick({ returns }: ScoreRule, grid: TickGrid, ts: number): number {
    const index = grid.indexOf(ts) ?? 0;
    return grid.timeOf(Math.max(0, index - returns.long - returns.tolerance));
  }

  /**
   * The move to this tick, in percent with two decimals; null where it has none. Otherwise why it is not shown: a price with a move tells
   * the other price, so both have to be stored and of sources that are shown.
   */
  add(ts: number, tick: PricedTick): Move {
    const index = this.#grid.indexOf(ts);
    if (index === undefined) return null;
    this.#ticks.set(index, tick);
    const reach = index - this.#rule.returns.long - this.#rule.returns.tolerance;
    for (const known of this.#ticks.keys()) {
      if (known >= reach) break;
      this.#ticks.delete(known);
    }
    if (!tick.good) return null;
    const from = this.#from(index);
    if (from === undefined) return null;
    const before = this.#ticks.get(from);
    const first = before?.units;
    if (tick.units === undefined || first === undefined) return 'not_stored';
    const hidden = [before?.hidden, tick.hidden].filter((source) => source !== undefined);
    if (hidden.length > 0) return { hidden };
    const since = this.#grid.timeOf(from);
    const splits = this.#splits.filter(({ effective_at }) => {
      const at = parseTime(effective_at);
      return at > since && at <= ts;
    });
    return hundredths(returnBp(first, tick.units, splits));
  }

  /** The good tick at which the return begins: at that distance, else the nearest before it, else the nearest after it. */
  #from(index: number): number | undefined {
    const { long, tolerance } = this.#rule.returns;
    const wanted = index - long;
    for (let away = 0; away <= tolerance; away += 1) {
      if (this.#ticks.get(wanted - away)?.good === true) return wanted - away;
    }
    for (let away = 1; away <= tolerance; away += 1) {
      if (this.#ticks.get(wanted + away)?.good === true) return wanted + away;
    }
    return undefined;
  }
}

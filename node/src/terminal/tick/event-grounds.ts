import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';

/** Whether an asset's tick at a count of the grid is good, according to its leaf. */
export type IsGood = (index: number, symbol: string) => boolean;

/** An event's opening: its asset, and the count of its tick. */
export interface Opening {
  readonly symbol: string;
  readonly index: number;
}

/**
 * The readings that the openings of a class's events depend on, so that each of their fields can be computed
 * again: of all assets both ends of the long return (`move_24h`, `breadth`), and of the event's own asset the
 * volumes of `vol_mult` and every return that its score is compared with (docs/spec/score.md).
 */
export class EventGrounds {
  readonly #rule: ScoreRule;
  readonly #openings = new Set<number>();
  readonly #own = new Map<string, number[]>();

  constructor(rule: ScoreRule, openings: Iterable<Opening>) {
    this.#rule = rule;
    for (const { symbol, index } of openings) {
      this.#openings.add(index);
      const own = this.#own.get(symbol);
      if (own === undefined) this.#own.set(symbol, [index]);
      else own.push(index);
    }
  }

  /** Whether an opening depends on the asset's reading at a count. */
  has(index: number, symbol: string, isGood: IsGood): boolean {
    const { returns, volume } = this.#rule;
    const { long, short, sample, window } = returns;
    if (this.#openings.has(index)) return true;
    const isOpening = (at: number): boolean => this.#openings.has(at);
    if (this.#begins(index, symbol, long, isOpening, isGood)) return true;
    const own = this.#own.get(symbol);
    if (own === undefined) return false;
    const { day, days } = volume;
    for (const opened of own) {
      const before = opened - index;
      if (before >= 0 && before <= day * days && before % day === 0) return true;
    }
    const isSample = (at: number): boolean =>
      at % sample === 0 && own.some((opened) => at < opened && at >= opened - window);
    if (isSample(index)) return true;
    const isEnd = (at: number): boolean => own.includes(at) || isSample(at);
    return (
      this.#begins(index, symbol, long, isEnd, isGood) ||
      this.#begins(index, symbol, short, isEnd, isGood)
    );
  }

  /**
   * Whether a return over `width` to a tick that `isEnd` accepts may begin here: next to its place only if the
   * tick there is not good.
   */
  #begins(
    index: number,
    symbol: string,
    width: number,
    isEnd: (at: number) => boolean,
    isGood: IsGood,
  ): boolean {
    if (isEnd(index + width)) return true;
    const { tolerance } = this.#rule.returns;
    for (let away = 1; away <= tolerance; away += 1) {
      for (const place of [index + away, index - away]) {
        if (isEnd(place + width) && !isGood(place, symbol)) return true;
      }
    }
    return false;
  }
}

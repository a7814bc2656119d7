import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';

/** Which of an asset's figures at a tick depend only on openings that are available. */
export interface Covered {
  readonly move: boolean;
  readonly volume: boolean;
  /** The two returns, the samples that they are compared with, and the volume. */
  readonly score: boolean;
}

const NONE = 0;
const OPEN = 1;
const CLOSED = 2;
const NOTHING: Covered = { move: false, volume: false, score: false };

/**
 * Which of an asset's scores follow from the readings that are open, if others were good but are not open: a
 * reading that a figure does not depend on may be missing (docs/spec/score.md). The rule's windows bound its
 * memory. What is before count `since` is not known to it.
 */
export class ScoreCoverage {
  readonly #rule: ScoreRule;
  readonly #since: number;
  /** By count of the grid: what is known of the good tick there. */
  readonly #ticks: Uint8Array;
  /** Samples that are not known, oldest first. */
  #unknown: number[] = [];
  #last: number | undefined;

  constructor(rule: ScoreRule, since = 0) {
    const { returns, volume } = rule;
    this.#rule = rule;
    this.#since = since;
    this.#ticks = new Uint8Array(
      Math.max(returns.long + returns.tolerance, volume.day * volume.days) + 1,
    );
  }

  /**
   * Takes the asset's next good tick, at `index` of the grid, with whether its reading is open. Returns what
   * follows there.
   */
  take(index: number, isOpen: boolean): Covered {
    const ring = this.#ticks;
    const last = this.#last ?? index;
    if (index - last > ring.length) ring.fill(NONE);
    else for (let i = last + 1; i < index; i += 1) ring[i % ring.length] = NONE;
    ring[index % ring.length] = isOpen ? OPEN : CLOSED;
    this.#last = index;
    const { returns } = this.#rule;
    const from = index - returns.window;
    this.#unknown = this.#unknown.filter((at) => at >= from);
    const [long, short] = [this.#begins(index, returns.long), this.#begins(index, returns.short)];
    const samples = this.#unknown.length === 0 && Math.max(0, from) >= this.#since;
    if (index % returns.sample === 0 && !(isOpen && long && short)) this.#unknown.push(index);
    if (!isOpen) return NOTHING;
    const volume = this.#volumes(index);
    return { move: long, volume, score: long && short && samples && volume };
  }

  /** Whether it is known where a return over `width` begins, or that it has no beginning. */
  #begins(index: number, width: number): boolean {
    const wanted = index - width;
    const { tolerance } = this.#rule.returns;
    for (let away = 0; away <= tolerance; away += 1) {
      const found = this.#at(wanted - away);
      if (found !== NONE) return found === OPEN;
    }
    for (let away = 1; away <= tolerance; away += 1) {
      const found = this.#at(wanted + away);
      if (found !== NONE) return found === OPEN;
    }
    return true;
  }

  #volumes(index: number): boolean {
    const { day, days } = this.#rule.volume;
    for (let k = 1; k <= days; k += 1) if (this.#at(index - k * day) === CLOSED) return false;
    return true;
  }

  #at(index: number): number {
    if (index < 0) return NONE;
    return index < this.#since ? CLOSED : (this.#ticks[index % this.#ticks.length] as number);
  }
}

import { MAX_SCORE_REACH, type ScoreRule } from '@assay/core/terminal/rule/score-rule';

/** Bits in a word of the bit set. */
const WORD = 32;

/** What the history of an asset knows between two ticks. */
export interface KeptHistory {
  /** By which ticks are evaluated. */
  rule: ScoreRule;
  readonly bits: Uint32Array;
  /** Samples of the two returns that are kept. */
  long: number;
  short: number;
  /** The lowest index that may be a kept sample. */
  from: number;
  last: number;
}

/**
 * At which ticks an asset was good, as far back as the windows of any rule reach, in one bit for each tick. It decides
 * what public leaves show about whether there is a return and whether there can be a score (docs/spec/score.md, steps
 * 1, 2 and 4). Indexes count the ticks of the grid, and rise.
 */
export class LeafHistory {
  #state: KeptHistory;

  constructor(rule: ScoreRule) {
    const bits = new Uint32Array(Math.ceil(MAX_SCORE_REACH / WORD) + 2);
    this.#state = { rule, bits, long: 0, short: 0, from: 0, last: -1 };
  }

  /** What a history needs to go on in the place of this one. It changes with the next tick. */
  get kept(): KeptHistory {
    return this.#state;
  }

  /** Goes on as the history that was kept. Call it before the first tick. */
  resume(kept: KeptHistory): void {
    this.#state = kept;
  }

  /** Evaluates the ticks that follow by the windows of another version, over the ticks that were. */
  under(rule: ScoreRule): void {
    const state = this.#state;
    const before = state.rule.returns;
    state.rule = rule;
    const { long, short, tolerance, sample, window } = rule.returns;
    const isSame =
      long === before.long &&
      short === before.short &&
      tolerance === before.tolerance &&
      sample === before.sample &&
      window === before.window;
    if (isSame) return;
    [state.long, state.short] = [0, 0];
    state.from = Math.max(0, state.last - window);
    for (let at = Math.ceil(state.from / sample) * sample; at <= state.last; at += sample) {
      this.#count(at, 1);
    }
  }

  /** Adds the good tick at `index`, which must be after the last one. */
  add(index: number): void {
    const state = this.#state;
    const { sample, window } = state.rule.returns;
    if (state.last < 0 || index - state.last > window) {
      [state.long, state.short] = [0, 0];
      state.from = index;
    }
    const start = index - window;
    for (let at = Math.ceil(state.from / sample) * sample; at < start; at += sample) {
      this.#count(at, -1);
      state.from = at + 1;
    }
    this.#advance(index);
    const word = this.#wordOf(index);
    state.bits[word] = (state.bits[word] as number) | (1 << (index % WORD));
  }

  /** Makes the last tick that was added a sample for those after it. */
  settle(): void {
    const { last, rule } = this.#state;
    if (last % rule.returns.sample === 0) this.#count(last, 1);
  }

  /** The good tick at which the long return of the last one begins. */
  get longFrom(): number | undefined {
    const { last, rule } = this.#state;
    return this.#before(last, rule.returns.long);
  }

  /** Why the last tick that was added can have no score; undefined where it can. For use between `add` and `settle`. */
  get lack(): string | undefined {
    const { rule, long, short, last } = this.#state;
    const { returns, volume } = rule;
    for (const [name, width, samples] of [
      ['long', returns.long, long],
      ['short', returns.short, short],
    ] as const) {
      if (this.#before(last, width) === undefined) return `no ${name} return`;
      if (samples < returns.min_samples) return `${samples} samples of the ${name} return`;
    }
    let days = 0;
    for (let k = 1; k <= volume.days && days < volume.min_days; k += 1) {
      if (this.#good(last - k * volume.day)) days += 1;
    }
    return days < volume.min_days ? `${days} days of volume` : undefined;
  }

  #wordOf(index: number): number {
    return Math.floor(index / WORD) % this.#state.bits.length;
  }

  /** Clears the bits between the last index and this one. */
  #advance(index: number): void {
    const { bits, last } = this.#state;
    const [from, to] = [Math.floor(last / WORD), Math.floor(index / WORD)];
    if (to - from >= bits.length) bits.fill(0);
    else for (let word = from + 1; word <= to; word += 1) bits[word % bits.length] = 0;
    this.#state.last = index;
  }

  #good(index: number): boolean {
    return (
      index >= 0 &&
      ((this.#state.bits[this.#wordOf(index)] as number) & (1 << (index % WORD))) !== 0
    );
  }

  #count(index: number, by: number): void {
    if (!this.#good(index)) return;
    const { long, short } = this.#state.rule.returns;
    if (this.#before(index, long) !== undefined) this.#state.long += by;
    if (this.#before(index, short) !== undefined) this.#state.short += by;
  }

  /**
   * Where a return over `width` begins: at that tick, else at the nearest good one before it, else at the nearest after
   * it.
   */
  #before(index: number, width: number): number | undefined {
    const wanted = index - width;
    const { tolerance } = this.#state.rule.returns;
    for (let away = 0; away <= tolerance; away += 1) {
      if (this.#good(wanted - away)) return wanted - away;
    }
    for (let away = 1; away <= tolerance; away += 1) {
      if (this.#good(wanted + away)) return wanted + away;
    }
    return undefined;
  }
}

import { MAX_SCORE_REACH, type ScoreRule } from '@assay/core/terminal/rule/score-rule';

/** Bits in a word of the bit set. */
const WORD = 32;

/**
 * At which ticks an asset was good, as far back as the windows of any rule reach, in one bit for each tick. It decides
 * what public leaves show about whether there is a return and whether there can be a score (docs/spec/score.md, steps
 * 1, 2 and 4). Indexes count the ticks of the grid, and rise.
 */
export class LeafHistory {
  #rule: ScoreRule;
  readonly #bits: Uint32Array = new Uint32Array(Math.ceil(MAX_SCORE_REACH / WORD) + 2);
  /** Samples of the two returns that are kept. */
  #long = 0;
  #short = 0;
  /** The lowest index that may be a kept sample. */
  #from = 0;
  #last = -1;

  constructor(rule: ScoreRule) {
    this.#rule = rule;
  }

  /** Evaluates the ticks that follow by the windows of another version, over the ticks that were. */
  under(rule: ScoreRule): void {
    const before = this.#rule.returns;
    this.#rule = rule;
    const { long, short, tolerance, sample, window } = rule.returns;
    const isSame =
      long === before.long &&
      short === before.short &&
      tolerance === before.tolerance &&
      sample === before.sample &&
      window === before.window;
    if (isSame) return;
    [this.#long, this.#short] = [0, 0];
    this.#from = Math.max(0, this.#last - window);
    for (let at = Math.ceil(this.#from / sample) * sample; at <= this.#last; at += sample) {
      this.#count(at, 1);
    }
  }

  /** Adds the good tick at `index`, which must be after the last one. */
  add(index: number): void {
    const { sample, window } = this.#rule.returns;
    if (this.#last < 0 || index - this.#last > window) {
      [this.#long, this.#short] = [0, 0];
      this.#from = index;
    }
    const start = index - window;
    for (let at = Math.ceil(this.#from / sample) * sample; at < start; at += sample) {
      this.#count(at, -1);
      this.#from = at + 1;
    }
    this.#advance(index);
    const word = this.#wordOf(index);
    this.#bits[word] = (this.#bits[word] as number) | (1 << (index % WORD));
  }

  /** Makes the last tick that was added a sample for those after it. */
  settle(): void {
    if (this.#last % this.#rule.returns.sample === 0) this.#count(this.#last, 1);
  }

  /** The good tick at which the long return of the last one begins. */
  get longFrom(): number | undefined {
    return this.#before(this.#last, this.#rule.returns.long);
  }

  /** Why the last tick that was added can have no score; undefined where it can. For use between `add` and `settle`. */
  get lack(): string | undefined {
    const { returns, volume } = this.#rule;
    for (const [name, width, samples] of [
      ['long', returns.long, this.#long],
      ['short', returns.short, this.#short],
    ] as const) {
      if (this.#before(this.#last, width) === undefined) return `no ${name} return`;
      if (samples < returns.min_samples) return `${samples} samples of the ${name} return`;
    }
    let days = 0;
    for (let k = 1; k <= volume.days && days < volume.min_days; k += 1) {
      if (this.#good(this.#last - k * volume.day)) days += 1;
    }
    return days < volume.min_days ? `${days} days of volume` : undefined;
  }

  #wordOf(index: number): number {
    return Math.floor(index / WORD) % this.#bits.length;
  }

  /** Clears the bits between the last index and this one. */
  #advance(index: number): void {
    const [from, to] = [Math.floor(this.#last / WORD), Math.floor(index / WORD)];
    if (to - from >= this.#bits.length) this.#bits.fill(0);
    else for (let word = from + 1; word <= to; word += 1) this.#bits[word % this.#bits.length] = 0;
    this.#last = index;
  }

  #good(index: number): boolean {
    return (
      index >= 0 && ((this.#bits[this.#wordOf(index)] as number) & (1 << (index % WORD))) !== 0
    );
  }

  #count(index: number, by: number): void {
    if (!this.#good(index)) return;
    const { long, short } = this.#rule.returns;
    if (this.#before(index, long) !== undefined) this.#long += by;
    if (this.#before(index, short) !== undefined) this.#short += by;
  }

  /**
   * Where a return over `width` begins: at that tick, else at the nearest good one before it, else at the nearest after
   * it.
   */
  #before(index: number, width: number): number | undefined {
    const wanted = index - width;
    const { tolerance } = this.#rule.returns;
    for (let away = 0; away <= tolerance; away += 1) {
      if (this.#good(wanted - away)) return wanted - away;
    }
    for (let away = 1; away <= tolerance; away += 1) {
      if (this.#good(wanted + away)) return wanted + away;
    }
    return undefined;
  }
}

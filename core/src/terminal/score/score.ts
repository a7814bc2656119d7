import { Fault } from '../../fault.ts';
import { returnBp, scaledReturn, type SplitFactor } from './returns.ts';
import { MAX_RETURN_PPM, ReturnWindow } from './return-window.ts';
import { scaleRounded } from '../../number/scaled.ts';
import type { ScoreRule } from '../rule/score-rule.ts';
import { scoreWeigher, type Weigher } from './score-weigher.ts';

const PPM = 1_000_000;

/** The values of an asset at a good tick. */
export interface Reading {
  /** Units of the asset's price, 1 to 2^53 - 1. */
  readonly price: number;
  /** Whole units of the quote currency over a day, 0 to 2^53 - 1. */
  readonly volume: number | null;
}

/** The activity of an asset at a tick; null where the history before it is too short. */
export interface Scored {
  /** 0 to 100. */
  readonly score: number | null;
  /** Basis points over the long return of the rule. */
  readonly move: number | null;
  /** The volume divided by its usual value, in hundredths; at most 2^53 - 1. */
  readonly volMult: number | null;
  /** Robust deviations of the long and the short return, in thousandths. */
  readonly zLong: number | null;
  readonly zShort: number | null;
}

/**
 * Scores one asset's good ticks in their order (docs/spec/score.md). It uses integers only, each rounded half
 * away from zero, so that the same readings have the same scores on any machine. The windows of the rule bound
 * its memory.
 */
export class ScoreSeries {
  readonly #rule: ScoreRule;
  readonly #prices: Float64Array;
  readonly #volumes: Float64Array;
  readonly #long: ReturnWindow;
  readonly #short: ReturnWindow;
  readonly #weigh: Weigher;
  /** Splits within the reach of a return, oldest first. */
  #splits: readonly SplitAt[] = [];
  #last: number | undefined;

  constructor(rule: ScoreRule) {
    const { returns, volume } = rule;
    this.#rule = rule;
    this.#prices = new Float64Array(returns.long + returns.tolerance + 1);
    this.#volumes = new Float64Array(volume.day * volume.days + 1).fill(NONE);
    this.#long = new ReturnWindow(rule, rule.scale.floor_long);
    this.#short = new ReturnWindow(rule, rule.scale.floor_short);
    this.#weigh = scoreWeigher(rule.parts);
  }

  /**
   * Readings from `index` on count split shares, and returns across it are those of a holder. Call it before
   * the first reading at or after `index`. Throws `out_of_range` otherwise.
   */
  split(index: number, factor: SplitFactor): void {
    if (this.#last !== undefined && index <= this.#last) throw late('a split', this.#last, index);
    this.#splits = [...this.#splits, { index, factor }].sort((a, b) => a.index - b.index);
  }

  /**
   * Scores the good tick at `index` of the class's grid. Throws `out_of_range` for a tick that is not after the
   * last.
   */
  add(index: number, { price, volume }: Reading): Scored {
    if (this.#last !== undefined && index <= this.#last) throw late('a tick', this.#last, index);
    this.#keep(index, price, volume);
    const { returns } = this.#rule;
    const from = this.#before(index, returns.long);
    const move = from === undefined ? null : returnBp(this.#at(from), price, this.#since(from));
    const zLong = this.#long.take(index, this.#returned(from, price));
    const zShort = this.#short.take(
      index,
      this.#returned(this.#before(index, returns.short), price),
    );
    const volMult = volume === null ? null : this.#multiple(index, volume);
    const whole = zLong !== null && zShort !== null && volMult !== null;
    return {
      score: whole ? this.#weigh(zLong, volMult, zShort) : null,
      move,
      volMult,
      zLong,
      zShort,
    };
  }

  #keep(index: number, price: number, volume: number | null): void {
    const last = this.#last ?? index - 1;
    blank(this.#prices, last, index, 0);
    blank(this.#volumes, last, index, NONE);
    this.#prices[index % this.#prices.length] = price;
    this.#volumes[index % this.#volumes.length] = volume ?? NONE;
    this.#last = index;
    const reach = index - this.#prices.length + 1;
    if (this.#splits.length > 0) this.#splits = this.#splits.filter((each) => each.index > reach);
  }

  #at(index: number): number {
    return this.#prices[index % this.#prices.length] as number;
  }

  /**
   * The good tick at which a return over `width` begins: at exactly that distance, otherwise the nearest before
   * it, otherwise the nearest after it.
   */
  #before(index: number, width: number): number | undefined {
    const wanted = index - width;
    const { tolerance } = this.#rule.returns;
    for (let away = 0; away <= tolerance && wanted >= away; away += 1) {
      if (this.#at(wanted - away) > 0) return wanted - away;
    }
    for (let away = 1; away <= tolerance; away += 1) {
      if (wanted + away >= 0 && this.#at(wanted + away) > 0) return wanted + away;
    }
    return undefined;
  }

  #returned(from: number | undefined, price: number): number | undefined {
    if (from === undefined) return undefined;
    const ppm = scaledReturn(PPM, this.#at(from), price, this.#since(from));
    return Math.min(ppm, MAX_RETURN_PPM);
  }

  /** The splits after `from` up to the last reading. */
  #since(from: number): readonly SplitFactor[] {
    if (this.#splits.length === 0) return NO_SPLITS;
    const last = this.#last as number;
    return this.#splits.flatMap(({ index, factor }) =>
      index > from && index <= last ? [factor] : [],
    );
  }

  #multiple(index: number, volume: number): number | null {
    const { day, days, min_days } = this.#rule.volume;
    const kept = this.#volumes;
    let count = 0;
    let sum = 0;
    let slot = index % kept.length;
    for (let k = 1; k <= days; k += 1) {
      slot -= day;
      if (slot < 0) slot += kept.length;
      const value = kept[slot] as number;
      if (value === NONE) continue;
      count += 1;
      sum += value;
    }
    if (count < min_days || sum === 0) return null;
    // If a double holds a sum of integers below 2^53, nothing was rounded on the way.
    if (sum > Number.MAX_SAFE_INTEGER) return this.#multipleWide(index, volume);
    return Math.min(scaleRounded(100 * count, volume, sum), Number.MAX_SAFE_INTEGER);
  }

  #multipleWide(index: number, volume: number): number {
    const { day, days } = this.#rule.volume;
    let count = 0n;
    let sum = 0n;
    for (let k = 1; k <= days && k * day <= index; k += 1) {
      const value = this.#volumes[(index - k * day) % this.#volumes.length] as number;
      if (value === NONE) continue;
      count += 1n;
      sum += BigInt(value);
    }
    return Number((200n * count * BigInt(volume) + sum) / (2n * sum));
  }
}

interface SplitAt {
  readonly index: number;
  readonly factor: SplitFactor;
}

const NO_SPLITS: readonly SplitFactor[] = [];

/** Marks a tick without a volume, because 0 is a volume. */
const NONE = -1;

/** Clears the slots of a ring between two indexes, excluding both. */
function blank(ring: Float64Array, last: number, index: number, none: number): void {
  if (index - last > ring.length) ring.fill(none);
  else for (let i = last + 1; i < index; i += 1) ring[i % ring.length] = none;
}

function late(what: string, last: number, index: number): Fault {
  return new Fault('out_of_range', 'score series', {
    expected: `${what} after index ${last}`,
    found: String(index),
  });
}

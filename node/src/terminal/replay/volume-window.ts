import type { FileDecimal } from './file-decimal.ts';

/**
 * The most decimals of price and volume together, so that the fractions of a window add up exactly in a double.
 */
export const MAX_PRODUCT_DECIMALS = 12;

/**
 * The exact quote volume over the last `size` counts of a grid: the sum of price times volume, each a whole
 * number of its unit, rounded once to whole quote units, half away from zero. Wholes and fractions are added
 * separately, so that doubles hold both; a product above 2^53 is split with BigInt. `dayVolume` says for which
 * files that is exact.
 */
export class VolumeWindow {
  readonly #priceDecimals: number;
  readonly #volumeDecimals: number;
  readonly #size: number;
  readonly #least: number;
  /** Product units in one quote unit. */
  readonly #scale: number;
  readonly #wholes: Float64Array;
  readonly #fractions: Float64Array;
  /** The count in each place; -1 for none. */
  readonly #held: Float64Array;
  #whole = 0;
  #fraction = 0;
  #rows = 0;
  #last = -1;

  /** `size` is at most 1000. */
  constructor(priceDecimals: number, volumeDecimals: number, size: number, least: number) {
    this.#priceDecimals = priceDecimals;
    this.#volumeDecimals = volumeDecimals;
    this.#size = size;
    this.#least = least;
    this.#scale = 10 ** (priceDecimals + volumeDecimals);
    this.#wholes = new Float64Array(size);
    this.#fractions = new Float64Array(size);
    this.#held = new Float64Array(size).fill(-1);
  }

  /** Adds the row of a count, which is above the one before. */
  add(index: number, close: FileDecimal, base: FileDecimal): void {
    const price = unitsOf(close, this.#priceDecimals);
    const volume = unitsOf(base, this.#volumeDecimals);
    const size = this.#size;
    // What left the window since the last row; after a gap as long as the window, all of it.
    const from = Math.max(this.#last + 1, index - size + 1);
    for (let each = from; each <= index; each += 1) this.#drop(each % size);
    this.#last = index;
    const scale = this.#scale;
    const product = price * volume;
    let whole: number;
    let fraction: number;
    if (product <= Number.MAX_SAFE_INTEGER) {
      fraction = product % scale;
      whole = (product - fraction) / scale;
    } else {
      const exact = BigInt(price) * BigInt(volume);
      whole = Number(exact / BigInt(scale));
      fraction = Number(exact % BigInt(scale));
    }
    const place = index % size;
    this.#held[place] = index;
    this.#wholes[place] = whole;
    this.#fractions[place] = fraction;
    this.#whole += whole;
    this.#fraction += fraction;
    this.#rows += 1;
  }

  /** Whole quote units over the window that ends with the newest row; null if too few of its rows are there. */
  get value(): number | null {
    if (this.#rows < this.#least) return null;
    const scale = this.#scale;
    const rest = this.#fraction % scale;
    const whole = this.#whole + (this.#fraction - rest) / scale;
    return 2 * rest >= scale ? whole + 1 : whole;
  }

  #drop(place: number): void {
    if ((this.#held[place] as number) < 0) return;
    this.#held[place] = -1;
    this.#whole -= this.#wholes[place] as number;
    this.#fraction -= this.#fractions[place] as number;
    this.#rows -= 1;
  }
}

/** In units of 10^-`decimals`, of which it has no more. */
function unitsOf({ digits, decimals: own }: FileDecimal, decimals: number): number {
  return own === decimals ? Number(digits) : Number(digits) * 10 ** (decimals - own);
}

import { MAX_PRICE_DECIMALS } from '@assay/core/kind/asset';
import { priceUnits } from '@assay/core/terminal/tick/price-units';
import { type FileDecimal, formatFileDecimal, roughly } from './file-decimal.ts';

/**
 * The fewest units of a close above 0 in a file whose closes are rounded: rounding then changes it by at most
 * half a basis point.
 */
export const LEAST_UNITS = 10_000;

/**
 * The decimals of an asset, from the closes of its file: the most of any close, but at most 18, and at most as
 * many as leave the highest close below 2^53 units.
 */
export class PriceDecimals {
  #most = 0;
  #room = MAX_PRICE_DECIMALS;
  /** A close below this surely has room. */
  #sure = sureBelow(MAX_PRICE_DECIMALS);

  /** Adds a close, which is a price. */
  take(close: FileDecimal): void {
    if (close.decimals > this.#most) this.#most = close.decimals;
    if (roughly(close) < this.#sure) return;
    const text = formatFileDecimal(close);
    while (priceUnits(text, this.#room) === undefined) this.#room -= 1;
    this.#sure = sureBelow(this.#room);
  }

  get value(): number {
    return Math.min(this.#most, this.#room);
  }

  /** Whether a close has more decimals than the asset, so that closes are rounded. */
  get isRounding(): boolean {
    return this.#most > this.#room;
  }
}

/** Whether a close is below 2^53, rounded to whole quote units. */
export function isPrice(close: FileDecimal): boolean {
  return roughly(close) < sureBelow(0) || priceUnits(formatFileDecimal(close), 0) !== undefined;
}

/** A little below the price of 2^53 units, further than a double is off. */
function sureBelow(decimals: number): number {
  return ((1 - 1e-9) * Number.MAX_SAFE_INTEGER) / 10 ** decimals;
}

/** Whether a close is 0, or has enough units at these decimals for the rounding not to matter. */
export function isFine(close: FileDecimal, decimals: number): boolean {
  if (roughly(close) === 0) return true;
  return (priceUnits(formatFileDecimal(close), decimals) ?? 0) >= LEAST_UNITS;
}

import { type FileDecimal, roughly } from './file-decimal.ts';
import type { MarketFormat } from './market-formats.ts';
import { MAX_PRODUCT_DECIMALS, VolumeWindow } from './volume-window.ts';
import { WideVolumeWindow } from './wide-volume-window.ts';

/** The quote volume of the day up to the newest row. */
export interface DayVolume {
  /** Adds the row of a count, which is above the one before. */
  readonly add: (index: number, price: FileDecimal, volume: FileDecimal) => void;
  /**
   * Whole quote units, rounded once, half away from zero; null if too few rows of the day are there, and above
   * 2^53 - 1.
   */
  readonly value: number | null;
}

/** How long and how large the numbers of a file are. */
export class Extent {
  priceDecimals = 0;
  volumeDecimals = 0;
  /** Roughly the highest. */
  price = 0;
  volume = 0;

  take(price: FileDecimal, volume: FileDecimal): void {
    if (price.decimals > this.priceDecimals) this.priceDecimals = price.decimals;
    if (volume.decimals > this.volumeDecimals) this.volumeDecimals = volume.decimals;
    this.price = Math.max(this.price, roughly(price));
    this.volume = Math.max(this.volume, roughly(volume));
  }
}

/** What doubles hold exactly, less than they are off by in `roughly`. */
const SAFE = (1 - 1e-9) * Number.MAX_SAFE_INTEGER;

/** The volumes of a file with this extent: in doubles where they are exact, which is many times as fast. */
export function dayVolume(extent: Extent, { window, least }: MarketFormat): DayVolume {
  const { priceDecimals, volumeDecimals, price, volume } = extent;
  const isExact =
    priceDecimals + volumeDecimals <= MAX_PRODUCT_DECIMALS &&
    price * 10 ** priceDecimals < SAFE &&
    volume * 10 ** volumeDecimals < SAFE &&
    price * volume < SAFE / (2 * window);
  const Window = isExact ? VolumeWindow : WideVolumeWindow;
  return new Window(priceDecimals, volumeDecimals, window, least);
}

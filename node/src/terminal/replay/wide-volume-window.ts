import type { FileDecimal } from './file-decimal.ts';

/** The same as `VolumeWindow` for numbers of any size, many times as slow. */
export class WideVolumeWindow {
  readonly #size: number;
  readonly #least: number;
  readonly #decimals: number;
  readonly #rows: { readonly index: number; readonly product: bigint }[] = [];
  #sum = 0n;

  constructor(priceDecimals: number, volumeDecimals: number, size: number, least: number) {
    this.#size = size;
    this.#least = least;
    this.#decimals = priceDecimals + volumeDecimals;
  }

  add(index: number, price: FileDecimal, volume: FileDecimal): void {
    const rows = this.#rows;
    while (rows[0] !== undefined && rows[0].index <= index - this.#size) {
      this.#sum -= rows[0].product;
      rows.shift();
    }
    const lacking = this.#decimals - price.decimals - volume.decimals;
    const product = BigInt(price.digits) * BigInt(volume.digits) * 10n ** BigInt(lacking);
    rows.push({ index, product });
    this.#sum += product;
  }

  get value(): number | null {
    if (this.#rows.length < this.#least) return null;
    const scale = 10n ** BigInt(this.#decimals);
    const rounded = (2n * this.#sum + scale) / (2n * scale);
    return rounded <= Number.MAX_SAFE_INTEGER ? Number(rounded) : null;
  }
}

import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

/**
 * The arithmetic and the hashes of a tick with nothing around them: typed arrays, doubles, no gaps, no checks, no
 * entries. It is the limit that a tick is held against, and gives no score that anybody uses.
 */
export class PlainTick {
  readonly #rule: ScoreRule;
  readonly #assets: readonly PlainAsset[];
  readonly #inputs = [76, 32 + 400, 73, 65].map((length) => new Uint8Array(length));

  constructor(rule: ScoreRule, assets: number) {
    this.#rule = rule;
    this.#assets = Array.from({ length: assets }, () => new PlainAsset(rule));
  }

  /** Scores and hashes a tick; the sum of the scores. */
  step(index: number, prices: Float64Array, volumes: Float64Array, hashed: boolean): number {
    let sum = 0;
    for (const [i, asset] of this.#assets.entries()) {
      sum += asset.add(this.#rule, index, prices[i] as number, volumes[i] as number);
      if (!hashed) continue;
      for (const input of this.#inputs) {
        input[0] = i;
        nodeSha256(input);
      }
    }
    return sum;
  }
}

class PlainAsset {
  readonly #prices: Float64Array;
  readonly #volumes: Float64Array;
  readonly #long: PlainWindow;
  readonly #short: PlainWindow;

  constructor({ returns, volume }: ScoreRule) {
    this.#prices = new Float64Array(returns.long + 1);
    this.#volumes = new Float64Array(volume.day * volume.days + 1);
    const capacity = returns.window / returns.sample;
    this.#long = new PlainWindow(capacity);
    this.#short = new PlainWindow(capacity);
  }

  add(rule: ScoreRule, index: number, price: number, volume: number): number {
    const { returns, parts, scale } = rule;
    const prices = this.#prices;
    const volumes = this.#volumes;
    prices[index % prices.length] = price;
    volumes[index % volumes.length] = volume;
    const long = ppm(
      prices[(index - returns.long + prices.length) % prices.length] as number,
      price,
    );
    const short = ppm(
      prices[(index - returns.short + prices.length) % prices.length] as number,
      price,
    );
    let sum = 0;
    for (let k = 1; k <= rule.volume.days; k += 1) {
      sum += volumes[(index - k * rule.volume.day + volumes.length) % volumes.length] as number;
    }
    const multiple = Math.round((100 * volume * rule.volume.days) / sum);
    const factor = scale.numerator / scale.denominator;
    const zLong = this.#long.deviations(long, factor, scale.floor_long);
    const zShort = this.#short.deviations(short, factor, scale.floor_short);
    if (index % returns.sample === 0) {
      this.#long.put(long);
      this.#short.put(short);
    }
    const { long: l, volume: v, short: s } = parts;
    return Math.round(part(l, zLong) + part(v, multiple) + part(s, zShort));
  }
}

function ppm(from: number, to: number): number {
  return Math.round((1e6 * (to - from)) / from);
}

function part({ weight, from, to }: ScoreRule['parts']['long'], value: number): number {
  return (weight * Math.min(Math.max(value - from, 0), to - from)) / (to - from);
}

/** The last so many samples, by time and by size. */
class PlainWindow {
  readonly #ring: Int32Array;
  readonly #sorted: Int32Array;
  #count = 0;
  #median = 0;
  #deviation = 0;

  constructor(capacity: number) {
    this.#ring = new Int32Array(capacity);
    this.#sorted = new Int32Array(capacity + 1);
  }

  deviations(value: number, factor: number, floor: number): number {
    const scale = Math.max(Math.round(factor * this.#deviation), floor);
    return Math.round((1000 * Math.abs(value - this.#median)) / scale);
  }

  put(value: number): void {
    const capacity = this.#ring.length;
    let size = Math.min(this.#count, capacity);
    if (size === capacity) {
      const at = this.#place(this.#ring[this.#count % capacity] as number, size);
      this.#sorted.copyWithin(at, at + 1, size);
      size -= 1;
    }
    const at = this.#place(value, size);
    this.#sorted.copyWithin(at + 1, at, size);
    this.#sorted[at] = value;
    this.#ring[this.#count % capacity] = value;
    this.#count += 1;
    this.#measure(size + 1);
  }

  #place(value: number, size: number): number {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Median, and median deviation by two pointers from it outwards. */
  #measure(size: number): void {
    const sorted = this.#sorted;
    const median = sorted[size >>> 1] as number;
    let right = size >>> 1;
    let left = right - 1;
    let deviation = 0;
    for (let taken = 0; taken <= size >>> 1; taken += 1) {
      const up = right < size ? (sorted[right] as number) - median : Number.POSITIVE_INFINITY;
      const down = left >= 0 ? median - (sorted[left] as number) : Number.POSITIVE_INFINITY;
      deviation = Math.min(up, down);
      if (up <= down) right += 1;
      else left -= 1;
    }
    this.#median = median;
    this.#deviation = deviation;
  }
}

import { PackedList } from '../bytes/packed-list.ts';
import { formatTime, parseTime, type TimeText } from './time.ts';

/** A seq and unix seconds, each a float64. */
const PAIR_BYTES = 16;

/** Times of entries by their seq, in 16 bytes each. A log may have as many of them as it has reports. */
export class SeqTimes implements Iterable<readonly [seq: number, at: TimeText]> {
  /** By seq. */
  readonly #pairs = new PackedList(PAIR_BYTES);

  /** Sets the time of an entry that has none yet. They come nearly in the order of the log. */
  note(seq: number, at: TimeText): void {
    const pair = new Uint8Array(PAIR_BYTES);
    const view = new DataView(pair.buffer);
    view.setFloat64(0, seq);
    view.setFloat64(8, parseTime(at));
    let to = this.#pairs.length;
    this.#pairs.length += 1;
    for (; to > 0 && this.#seqAt(to - 1) > seq; to -= 1) this.#pairs.move(to - 1, to);
    this.#pairs.set(to, pair);
  }

  get(seq: number): TimeText | undefined {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#seqAt(middle) < seq) low = middle + 1;
      else high = middle;
    }
    return low < this.#pairs.length && this.#seqAt(low) === seq ? this.#timeAt(low) : undefined;
  }

  *[Symbol.iterator](): Generator<readonly [seq: number, at: TimeText]> {
    for (let i = 0; i < this.#pairs.length; i += 1) yield [this.#seqAt(i), this.#timeAt(i)];
  }

  get kept(): Uint8Array {
    return this.#pairs.bytes;
  }

  /** Goes on from those that were kept. Call it before the first one. */
  resume(kept: Uint8Array): void {
    this.#pairs.pushAll(kept);
  }

  #seqAt(index: number): number {
    return viewOf(this.#pairs.get(index)).getFloat64(0);
  }

  #timeAt(index: number): TimeText {
    return formatTime(viewOf(this.#pairs.get(index)).getFloat64(8));
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset);
}

/**
 * A reader of LevelDB's number formats (`util/coding.h`). Throws a RangeError if the bytes end or contain no
 * such number.
 */
export class LevelBytes {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Seven bits a byte, the lowest first, the high bit on all but the last; at most 2^53 - 1. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new RangeError('a number that ends too early');
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
    }
    throw new RangeError('a number that is too large');
  }

  take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('a string that ends too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** A string behind its length. */
  string(): Uint8Array {
    return this.take(this.varint());
  }
}

const FIRST_SIZE = 4096;
const MOST_INT32 = 2 ** 31 - 1;

/**
 * The headers of one answer after the other, as bytes in the same memory. An answer that is kept has most of its headers as bytes
 * already, so that only what differs from request to request is formatted, and no text is made of any of it.
 */
export class HeadBuffer {
  #bytes = new Uint8Array(FIRST_SIZE);
  #length = 0;
  /** The first bytes of the memory, by how many: heads of the same length are the same object. */
  #views: (Uint8Array | undefined)[] = [];

  /** Begins the next head. */
  clear(): void {
    this.#length = 0;
  }

  /** What was added since `clear`. It is valid until the next call of any method. */
  get view(): Uint8Array {
    return (this.#views[this.#length] ??= this.#bytes.subarray(0, this.#length));
  }

  addBytes(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Adds printable ASCII, which the caller has checked. */
  addText(text: string): void {
    const at = this.#room(text.length);
    for (let i = 0; i < text.length; i += 1) this.#bytes[at + i] = text.charCodeAt(i);
  }

  /** Adds a whole number in decimal digits. */
  addNumber(value: number): void {
    if (value > MOST_INT32) {
      this.addText(String(value));
      return;
    }
    // As 32-bit integers, whose division costs a multiplication.
    let rest = value | 0;
    let digits = 1;
    for (let most = 10; most <= rest && digits < 10; most *= 10) digits += 1;
    let at = this.#room(digits) + digits;
    do {
      const higher = (rest / 10) | 0;
      at -= 1;
      this.#bytes[at] = 0x30 + rest - higher * 10;
      rest = higher;
    } while (rest > 0);
  }

  /** Where `size` more bytes begin. */
  #room(size: number): number {
    const at = this.#length;
    const length = at + size;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(length * 2);
      larger.set(this.#bytes.subarray(0, at));
      this.#bytes = larger;
      this.#views = [];
    }
    this.#length = length;
    return at;
  }
}

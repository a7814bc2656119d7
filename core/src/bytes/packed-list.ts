import { requireLength } from './bytes.ts';

/** Items in one piece of memory. */
const CHUNK = 4096;

/**
 * A list of items of the same number of bytes, which takes little more memory than these bytes. An array of byte strings
 * takes some 100 bytes more for each.
 */
export class PackedList {
  readonly width: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** `width`: the bytes of an item. */
  constructor(width: number) {
    this.width = width;
  }

  get length(): number {
    return this.#length;
  }

  /** Gives up the last items, or adds some, which must be set before they are read. */
  set length(length: number) {
    this.#length = length;
    const chunks = Math.ceil(length / CHUNK);
    if (this.#chunks.length > chunks) this.#chunks.length = chunks;
    while (this.#chunks.length < chunks) this.#chunks.push(new Uint8Array(CHUNK * this.width));
  }

  /** A copy of an item. Throws a RangeError for one that there is not. */
  get(index: number): Uint8Array {
    const { chunk, start } = this.#placeOf(index);
    return chunk.slice(start, start + this.width);
  }

  /** Whether an item begins with these bytes. Throws a RangeError for one that there is not. */
  startsWith(index: number, bytes: Uint8Array): boolean {
    const { chunk, start } = this.#placeOf(index);
    for (let i = 0; i < bytes.length; i += 1) if (chunk[start + i] !== bytes[i]) return false;
    return true;
  }

  /** Replaces an item. Throws a RangeError for one that there is not, or for another number of bytes. */
  set(index: number, item: Uint8Array): void {
    this.#requireWidth(item);
    const { chunk, start } = this.#placeOf(index);
    chunk.set(item, start);
  }

  /** Throws a RangeError for another number of bytes. */
  push(item: Uint8Array): void {
    this.#requireWidth(item);
    this.length += 1;
    this.set(this.#length - 1, item);
  }

  /** Moves an item to another place. What was there is gone. */
  move(from: number, to: number): void {
    const { chunk, start } = this.#placeOf(from);
    const target = this.#placeOf(to);
    target.chunk.set(chunk.subarray(start, start + this.width), target.start);
  }

  /** Adds the items that `bytes` has, one behind the other. Throws `bad_length` for what are not whole items. */
  pushAll(bytes: Uint8Array): void {
    const { width } = this;
    requireLength(bytes, Math.ceil(bytes.length / width) * width, 'items of a list');
    for (let at = 0; at < bytes.length; at += width) this.push(bytes.subarray(at, at + width));
  }

  /** All items, one behind the other. */
  get bytes(): Uint8Array {
    const out = new Uint8Array(this.#length * this.width);
    for (const [i, chunk] of this.#chunks.entries()) {
      const start = i * CHUNK * this.width;
      out.set(chunk.subarray(0, Math.min(chunk.length, out.length - start)), start);
    }
    return out;
  }

  #requireWidth(item: Uint8Array): void {
    if (item.length !== this.width) throw new RangeError('PackedList: another number of bytes');
  }

  #placeOf(index: number): { readonly chunk: Uint8Array; readonly start: number } {
    const chunk = this.#chunks[Math.floor(index / CHUNK)];
    if (index < 0 || index >= this.#length || chunk === undefined) {
      throw new RangeError(`PackedList: no item ${index}`);
    }
    return { chunk, start: (index % CHUNK) * this.width };
  }
}

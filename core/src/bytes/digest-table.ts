import { PackedList } from './packed-list.ts';

const DIGEST_BYTES = 32;
const FIRST_SLOTS = 1024;
/** The share of the slots that may be taken: a search then passes over two of them or so. */
const MOST_TAKEN = 0.5;

/**
 * What stands under digests of 32 bytes, in little more memory than both have. It is a table with open addressing. Whoever
 * chooses what is hashed can choose some bits of a digest, so that the slot of one depends on random numbers of each table.
 */
export class DigestTable {
  /** Each a digest, and what stands under it. */
  readonly #items: PackedList;
  /** One more than the index of an item, or 0. */
  #slots = new Uint32Array(FIRST_SLOTS);
  /** An odd factor for each word of a digest, which nobody knows who chose the digests. */
  readonly #factors = Uint32Array.from(
    { length: DIGEST_BYTES / 4 },
    () => Math.floor(Math.random() * 2 ** 32) | 1,
  );

  /** `width`: the bytes that stand under a digest. */
  constructor(width: number) {
    this.#items = new PackedList(DIGEST_BYTES + width);
  }

  get size(): number {
    return this.#items.length;
  }

  /** What stands under a digest, a copy; undefined for nothing. */
  get(digest: Uint8Array): Uint8Array | undefined {
    const index = (this.#slots[this.#slotOf(digest)] as number) - 1;
    return index < 0 ? undefined : this.#items.get(index).subarray(DIGEST_BYTES);
  }

  /** Adds what stands under a digest, unless something does already. Throws a RangeError for another number of bytes. */
  add(digest: Uint8Array, under: Uint8Array): void {
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] !== 0) return;
    const item = new Uint8Array(DIGEST_BYTES + under.length);
    item.set(digest);
    item.set(under, DIGEST_BYTES);
    this.#items.push(item);
    this.#slots[slot] = this.size;
    if (this.size > MOST_TAKEN * this.#slots.length) this.#grow();
  }

  /** All digests with what stands under them, one behind the other, in the order in which they were added. */
  get bytes(): Uint8Array {
    return this.#items.bytes;
  }

  /** Adds what `bytes` has. Throws `bad_length` for what are not whole items. */
  addAll(bytes: Uint8Array): void {
    const items = new PackedList(this.#items.width);
    items.pushAll(bytes);
    for (let i = 0; i < items.length; i += 1) {
      const item = items.get(i);
      this.add(item.subarray(0, DIGEST_BYTES), item.subarray(DIGEST_BYTES));
    }
  }

  /** The slot that a digest has, or would take. */
  #slotOf(digest: Uint8Array): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = this.#hash(digest) & mask; ; slot = (slot + 1) & mask) {
      const index = (slots[slot] as number) - 1;
      if (index < 0 || this.#items.startsWith(index, digest)) return slot;
    }
  }

  /** The words of a digest, each mixed with what came before it and times its factor, summed up. The high bits are folded in. */
  #hash(digest: Uint8Array): number {
    const view = new DataView(digest.buffer, digest.byteOffset, DIGEST_BYTES);
    let sum = 0;
    for (const [i, factor] of this.#factors.entries()) {
      const product = Math.imul(view.getUint32(4 * i) ^ (sum >>> 15), factor);
      sum = (sum + product) | 0;
    }
    return (sum ^ (sum >>> 16)) >>> 0;
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (let i = 0; i < this.size; i += 1) {
      this.#slots[this.#slotOf(this.#items.get(i).subarray(0, DIGEST_BYTES))] = i + 1;
    }
  }
}

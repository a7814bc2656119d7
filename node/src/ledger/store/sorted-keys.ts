/** A block that grows beyond this many keys is cut in two. */
const MOST_KEYS = 256;
/** How many blocks are kept as texts, because they were used last: about 10 MB of them. */
const MOST_UNPACKED = 512;
/**
 * The first byte of UTF-8 from which on the order of bytes is not that of the UTF-16 units by which texts are compared:
 * the lead bytes of U+E000 and above, and of what takes two units.
 */
const FIRST_OUT_OF_ORDER = 0xee;

interface Block {
  /** The first key: where the block begins. */
  first: string;
  count: number;
  /** The keys, each as what it shares with the one before and what follows; undefined while `keys` has newer ones. */
  packed: Uint8Array | undefined;
  /** The keys as texts, if they are unpacked. */
  keys: string[] | undefined;
}

/** Some keys that follow one another, and how many they are. */
export interface PackedKeys {
  readonly count: number;
  readonly bytes: Uint8Array;
}

/**
 * A sorted set of texts in little memory: blocks of keys of which each is stored as the length of what it shares with
 * the key before, and the rest. A key that shares most of its bytes with its neighbour, as the keys of view rows do,
 * takes some 5 to 20 bytes. The order is that of `<`.
 *
 *     key: varint(bytes shared with the key before) varint(length of the rest) rest    UTF-8
 */
export class SortedKeys {
  readonly #blocks: Block[] = [];
  /** The unpacked blocks, the one that was used last at the end. */
  readonly #unpacked = new Set<Block>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The bytes of the packed blocks, for a figure of what a key takes. */
  get packedBytes(): number {
    let length = 0;
    for (const { bytes } of this.blocks()) length += bytes.length;
    return length;
  }

  /** All keys in packed form, to be stored. */
  *blocks(): Generator<PackedKeys> {
    for (const { count, packed: bytes, keys } of this.#blocks) {
      yield { count, bytes: bytes ?? packed(keys ?? []) };
    }
  }

  /** The keys that were stored so. */
  static ofBlocks(blocks: Iterable<PackedKeys>): SortedKeys {
    const keys = new SortedKeys();
    for (const { count, bytes } of blocks) {
      const [first = ''] = unpacked(bytes, 1);
      keys.#blocks.push({ first, count, packed: bytes, keys: undefined });
      keys.#size += count;
    }
    return keys;
  }

  /** Adds a key; false if it is there already. */
  add(key: string): boolean {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#insertBlock(0, [key]);
      this.#size += 1;
      return true;
    }
    const keys = this.#keysOf(block);
    const index = lowerBound(keys, key);
    if (keys[index] === key) return false;
    keys.splice(index, 0, key);
    block.packed = undefined;
    block.first = keys[0] as string;
    block.count = keys.length;
    this.#size += 1;
    if (keys.length > MOST_KEYS) {
      // What grows at its end leaves full blocks behind.
      const isLast = at === this.#blocks.length - 1 && index === keys.length - 1;
      const rest = keys.splice(isLast ? MOST_KEYS : keys.length >> 1);
      block.count = keys.length;
      this.#insertBlock(at + 1, rest);
    }
    return true;
  }

  has(key: string): boolean {
    const block = this.#blocks[this.#blockOf(key)];
    if (block === undefined) return false;
    const keys = this.#keysOf(block);
    return keys[lowerBound(keys, key)] === key;
  }

  /**
   * The keys from `from` on and before `to`, ascending. Keys that are added behind the last of them meanwhile are not
   * among them.
   */
  *range(from: string, to: string): Generator<string> {
    const last = this.#lastBelow(to);
    if (last === undefined || last < from) return;
    for (let next = from; ;) {
      // Blocks may be cut while somebody reads, so the place is looked up each time.
      const at = this.#blockOf(next);
      let keys = this.#keysOf(this.#blocks[at] as Block);
      let start = lowerBound(keys, next);
      if (start === keys.length) {
        const after = this.#blocks[at + 1];
        if (after === undefined) return;
        [keys, start] = [this.#keysOf(after), 0];
      }
      for (const key of keys.slice(start)) {
        if (key > last) return;
        yield key;
        next = `${key}\0`;
      }
    }
  }

  /** The keys from `from` on and before `to`, descending. */
  *rangeBack(from: string, to: string): Generator<string> {
    let below = to;
    for (;;) {
      const last = this.#lastBelow(below);
      if (last === undefined || last < from) return;
      const keys = this.#keysOf(this.#blocks[this.#blockOf(last)] as Block);
      const some = keys.slice(lowerBound(keys, from), lowerBound(keys, below));
      for (let i = some.length - 1; i >= 0; i -= 1) yield some[i] as string;
      below = some[0] ?? from;
    }
  }

  /**
   * Adds keys that come in the order of their bytes, after every key that is there. It is for loading many: each is
   * packed as it comes. Those whose order as texts is another are added one by one at the end.
   */
  static load(): KeyLoader {
    const keys = new SortedKeys();
    let block = new Packer();
    let previous: Uint8Array = new Uint8Array(0);
    const others: string[] = [];
    const close = (): void => {
      if (block.count === 0) return;
      const { count, first } = block;
      keys.#blocks.push({ first: decode(first), count, packed: block.take(), keys: undefined });
      keys.#size += count;
      block = new Packer();
      previous = new Uint8Array(0);
    };
    return {
      add(bytes) {
        if (hasOutOfOrder(bytes)) {
          others.push(decode(bytes));
          return;
        }
        block.add(bytes, previous);
        previous = bytes;
        if (block.count === MOST_KEYS) close();
      },
      done() {
        close();
        for (const key of others) keys.add(key);
        return keys;
      },
    };
  }

  /** The block in which `key` is or would be: the last one that does not begin after it. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle] as Block).first <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** The greatest key before `key`. */
  #lastBelow(key: string): string | undefined {
    const at = this.#blockOf(key);
    const block = this.#blocks[at];
    if (block === undefined) return undefined;
    const keys = this.#keysOf(block);
    const index = lowerBound(keys, key) - 1;
    if (index >= 0) return keys[index];
    const before = this.#blocks[at - 1];
    return before === undefined ? undefined : this.#keysOf(before).at(-1);
  }

  #insertBlock(at: number, keys: string[]): void {
    const block = { first: keys[0] as string, count: keys.length, packed: undefined, keys };
    this.#blocks.splice(at, 0, block);
    this.#use(block);
  }

  #keysOf(block: Block): string[] {
    block.keys ??= unpacked(block.packed as Uint8Array, block.count);
    this.#use(block);
    return block.keys;
  }

  #use(block: Block): void {
    this.#unpacked.delete(block);
    this.#unpacked.add(block);
    for (const oldest of this.#unpacked) {
      if (this.#unpacked.size <= MOST_UNPACKED) break;
      oldest.packed ??= packed(oldest.keys as string[]);
      oldest.keys = undefined;
      this.#unpacked.delete(oldest);
    }
  }
}

/** Takes keys as UTF-8, in ascending order. The bytes of one must stay as they are until the next has come. */
export interface KeyLoader {
  readonly add: (key: Uint8Array) => void;
  readonly done: () => SortedKeys;
}

class Packer {
  #bytes: Buffer = Buffer.allocUnsafe(8192);
  #end = 0;
  count = 0;
  first: Uint8Array = new Uint8Array(0);

  add(key: Uint8Array, previous: Uint8Array): void {
    if (this.count === 0) this.first = key.slice();
    const most = Math.min(key.length, previous.length);
    let shared = 0;
    while (shared < most && key[shared] === previous[shared]) shared += 1;
    const rest = key.length - shared;
    this.#room(rest + 16);
    this.#varint(shared);
    this.#varint(rest);
    this.#bytes.set(shared === 0 ? key : key.subarray(shared), this.#end);
    this.#end += rest;
    this.count += 1;
  }

  take(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#end);
  }

  #room(more: number): void {
    if (this.#end + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#bytes.length + more));
    larger.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = larger;
  }

  #varint(value: number): void {
    let left = value;
    for (; left >= 0x80; left >>>= 7) {
      this.#bytes[this.#end] = (left & 0x7f) | 0x80;
      this.#end += 1;
    }
    this.#bytes[this.#end] = left;
    this.#end += 1;
  }
}

function packed(keys: readonly string[]): Uint8Array {
  const packer = new Packer();
  let previous = new Uint8Array(0);
  for (const key of keys) {
    const bytes = Buffer.from(key, 'utf8');
    packer.add(bytes, previous);
    previous = bytes;
  }
  return packer.take();
}

function unpacked(bytes: Uint8Array, count: number): string[] {
  const keys: string[] = [];
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let key = Buffer.allocUnsafe(512);
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = view[at] as number;
      at += 1;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  for (let i = 0; i < count; i += 1) {
    const shared = varint();
    const rest = varint();
    if (shared + rest > key.length) {
      const larger = Buffer.allocUnsafe(2 * (shared + rest));
      larger.set(key.subarray(0, shared));
      key = larger;
    }
    view.copy(key, shared, at, at + rest);
    at += rest;
    keys.push(key.toString('utf8', 0, shared + rest));
  }
  return keys;
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

function hasOutOfOrder(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte >= FIRST_OUT_OF_ORDER) return true;
  return false;
}

/** How many of `keys`, which ascend, sort before `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

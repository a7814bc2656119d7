/** Where a blob is: the number of its pack, and where in it its record begins. */
export interface BlobPlace {
  readonly pack: number;
  readonly at: number;
}

const FIRST_SLOTS = 1024;
/** A table that is fuller than this is made twice as large. */
const MOST_FULL = 0.7;

/**
 * Finds the places of blobs by the beginning of their hashes, in 12 bytes a slot: 1.5 million blobs take some 30 MB. The
 * hash itself is at the place, so more than one place may be found for a hash, and some of them may be of another one.
 *
 * Open addressing with linear probing; a place once added stays.
 */
export class BlobIndex {
  #tags: Uint32Array = new Uint32Array(FIRST_SLOTS);
  /** The number of a pack and 1; 0 for a slot that is free. */
  #packs: Uint32Array = new Uint32Array(FIRST_SLOTS);
  #ats: Uint32Array = new Uint32Array(FIRST_SLOTS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(hash: Uint8Array, { pack, at }: BlobPlace): void {
    if (this.#count >= MOST_FULL * this.#tags.length) this.#grow();
    this.#put(tagOf(hash), pack + 1, at);
    this.#count += 1;
  }

  /** The places that a hash may be at, the one that was added last at the end. */
  places(hash: Uint8Array): readonly BlobPlace[] {
    const tag = tagOf(hash);
    const mask = this.#tags.length - 1;
    const found: BlobPlace[] = [];
    for (let slot = tag & mask; this.#packs[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#tags[slot] !== tag) continue;
      found.push({ pack: (this.#packs[slot] as number) - 1, at: this.#ats[slot] as number });
    }
    return found;
  }

  #put(tag: number, pack: number, at: number): void {
    const mask = this.#tags.length - 1;
    let slot = tag & mask;
    while (this.#packs[slot] !== 0) slot = (slot + 1) & mask;
    this.#tags[slot] = tag;
    this.#packs[slot] = pack;
    this.#ats[slot] = at;
  }

  #grow(): void {
    const [tags, packs, ats] = [this.#tags, this.#packs, this.#ats];
    const slots = 2 * tags.length;
    this.#tags = new Uint32Array(slots);
    this.#packs = new Uint32Array(slots);
    this.#ats = new Uint32Array(slots);
    // Beginning behind a free slot keeps the order of places of one hash.
    const start = packs.indexOf(0);
    for (let i = 0; i < tags.length; i += 1) {
      const slot = (start + i) % tags.length;
      const pack = packs[slot] as number;
      if (pack !== 0) this.#put(tags[slot] as number, pack, ats[slot] as number);
    }
  }
}

/** The first four bytes of a hash. A `DataView` for each of a million blobs would take a second. */
function tagOf(hash: Uint8Array): number {
  const low = (hash[0] as number) | ((hash[1] as number) << 8);
  return (low | ((hash[2] as number) << 16) | ((hash[3] as number) << 24)) >>> 0;
}

/** The slots of one set. A client's window can be in any of them. */
const WAYS = 8;
/** 2^14 sets, 131,072 windows at once, 2 MiB. */
const SET_BITS = 14;
const SLOTS = WAYS << SET_BITS;
/** How many characters of a client's key have a random factor of their own. */
const FACTORS = 32;

/**
 * How many requests each client has made in its window, in memory of a fixed size. A window begins with a
 * client's first request. Random factors decide which set of slots it may be in (multiply-shift hashing of
 * strings: Thorup, "High Speed Hashing for Integers and Strings", 3), so that nobody can choose to share a set
 * with somebody else.
 *
 * If a set is full of running windows, a new client takes over the one with the fewest requests, with its count
 * and its end (Space-Saving: Metwally, Agrawal, El Abbadi, 2005). It may then get fewer requests than the
 * quota, but never more. The client that lost the window finds a count that is no lower when it comes back
 * within the minute. A spent window is not given up before its end, so a new client in a set of only such
 * windows is refused. To spend every set takes the quota times 131,072 requests in one window, which is more
 * than a server answers. Filling the table with single requests costs later clients as many requests of their
 * quota as there were fillings.
 */
export class WindowTable {
  /** Seconds to the end of the window that the last `take` counted in, a whole number above 0. */
  resetS = 0;
  readonly #quota: number;
  readonly #windowS: number;
  readonly #tags = new Uint32Array(SLOTS);
  readonly #counts = new Uint32Array(SLOTS);
  readonly #starts = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);
  readonly #setFactors: Uint32Array;
  readonly #tagFactors: Uint32Array;

  /** `random` returns that many unpredictable bytes. */
  constructor(quota: number, windowS: number, random: (size: number) => Uint8Array) {
    this.#quota = quota;
    this.#windowS = windowS;
    this.#setFactors = new Uint32Array(new Uint8Array(random(FACTORS * 4)).buffer);
    this.#tagFactors = new Uint32Array(new Uint8Array(random(FACTORS * 4)).buffer);
  }

  /** The size of the table in bytes, however many clients there are. */
  get byteLength(): number {
    return this.#tags.byteLength + this.#counts.byteLength + this.#starts.byteLength;
  }

  /**
   * Counts a request at `now` (monotonic seconds), or one that is as much as `requests` of them. Returns what is left of the
   * quota, or -1 if nothing was. Who has less left than that has nothing left then.
   */
  take(client: string, now: number, requests = 1): number {
    let set = 0;
    let tag = 0;
    for (let i = 0; i < client.length; i += 1) {
      const code = client.charCodeAt(i);
      const at = i % FACTORS;
      set = (set + Math.imul(this.#setFactors[at] as number, code)) | 0;
      tag = (tag + Math.imul(this.#tagFactors[at] as number, code)) | 0;
    }
    const slot = this.#find((set >>> (32 - SET_BITS)) * WAYS, tag >>> 0, now);
    // Nothing of a window that begins now has passed. start + window - now could be rounded to more than that.
    this.resetS = Math.ceil(this.#windowS - (now - (this.#starts[slot] as number)));
    const count = this.#counts[slot] as number;
    if (count >= this.#quota) return -1;
    this.#tags[slot] = tag;
    const counted = Math.min(this.#quota, count + requests);
    this.#counts[slot] = counted;
    return this.#quota - counted;
  }

  /** The slot of `tag` in its set, or the one that it has to take over. */
  #find(first: number, tag: number, now: number): number {
    let ended = -1;
    let least = first;
    for (let slot = first; slot < first + WAYS; slot += 1) {
      const runs = now - (this.#starts[slot] as number) < this.#windowS;
      if (this.#tags[slot] === tag) {
        if (!runs) this.#begin(slot, now);
        return slot;
      }
      if (!runs) ended = slot;
      else if ((this.#counts[slot] as number) < (this.#counts[least] as number)) least = slot;
    }
    if (ended < 0) return least;
    this.#begin(ended, now);
    return ended;
  }

  #begin(slot: number, now: number): void {
    this.#starts[slot] = now;
    this.#counts[slot] = 0;
  }
}

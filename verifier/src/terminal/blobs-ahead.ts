import type { HashHex } from '@assay/core/hash/hash';

/**
 * Returns the bytes that are kept under a hash, checked; undefined where there are none, which is reported for `place`.
 */
export type CheckedBytes = (hash: HashHex, place: string) => Promise<Uint8Array | undefined>;

/** Blobs in memory that nobody has asked for yet. */
const MAX_AHEAD = 8;
/** Blobs that may wait to be fetched ahead. Any beyond them are fetched when they are asked for. */
const MAX_WAITING = 4096;

/** Fetches blobs ahead, a few at a time, for a reader that needs each of them once. */
export class BlobsAhead {
  readonly #read: CheckedBytes;
  readonly #waiting = new Map<HashHex, string>();
  readonly #fetched = new Map<HashHex, Promise<Uint8Array | undefined>>();

  constructor(read: CheckedBytes) {
    this.#read = read;
  }

  /** Announces that a blob will be asked for soon. */
  prefetch(hash: HashHex, place: string): void {
    if (this.#fetched.has(hash) || this.#waiting.size >= MAX_WAITING) return;
    this.#waiting.set(hash, place);
    this.#fill();
  }

  /** The bytes under a hash; undefined where there are none. Throws the error of reading them. */
  take(hash: HashHex, place: string): Promise<Uint8Array | undefined> {
    const bytes = this.#fetched.get(hash) ?? this.#read(hash, place);
    this.#fetched.delete(hash);
    this.#waiting.delete(hash);
    this.#fill();
    return bytes;
  }

  #fill(): void {
    for (const [hash, place] of this.#waiting) {
      if (this.#fetched.size >= MAX_AHEAD) return;
      this.#waiting.delete(hash);
      const bytes = this.#read(hash, place);
      // Whoever asks for it gets the error.
      bytes.catch(() => undefined);
      this.#fetched.set(hash, bytes);
    }
  }
}

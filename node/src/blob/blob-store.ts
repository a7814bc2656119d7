import type { HashHex } from '@assay/core/hash/hash';

/** A blob for a reader who checks its hash himself. Nothing is held open between its pieces. */
export interface BlobReader {
  /** The number of bytes. */
  readonly size: number;
  /** All bytes in order, in pieces of bounded size. Fails if they are no longer there. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** Bytes under their SHA-256: source pages, tick leaves, studies. */
export interface BlobStore {
  /**
   * Durable when it resolves. Bytes that are there already stay, and are repaired if they no longer have their
   * hash. The bytes must not change before that.
   */
  readonly put: (bytes: Uint8Array) => Promise<HashHex>;
  /** `undefined` if there is none. Throws `blob_differs` if the stored bytes no longer have the hash. */
  readonly get: (hash: HashHex) => Promise<Uint8Array | undefined>;
  /** As `get`, piece by piece and unchecked, for callers that check the bytes. */
  readonly read: (hash: HashHex) => Promise<BlobReader | undefined>;
  /**
   * As `read`, for bytes that have their hash. They are hashed the first time, and again if the file has
   * changed since. Throws `blob_differs`.
   */
  readonly checked: (hash: HashHex) => Promise<BlobReader | undefined>;
  /** Whether anything is stored under the hash. Only `get` and `checked` read it. */
  readonly has: (hash: HashHex) => Promise<boolean>;
  /**
   * Hashes the bytes as they are on the disk now, whatever is known about them, and returns their length;
   * `undefined` if there are none. Throws `blob_differs`, after which `checked` does not trust them any more.
   */
  readonly verify: (hash: HashHex) => Promise<number | undefined>;
  /** All hashes in rising order, or those after `after`. One that is stored meanwhile may be among them. */
  readonly list: (after?: HashHex) => AsyncIterable<HashHex>;
}

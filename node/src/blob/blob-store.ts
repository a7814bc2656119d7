import type { HashHex } from '@assay/core/hash/hash';

/** A blob for a reader who checks its hash himself. It holds nothing open between its pieces. */
export interface BlobReader {
  /** Bytes of the whole. */
  readonly size: number;
  /** All bytes in order, in pieces of bounded size. Fails where they are not there any more. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
}

/** Bytes under their sha256: source pages, tick leaves, studies. */
export interface BlobStore {
  /**
   * Durable when it resolves. Bytes that are there already are kept, and mended where they no longer
   * have their hash. The bytes must not change before that.
   */
  readonly put: (bytes: Uint8Array) => Promise<HashHex>;
  /** `undefined` where there is none. Throws `blob_differs` when what is held no longer has the hash. */
  readonly get: (hash: HashHex) => Promise<Uint8Array | undefined>;
  /** As `get`, piece by piece and unchecked: for one who checks them. */
  readonly read: (hash: HashHex) => Promise<BlobReader | undefined>;
  /**
   * As `read`, of bytes that have their hash. They are hashed the first time, and again when what holds them has
   * changed since. Throws `blob_differs`.
   */
  readonly checked: (hash: HashHex) => Promise<BlobReader | undefined>;
  /** Whether something is held under the hash. Only `get` and `checked` look at it. */
  readonly has: (hash: HashHex) => Promise<boolean>;
  /**
   * Hashes the bytes as they are on the disk now, whatever is known of them, and gives their length; `undefined` where
   * there are none. Throws `blob_differs`, after which `checked` does not take them for sound.
   */
  readonly verify: (hash: HashHex) => Promise<number | undefined>;
  /** All hashes, rising, or those behind `after`. One that is put meanwhile may be in it. */
  readonly list: (after?: HashHex) => AsyncIterable<HashHex>;
}

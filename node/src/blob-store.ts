import type { HashHex } from '@assay/core/hash';

/** Bytes under their sha256: source pages, tick leaves, studies. */
export interface BlobStore {
  /**
   * Durable when it resolves. Bytes that are there already are kept, and mended where they no longer
   * have their hash. The bytes must not change before that.
   */
  readonly put: (bytes: Uint8Array) => Promise<HashHex>;
  /** `undefined` where there is none. Throws `blob_differs` when what is held no longer has the hash. */
  readonly get: (hash: HashHex) => Promise<Uint8Array | undefined>;
  /** Whether something is held under the hash. Only `get` looks at it. */
  readonly has: (hash: HashHex) => Promise<boolean>;
  /** All hashes, rising. One that is put meanwhile may be in it. */
  readonly list: () => AsyncIterable<HashHex>;
}

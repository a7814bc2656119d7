import { contentHash, type HashHex, hashHex } from '@assay/core/hash';
import type { BlobStore } from './blob-store.ts';
import { nodeSha256 } from './node-sha256.ts';

/** A blob store that forgets at the end of the process: for tests and throw-away logs. */
export class MemoryBlobStore implements BlobStore {
  readonly #blobs = new Map<HashHex, Uint8Array>();

  readonly put = async (bytes: Uint8Array): Promise<HashHex> => {
    const hash = hashHex(contentHash(nodeSha256, bytes));
    if (!this.#blobs.has(hash)) this.#blobs.set(hash, new Uint8Array(bytes));
    return hash;
  };

  readonly get = async (hash: HashHex): Promise<Uint8Array | undefined> =>
    this.#blobs.get(hash)?.slice();

  readonly has = async (hash: HashHex): Promise<boolean> => this.#blobs.has(hash);

  readonly list = (): AsyncIterable<HashHex> => this.#list();

  async *#list(): AsyncGenerator<HashHex> {
    yield* [...this.#blobs.keys()].sort();
  }
}

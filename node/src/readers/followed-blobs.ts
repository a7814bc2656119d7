import { contentHash, type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { Fault } from '@assay/core/fault';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import type { BlobReader, BlobStore } from '../blob/blob-store.ts';
import { bodyOf, type WriterClient } from './writer-client.ts';

/** The bytes of all blobs that are kept in memory. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What a service reads of a blob store. */
export type ReadBlobs = Pick<BlobStore, 'read' | 'checked' | 'has'>;

/**
 * The blobs of a publisher, fetched from it when somebody asks for them. Each is checked by its hash, so what the
 * publisher sends cannot be another; those that were asked for last are kept in memory.
 */
export class FollowedBlobs implements ReadBlobs {
  readonly #client: WriterClient;
  readonly #sha256: Sha256;
  readonly #kept = new Map<HashHex, Uint8Array>();
  readonly #fetching = new Map<HashHex, Promise<Uint8Array | undefined>>();
  #bytes = 0;

  constructor(client: WriterClient, sha256: Sha256) {
    this.#client = client;
    this.#sha256 = sha256;
  }

  /** Throws `blob_differs` where the publisher sends other bytes, and what `WriterClient.send` throws. */
  readonly checked = async (hash: HashHex): Promise<BlobReader | undefined> => {
    const bytes = await this.#get(hash);
    if (bytes === undefined) return undefined;
    return { size: bytes.length, chunks: () => once(bytes) };
  };

  readonly read = (hash: HashHex): Promise<BlobReader | undefined> => this.checked(hash);

  readonly has = async (hash: HashHex): Promise<boolean> => (await this.#get(hash)) !== undefined;

  async #get(hash: HashHex): Promise<Uint8Array | undefined> {
    const kept = this.#kept.get(hash);
    if (kept !== undefined) {
      this.#kept.delete(hash);
      this.#kept.set(hash, kept);
      return kept;
    }
    let fetching = this.#fetching.get(hash);
    if (fetching === undefined) {
      fetching = this.#fetch(hash).finally(() => this.#fetching.delete(hash));
      this.#fetching.set(hash, fetching);
    }
    return fetching;
  }

  async #fetch(hash: HashHex): Promise<Uint8Array | undefined> {
    const answer = await this.#client.send({ method: 'GET', target: `/blob/${hash}` });
    const bytes = await bodyOf(answer, MAX_PAGE_BYTES);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) {
      throw new Fault('unreachable', 'publisher', { found: `status ${answer.status}` });
    }
    const found = hashHex(contentHash(this.#sha256, bytes));
    if (found !== hash) throw new Fault('blob_differs', 'blob', { expected: hash, found });
    this.#keep(hash, bytes);
    return bytes;
  }

  #keep(hash: HashHex, bytes: Uint8Array): void {
    this.#kept.set(hash, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#bytes <= MOST_BYTES) break;
      this.#kept.delete(oldest);
      this.#bytes -= length;
    }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

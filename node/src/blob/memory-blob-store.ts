import { contentHash, type HashHex, hashHex } from '@assay/core/hash/hash';
import type { BlobReader, BlobStore } from './blob-store.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';

const PIECE = 64 * 1024;

/** A blob store in memory, for tests and temporary logs. */
export class MemoryBlobStore implements BlobStore {
  readonly #blobs = new Map<HashHex, Uint8Array>();

  readonly put = async (bytes: Uint8Array): Promise<HashHex> => {
    const hash = hashHex(contentHash(nodeSha256, bytes));
    if (!this.#blobs.has(hash)) this.#blobs.set(hash, new Uint8Array(bytes));
    return hash;
  };

  readonly get = async (hash: HashHex): Promise<Uint8Array | undefined> =>
    this.#blobs.get(hash)?.slice();

  readonly read = async (hash: HashHex): Promise<BlobReader | undefined> => {
    const bytes = this.#blobs.get(hash);
    if (bytes === undefined) return undefined;
    return { size: bytes.length, chunks: () => piecesOf(bytes) };
  };

  readonly checked = (hash: HashHex): Promise<BlobReader | undefined> => this.read(hash);

  readonly has = async (hash: HashHex): Promise<boolean> => this.#blobs.has(hash);

  readonly verify = async (hash: HashHex): Promise<number | undefined> =>
    this.#blobs.get(hash)?.length;

  readonly list = (after?: HashHex): AsyncIterable<HashHex> => this.#list(after);

  async *#list(after: string = ''): AsyncGenerator<HashHex> {
    yield* [...this.#blobs.keys()].filter((hash) => hash > after).sort();
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.slice(at, at + PIECE);
}

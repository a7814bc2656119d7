import { Fault, faultCode } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex } from '@assay/core/hash/hash';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import type { BlobReader, BlobStore } from '../blob/blob-store.ts';
import { BYTES_TYPE, IMMUTABLE } from '../http/reply.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { createObject, type ObjectStore } from './object-store.ts';

/** For how many blobs it is remembered that they are in the bucket. */
const MAX_REMEMBERED = 65_536;
const PIECE = 64 * 1024;
/** How many hashes that neither store has are looked for in the bucket within a minute, since each costs a request. */
const MISSES_A_MINUTE = 60;
const MINUTE_MS = 60_000;

/**
 * Blobs in a local store and in a bucket. A blob is in both when `put` resolves, so that no entry names bytes that only
 * this machine has. What is missing or damaged here is read from the bucket, checked by its hash, and kept here again.
 */
export class WrittenThroughBlobs implements BlobStore {
  readonly #local: BlobStore;
  readonly #objects: ObjectStore;
  /** The newest last. */
  readonly #stored = new Set<HashHex>();
  /** When the bucket was asked in vain, in milliseconds; the newest last. */
  readonly #misses: number[] = [];

  constructor(local: BlobStore, objects: ObjectStore) {
    this.#local = local;
    this.#objects = objects;
  }

  readonly put = async (bytes: Uint8Array): Promise<HashHex> => {
    const hash = hashHex(contentHash(nodeSha256, bytes));
    if (this.#stored.has(hash)) return this.#local.put(bytes);
    await Promise.all([
      this.#local.put(bytes),
      createObject(this.#objects, pathOf(hash), {
        bytes,
        contentType: BYTES_TYPE,
        cacheControl: IMMUTABLE,
      }),
    ]);
    this.#remember(hash);
    return hash;
  };

  readonly get = async (hash: HashHex): Promise<Uint8Array | undefined> =>
    (await this.#orFetched(hash, () => this.#local.get(hash))) ?? undefined;

  readonly read = async (hash: HashHex): Promise<BlobReader | undefined> => {
    const found = await this.#local.read(hash);
    if (found !== undefined) return found;
    const bytes = await this.#fetch(hash);
    return bytes && readerOf(bytes);
  };

  readonly checked = async (hash: HashHex): Promise<BlobReader | undefined> =>
    this.#orFetched(
      hash,
      () => this.#local.checked(hash),
      (bytes) => readerOf(bytes),
    );

  readonly has = async (hash: HashHex): Promise<boolean> =>
    (await this.#local.has(hash)) || (await this.#fetch(hash)) !== undefined;

  readonly verify = async (hash: HashHex): Promise<number | undefined> =>
    this.#orFetched(
      hash,
      () => this.#local.verify(hash),
      ({ length }) => length,
    );

  readonly list = (after?: HashHex): AsyncIterable<HashHex> => this.#local.list(after);

  /** Whether the bucket is known to have a blob. */
  readonly isStored = (hash: HashHex): boolean => this.#stored.has(hash);

  #remember(hash: HashHex): void {
    this.#stored.add(hash);
    for (const oldest of this.#stored) {
      if (this.#stored.size <= MAX_REMEMBERED) return;
      this.#stored.delete(oldest);
    }
  }

  /** What the local store has; where that is nothing or damaged, what is made of the bucket's bytes. */
  async #orFetched<T>(
    hash: HashHex,
    local: () => Promise<T | undefined>,
    made: (bytes: Uint8Array) => T = (bytes) => bytes as T,
  ): Promise<T | undefined> {
    let damage: unknown;
    try {
      const found = await local();
      if (found !== undefined) return found;
    } catch (error) {
      if (faultCode(error) !== 'blob_differs') throw error;
      damage = error;
    }
    const bytes = await this.#fetch(hash).catch((error: unknown) => {
      // That the bytes here are damaged matters more than why others could not be had.
      throw damage ?? error;
    });
    if (bytes !== undefined) return made(bytes);
    if (damage !== undefined) throw damage;
    return undefined;
  }

  /** The bucket's bytes, which are kept here again. Throws `blob_differs` where they do not have the hash. */
  async #fetch(hash: HashHex): Promise<Uint8Array | undefined> {
    const now = performance.now();
    while ((this.#misses[0] ?? now) < now - MINUTE_MS) this.#misses.shift();
    if (this.#misses.length >= MISSES_A_MINUTE) return undefined;
    const found = await this.#objects.read(pathOf(hash), MAX_PAGE_BYTES);
    if (found === undefined) {
      this.#misses.push(now);
      return undefined;
    }
    const { bytes } = found;
    const digest = hashHex(contentHash(nodeSha256, bytes));
    if (digest !== hash) {
      throw new Fault('blob_differs', 'blob in the bucket', {
        expected: `sha256 ${hash}`,
        found: digest,
      });
    }
    await this.#local.put(bytes);
    this.#remember(hash);
    return bytes;
  }
}

function pathOf(hash: HashHex): string {
  return `blob/${hash}`;
}

function readerOf(bytes: Uint8Array): BlobReader {
  return {
    size: bytes.length,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
    },
  };
}

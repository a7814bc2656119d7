import { Fault, faultCode } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import type { BlobStore } from '../blob/blob-store.ts';
import { PackedBytes } from './packed-bytes.ts';
import { type MirrorReader, ServedLog } from './served-log.ts';

export interface MirrorBlobsOptions {
  readonly reader: MirrorReader;
  readonly sha256: Sha256;
  /** Where fetched bytes are stored. */
  readonly blobs: BlobStore;
  /** How many bytes may be stored in all. */
  readonly maxBytes: number | undefined;
}

/** The bytes that a log names, from a store here or else from the log's server, which are then stored. */
export class MirrorBlobs {
  readonly #options: MirrorBlobsOptions;
  readonly #served: ServedLog;
  readonly #packed: PackedBytes;
  readonly #fetching = new Map<HashHex, Promise<Uint8Array>>();
  /** How many bytes are stored. They are counted at the first request. */
  #kept: Promise<{ bytes: number }> | undefined;

  constructor(options: MirrorBlobsOptions) {
    const { reader, sha256 } = options;
    this.#options = options;
    this.#served = new ServedLog(reader, sha256);
    this.#packed = new PackedBytes(reader, sha256);
  }

  /**
   * The bytes of a hash. With the `seq` of an entry that names them in a log of `size` entries, they come from packs as
   * long as there is much to catch up with. Throws `blob_missing`, `blob_differs`, `copy_full` if there is no space for
   * them, or what the reader throws.
   */
  async read(hash: HashHex, seq: number | undefined, size: number): Promise<Uint8Array> {
    const own = await this.#options.blobs.get(hash).catch((error: unknown) => {
      if (faultCode(error) === 'blob_differs') return undefined;
      throw error;
    });
    if (own !== undefined) return own;
    let fetching = this.#fetching.get(hash);
    if (fetching === undefined) {
      fetching = this.#fetch(hash, seq, size).finally(() => this.#fetching.delete(hash));
      this.#fetching.set(hash, fetching);
    }
    return fetching;
  }

  async #fetch(hash: HashHex, seq: number | undefined, size: number): Promise<Uint8Array> {
    const { blobs, sha256 } = this.#options;
    const packed = seq === undefined ? undefined : await this.#packed.read(hash, seq, size);
    const bytes = packed ?? (await this.#served.get(`/blob/${hash}`, MAX_PAGE_BYTES));
    const found = hashHex(contentHash(sha256, bytes));
    if (found !== hash) throw new Fault('blob_differs', 'blob', { expected: hash, found });
    await this.#makeRoom(bytes.length);
    await blobs.put(bytes);
    return bytes;
  }

  /** Throws `copy_full` if the limit does not allow so many more bytes. */
  async #makeRoom(length: number): Promise<void> {
    const { blobs, maxBytes } = this.#options;
    if (maxBytes === undefined) return;
    this.#kept ??= keptBytes(blobs).catch((error: unknown) => {
      this.#kept = undefined;
      throw error;
    });
    const kept = await this.#kept;
    if (kept.bytes + length > maxBytes) {
      const expected = `${maxBytes} bytes under the log at most`;
      throw new Fault('copy_full', 'blob', { expected, found: `${kept.bytes + length}` });
    }
    kept.bytes += length;
  }
}

async function keptBytes(blobs: BlobStore): Promise<{ bytes: number }> {
  let bytes = 0;
  for await (const hash of blobs.list()) bytes += (await blobs.read(hash))?.size ?? 0;
  return { bytes };
}

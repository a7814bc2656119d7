import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex, toHashHex } from '@assay/core/hash';
import type { BlobStore } from './blob-store.ts';
import { ensureFolder, errorCode, syncFolder, writeDurable } from './durable-file.ts';
import { nodeSha256 } from './node-sha256.ts';

/**
 * Blobs as files `<folder>/<first two digits>/<all 64 digits>`, staged in `<folder>/tmp`. Each is whole
 * from the moment it has its name, so that many readers and writers may share the folder; only the
 * one that opens it clears the stage, and that one belongs to whoever holds the ledger.
 */
export class FileBlobStore implements BlobStore {
  readonly #folder: string;
  readonly #stage: string;
  readonly #sync: boolean;
  /** The prefixes whose folder this process has made durable. */
  readonly #prefixes = new Set<string>();

  private constructor(folder: string, sync: boolean) {
    this.#folder = folder;
    this.#sync = sync;
    this.#stage = join(folder, 'tmp');
  }

  /**
   * Makes the folder where it is missing, and takes away what an earlier process left half written.
   * Without `sync` a power cut may take blobs that were put: for data that nobody relies on.
   */
  static async open(
    folder: string,
    options: { readonly sync?: boolean } = {},
  ): Promise<FileBlobStore> {
    const store = new FileBlobStore(folder, options.sync ?? true);
    await ensureFolder(store.#stage);
    for (const name of await readdir(store.#stage)) {
      await rm(join(store.#stage, name), { recursive: true });
    }
    return store;
  }

  readonly put = async (bytes: Uint8Array): Promise<HashHex> => {
    const hash = hashHex(contentHash(nodeSha256, bytes));
    const prefix = join(this.#folder, hash.slice(0, 2));
    if ((await this.#read(hash))?.whole === true) {
      // Another process may have named it and ended before its sync.
      if (this.#sync) await syncFolder(prefix);
      return hash;
    }
    if (!this.#prefixes.has(prefix)) {
      await ensureFolder(prefix);
      this.#prefixes.add(prefix);
    }
    await writeDurable(this.#pathOf(hash), bytes, { stage: this.#stage, sync: this.#sync });
    return hash;
  };

  readonly get = async (hash: HashHex): Promise<Uint8Array | undefined> => {
    const found = await this.#read(hash);
    if (found === undefined || found.whole) return found?.bytes;
    throw new Fault('blob_differs', 'blob', {
      expected: `sha256 ${hash}`,
      found: hashHex(contentHash(nodeSha256, found.bytes)),
    });
  };

  readonly has = async (hash: HashHex): Promise<boolean> => {
    try {
      return (await stat(this.#pathOf(hash))).isFile();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  };

  readonly list = (): AsyncIterable<HashHex> => this.#list();

  #pathOf(hash: HashHex): string {
    // A path is made of it, so the brand alone is not enough.
    return join(this.#folder, hash.slice(0, 2), toHashHex(hash));
  }

  async #read(hash: HashHex): Promise<{ bytes: Uint8Array; whole: boolean } | undefined> {
    try {
      const bytes = new Uint8Array(await readFile(this.#pathOf(hash)));
      return { bytes, whole: hashHex(contentHash(nodeSha256, bytes)) === hash };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async *#list(): AsyncGenerator<HashHex> {
    const prefixes = (await readdir(this.#folder)).filter((name) => /^[0-9a-f]{2}$/.test(name));
    for (const prefix of prefixes.sort()) {
      for (const name of (await readdir(join(this.#folder, prefix))).sort()) {
        if (/^[0-9a-f]{64}$/.test(name) && name.startsWith(prefix)) yield toHashHex(name);
      }
    }
  }
}

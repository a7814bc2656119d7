import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex, toHashHex } from '@assay/core/hash/hash';
import type { BlobReader, BlobStore } from './blob-store.ts';
import { ensureFolder, errorCode, syncFolder, writeDurable } from '../platform/durable-file.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { isNoRoom } from '../platform/storage-fault.ts';
import { Semaphore } from '../platform/semaphore.ts';

/** The bytes of one piece of a blob that is read for somebody else. */
const PIECE = 64 * 1024;
/** For how many files it is remembered that they had their hash. */
const MAX_SOUND = 65_536;
/** How many pieces are read at the same time, by all readers of a store together. */
const MAX_READS = 16;

/**
 * Blobs as files `<folder>/<first two digits>/<all 64 digits>`, staged in `<folder>/tmp`. Each is complete from
 * the moment it has its name, so that many readers and writers can share the folder. Only the one that opens it
 * for writing clears the stage, and that one must hold the ledger.
 */
export class FileBlobStore implements BlobStore {
  readonly #folder: string;
  readonly #stage: string;
  readonly #sync: boolean;
  /** The prefixes whose folder this process has made durable. */
  readonly #prefixes = new Set<string>();

  readonly #reads = new Semaphore(MAX_READS);
  /** Files that had their hash, as they were then; the newest last. */
  readonly #sound = new Map<HashHex, string>();
  readonly #checking = new Map<HashHex, Promise<number>>();

  private constructor(folder: string, sync: boolean) {
    this.#folder = folder;
    this.#sync = sync;
    this.#stage = join(folder, 'tmp');
  }

  /**
   * Makes the folder if it is missing, and removes what an earlier process left unfinished. Without `sync` a
   * power failure may lose blobs that were stored; that is for data that nobody relies on.
   */
  static async open(
    folder: string,
    options: { readonly sync?: boolean } = {},
  ): Promise<FileBlobStore> {
    const store = new FileBlobStore(folder, options.sync ?? true);
    await ensureFolder(store.#stage);
    for (const name of await readdir(store.#stage)) {
      try {
        await rm(join(store.#stage, name), { recursive: true });
      } catch (error) {
        // It occupies space but does no other harm: blobs can still be read.
        if (!isNoRoom(error)) throw error;
      }
    }
    return store;
  }

  /** A folder that belongs to somebody else, or whose owner cannot start. Nothing in it is changed. */
  static reader(folder: string): Pick<BlobStore, 'read' | 'checked' | 'has'> {
    return new FileBlobStore(folder, false);
  }

  readonly put = async (bytes: Uint8Array): Promise<HashHex> => {
    const hash = hashHex(contentHash(nodeSha256, bytes));
    if (!this.#sync) {
      this.#putNow(hash, bytes);
      return hash;
    }
    const prefix = join(this.#folder, hash.slice(0, 2));
    if ((await this.#read(hash))?.whole === true) {
      // Another process may have named it and ended before it was synced.
      await syncFolder(prefix);
      return hash;
    }
    if (!this.#prefixes.has(prefix)) {
      await ensureFolder(prefix);
      this.#prefixes.add(prefix);
    }
    await writeDurable(this.#pathOf(hash), bytes, { stage: this.#stage });
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

  readonly read = async (hash: HashHex): Promise<BlobReader | undefined> => {
    const path = this.#pathOf(hash);
    try {
      const found = await stat(path);
      if (!found.isFile()) return undefined;
      const { size } = found;
      return { size, chunks: () => this.#pieces(path, size) };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  };

  readonly checked = async (hash: HashHex): Promise<BlobReader | undefined> => {
    const stamp = await this.#stampOf(hash);
    if (stamp === undefined) return undefined;
    if (this.#sound.get(hash) !== stamp) {
      const checking = this.#checking.get(hash) ?? this.#check(hash, stamp);
      this.#checking.set(hash, checking);
      await checking.finally(() => this.#checking.delete(hash));
    }
    return this.read(hash);
  };

  readonly has = async (hash: HashHex): Promise<boolean> => {
    try {
      return (await stat(this.#pathOf(hash))).isFile();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  };

  readonly verify = async (hash: HashHex): Promise<number | undefined> => {
    const stamp = await this.#stampOf(hash);
    if (stamp === undefined) return undefined;
    return this.#check(hash, stamp);
  };

  readonly list = (after?: HashHex): AsyncIterable<HashHex> => this.#list(after);

  /** Synchronously: without a sync there is little to wait for, and handing it to a thread costs more. */
  #putNow(hash: HashHex, bytes: Uint8Array): void {
    const path = this.#pathOf(hash);
    const held = statSync(path, { throwIfNoEntry: false });
    if (
      held?.size === bytes.length &&
      hashHex(contentHash(nodeSha256, readFileSync(path))) === hash
    ) {
      return;
    }
    const prefix = hash.slice(0, 2);
    if (!this.#prefixes.has(prefix)) mkdirSync(join(this.#folder, prefix), { recursive: true });
    this.#prefixes.add(prefix);
    const staged = join(this.#stage, `.${hash}.${randomBytes(8).toString('hex')}.tmp`);
    writeFileSync(staged, bytes, { flag: 'wx' });
    renameSync(staged, path);
  }

  /** What changes when a file does: its inode, its length and its times. */
  async #stampOf(hash: HashHex): Promise<string | undefined> {
    try {
      const found = await stat(this.#pathOf(hash), { bigint: true });
      if (!found.isFile()) return undefined;
      return `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Hashes a file piece by piece and returns its length. Throws `blob_differs`. */
  async #check(hash: HashHex, stamp: string): Promise<number> {
    const found = createHash('sha256');
    let bytes = 0;
    for await (const piece of (await this.read(hash))?.chunks() ?? []) {
      found.update(piece);
      bytes += piece.length;
    }
    const digest = found.digest('hex');
    if (digest !== hash) {
      this.#sound.delete(hash);
      throw new Fault('blob_differs', 'blob', { expected: `sha256 ${hash}`, found: digest });
    }
    this.#sound.delete(hash);
    this.#sound.set(hash, stamp);
    for (const [oldest] of this.#sound) {
      if (this.#sound.size <= MAX_SOUND) break;
      this.#sound.delete(oldest);
    }
    return bytes;
  }

  #pathOf(hash: HashHex): string {
    // A path is made from it, so the branded type alone is not enough.
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

  /**
   * The file is open only while a piece is read, so that a slow reader occupies neither a descriptor nor the
   * semaphore.
   */
  async *#pieces(path: string, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < size; at += PIECE) {
      yield await this.#reads.run(() => readPiece(path, at, Math.min(PIECE, size - at)));
    }
  }

  async *#list(after: string = ''): AsyncGenerator<HashHex> {
    const prefixes = (await readdir(this.#folder)).filter((name) => /^[0-9a-f]{2}$/.test(name));
    for (const prefix of prefixes.sort()) {
      if (prefix < after.slice(0, 2)) continue;
      for (const name of (await readdir(join(this.#folder, prefix))).sort()) {
        const isHash = /^[0-9a-f]{64}$/.test(name) && name.startsWith(prefix);
        if (isHash && name > after) yield toHashHex(name);
      }
    }
  }
}

async function readPiece(path: string, from: number, length: number): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled);
      if (bytesRead === 0) {
        throw new Fault('blob_differs', 'blob', {
          expected: `${from + length} bytes or more`,
          found: String(from + filled),
        });
      }
      filled += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

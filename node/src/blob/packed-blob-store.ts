import { randomBytes } from 'node:crypto';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex, toHashHex } from '@assay/core/hash/hash';
import { ensureFolder, errorCode, syncFolder } from '../platform/durable-file.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { isNoRoom } from '../platform/storage-fault.ts';
import { BlobIndex } from './blob-index.ts';
import {
  formatRecord,
  MOST_PACKED_BYTES,
  type PackedBlob,
  readRecord,
  readRecordHeader,
  RECORD_HEADER_BYTES,
  scanPack,
} from './blob-pack.ts';
import type { BlobReader, BlobStore } from './blob-store.ts';
import { FileBlobStore } from './file-blob-store.ts';
import { listedHashes, readPackList, writePackList } from './pack-list.ts';

const PACK = /^[0-9a-f]{16}\.pack$/;
/** A pack that is larger gets no more records: 64 MiB. */
const MOST_PACK_BYTES = 64 * 1024 * 1024;
/** A pack of an earlier process gets a list if it is larger; a smaller one is gone over at each start. */
const LEAST_LISTED_BYTES = 1024 * 1024;

interface Pack {
  readonly path: string;
  /** Up to where its records are in the index. */
  end: number;
  /** The records that its list, which is on the disk, does not have. */
  fresh: PackedBlob[];
  hasList: boolean;
}

/** A blob that waits for its sync. */
interface Waiting {
  readonly hash: Uint8Array;
  readonly record: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The pack that this process writes. */
interface OpenPack {
  readonly number: number;
  bytes: number;
}

/**
 * Blobs below 64 KiB in packs, `<folder>/packs/<16 digits>.pack`, and larger ones, and those that were stored before
 * there were packs, in files of their own. A process only appends to packs that it has begun itself, so that many can
 * share the folder, and one that ends midway leaves at most a record that is cut short, which nothing names.
 *
 * Blobs that are put at the same time are written and synced together.
 */
export class PackedBlobStore implements BlobStore {
  readonly #folder: string;
  readonly #files: Pick<BlobStore, 'read' | 'checked' | 'has'> & Partial<BlobStore>;
  readonly #sync: boolean;
  readonly #most: number;
  readonly #index = new BlobIndex();
  readonly #packs: Pack[] = [];
  readonly #known = new Set<string>();
  #waiting: Waiting[] = [];
  #isWriting = false;
  #open: OpenPack | undefined;
  /** The time at which the folder of the packs was changed, as it was read last. */
  #changed = -1n;
  #refreshing: Promise<void> | undefined;

  private constructor(
    folder: string,
    files: Pick<BlobStore, 'read' | 'checked' | 'has'> & Partial<BlobStore>,
    { sync = true, most = MOST_PACK_BYTES }: PackOptions,
  ) {
    this.#folder = join(folder, 'packs');
    this.#files = files;
    this.#sync = sync;
    this.#most = most;
  }

  /** Makes the folder if it is missing. Without `sync` a power failure may lose blobs that were stored. */
  static async open(folder: string, options: PackOptions = {}): Promise<PackedBlobStore> {
    const store = new PackedBlobStore(folder, await FileBlobStore.open(folder, options), options);
    await ensureFolder(store.#folder);
    await store.#refresh();
    await store.#listEarlier();
    return store;
  }

  /** A folder that belongs to somebody else, or whose owner cannot start. Nothing in it is changed. */
  static reader(folder: string): Pick<BlobStore, 'read' | 'checked' | 'has'> {
    return new PackedBlobStore(folder, FileBlobStore.reader(folder), {});
  }

  readonly put = async (bytes: Uint8Array): Promise<HashHex> => {
    const put = this.#files.put as BlobStore['put'];
    if (bytes.length > MOST_PACKED_BYTES) return put(bytes);
    const hash = contentHash(nodeSha256, bytes);
    if ((await this.#sound(hash)) !== undefined) return hashHex(hash);
    // What has a file of its own keeps it, and is repaired there.
    if (await this.#files.has(hashHex(hash))) return put(bytes);
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ hash, record: formatRecord(hash, bytes), resolve, reject });
      if (!this.#isWriting) void this.#drain();
    });
    return hashHex(hash);
  };

  readonly get = async (hash: HashHex): Promise<Uint8Array | undefined> => {
    const found = await this.#packed(hash);
    if (found?.isSound === true) return found.bytes;
    const file = await (this.#files.get as BlobStore['get'])(hash);
    if (file !== undefined || found === undefined) return file;
    throw differs(hash, found.bytes);
  };

  readonly read = async (hash: HashHex): Promise<BlobReader | undefined> => {
    const found = await this.#packed(hash);
    return found === undefined ? this.#files.read(hash) : readerOf(found.bytes);
  };

  readonly checked = async (hash: HashHex): Promise<BlobReader | undefined> => {
    const found = await this.#packed(hash);
    if (found?.isSound === true) return readerOf(found.bytes);
    const file = await this.#files.checked(hash);
    if (file !== undefined || found === undefined) return file;
    throw differs(hash, found.bytes);
  };

  readonly has = async (hash: HashHex): Promise<boolean> => {
    const bytes = parseHex(toHashHex(hash), 32);
    if ((await this.#isAt(bytes)) || (await this.#files.has(hash))) return true;
    return (await this.#refresh()) && this.#isAt(bytes);
  };

  readonly verify = async (hash: HashHex): Promise<number | undefined> => {
    const found = await this.#packed(hash);
    if (found?.isSound === true) return found.bytes.length;
    const file = await (this.#files.verify as BlobStore['verify'])(hash);
    if (file !== undefined || found === undefined) return file;
    throw differs(hash, found.bytes);
  };

  readonly list = (after?: HashHex): AsyncIterable<HashHex> => this.#list(after);

  async #sound(hash: Uint8Array): Promise<Uint8Array | undefined> {
    const found = await this.#at(hash);
    return found?.isSound === true ? found.bytes : undefined;
  }

  /** What the packs have under a hash. Where a place has other bytes, another one may have the right ones. */
  async #packed(hash: HashHex): Promise<Found | undefined> {
    const bytes = parseHex(toHashHex(hash), 32);
    const found = await this.#at(bytes);
    if (found?.isSound === true) return found;
    // Another process may have put it, or put it again.
    return (await this.#refresh()) ? this.#at(bytes) : found;
  }

  async #at(hash: Uint8Array): Promise<Found | undefined> {
    let bad: Found | undefined;
    for (const { pack, at } of this.#index.places(hash).toReversed()) {
      const { path } = this.#packs[pack] as Pack;
      const record = await readRecord(path, at);
      if (record === undefined || !equalBytes(record.hash, hash)) continue;
      const { bytes } = record;
      if (equalBytes(contentHash(nodeSha256, bytes), hash)) return { bytes, isSound: true };
      bad ??= { bytes, isSound: false };
    }
    return bad;
  }

  async #isAt(hash: Uint8Array): Promise<boolean> {
    for (const { pack, at } of this.#index.places(hash)) {
      const found = await readRecordHeader((this.#packs[pack] as Pack).path, at);
      if (found !== undefined && equalBytes(found.hash, hash)) return true;
    }
    return false;
  }

  /** Takes up what other processes have put since the last time. Returns whether there was anything. */
  #refresh(): Promise<boolean> {
    const before = this.#index.count;
    this.#refreshing ??= this.#readPacks().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing.then(() => this.#index.count > before);
  }

  async #readPacks(): Promise<void> {
    let changed: bigint;
    try {
      changed = (await stat(this.#folder, { bigint: true })).mtimeNs;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    if (changed !== this.#changed) {
      for (const entry of await readdir(this.#folder, { withFileTypes: true })) {
        const { name } = entry;
        // A pipe or a device may never end.
        if (!entry.isFile() || !PACK.test(name) || this.#known.has(name)) continue;
        await this.#takePack(name);
      }
      this.#changed = changed;
    }
    for (const [number, pack] of this.#packs.entries()) {
      // What is full gets no more records, whoever writes it.
      if (pack.end >= this.#most || number === this.#open?.number) continue;
      if ((await sizeOf(pack.path)) > pack.end) await this.#scan(number, pack);
    }
  }

  async #takePack(name: string): Promise<void> {
    const path = join(this.#folder, name);
    const list = await readPackList(listPath(path));
    const number = this.#packs.length;
    const end = list?.covered ?? 0;
    this.#packs.push({ path, end, fresh: [], hasList: list !== undefined });
    this.#known.add(name);
    for (const { hash, at } of list?.blobs ?? []) this.#index.add(hash, { pack: number, at });
    if ((await sizeOf(path)) > end) await this.#scan(number, this.#packs[number] as Pack);
  }

  async #scan(number: number, pack: Pack): Promise<void> {
    const { blobs, end } = await scanPack(pack.path, pack.end);
    pack.end = end;
    for (const each of blobs) {
      pack.fresh.push(each);
      this.#index.add(each.hash, { pack: number, at: each.at });
    }
  }

  /** Writes the lists of the packs of earlier processes that have none. */
  async #listEarlier(): Promise<void> {
    for (const pack of this.#packs) {
      if (pack.hasList || pack.end < LEAST_LISTED_BYTES) continue;
      try {
        await this.#writeList(pack);
      } catch (error) {
        // Without a list the pack is gone over at the next start as well.
        if (!isNoRoom(error)) throw error;
      }
    }
  }

  async #writeList(pack: Pack): Promise<void> {
    await writePackList(listPath(pack.path), { blobs: pack.fresh, covered: pack.end });
    pack.hasList = true;
    pack.fresh = [];
  }

  async #drain(): Promise<void> {
    this.#isWriting = true;
    // What is put in the same turn of the event loop is written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(batch);
      } catch (error) {
        // Nothing is appended to a file of which it is not known what it holds.
        this.#open = undefined;
        for (const { reject } of batch) reject(error);
        continue;
      }
      for (const { resolve } of batch) resolve();
    }
    this.#isWriting = false;
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const pack = (this.#open ??= await this.#begin());
    const start = pack.bytes;
    const bytes = Buffer.concat(batch.map(({ record }) => record));
    const { number } = pack;
    const of = this.#packs[number] as Pack;
    const file = await open(of.path, 'r+');
    try {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done);
        done += bytesWritten;
      }
      if (this.#sync) await file.datasync();
    } finally {
      await file.close();
    }
    pack.bytes += bytes.length;
    let at = start;
    for (const { hash, record } of batch) {
      this.#index.add(hash, { pack: number, at });
      of.fresh.push({ hash, at, length: record.length - RECORD_HEADER_BYTES });
      at += record.length;
    }
    of.end = pack.bytes;
    if (pack.bytes < this.#most) return;
    this.#open = undefined;
    await this.#writeList(of).catch((error: unknown) => {
      if (!isNoRoom(error)) throw error;
    });
  }

  async #begin(): Promise<OpenPack> {
    const name = `${randomBytes(8).toString('hex')}.pack`;
    const path = join(this.#folder, name);
    await (await open(path, 'wx')).close();
    const number = this.#packs.length;
    this.#packs.push({ path, end: 0, fresh: [], hasList: false });
    this.#known.add(name);
    if (this.#sync) await syncFolder(this.#folder);
    return { number, bytes: 0 };
  }

  async *#list(after: string = ''): AsyncGenerator<HashHex> {
    const files = (this.#files.list as BlobStore['list'])(
      after === '' ? undefined : toHashHex(after),
    );
    const own = files[Symbol.asyncIterator]();
    let file = await own.next();
    const start = after === '' ? 0 : Number.parseInt(after.slice(0, 2), 16);
    for (let first = start; first < 256; first += 1) {
      for (const hash of await this.#hashesFrom(first)) {
        if (hash <= after) continue;
        while (file.done !== true && file.value < hash) {
          yield file.value;
          file = await own.next();
        }
        if (file.done !== true && file.value === hash) file = await own.next();
        yield toHashHex(hash);
      }
    }
    for (; file.done !== true; file = await own.next()) yield file.value;
  }

  /** The hashes in packs that begin with a byte, in order, each once. */
  async #hashesFrom(first: number): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const pack of this.#packs) {
      const fresh = pack.fresh.filter(({ hash }) => hash[0] === first);
      for (const { hash } of fresh) found.add(formatHex(hash));
      if (!pack.hasList) continue;
      for (const hash of await listedHashes(listPath(pack.path), first)) found.add(formatHex(hash));
    }
    return [...found].sort();
  }
}

export interface PackOptions {
  readonly sync?: boolean;
  /** The bytes from which on a pack gets no more records. */
  readonly most?: number;
}

interface Found {
  readonly bytes: Uint8Array;
  readonly isSound: boolean;
}

/** 0 if there is no such file any more. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

function listPath(pack: string): string {
  return `${pack.slice(0, -'.pack'.length)}.list`;
}

function readerOf(bytes: Uint8Array): BlobReader {
  return {
    size: bytes.length,
    async *chunks() {
      if (bytes.length > 0) yield bytes;
    },
  };
}

function differs(hash: HashHex, bytes: Uint8Array): Fault {
  return new Fault('blob_differs', 'blob', {
    expected: `sha256 ${hash}`,
    found: hashHex(contentHash(nodeSha256, bytes)),
  });
}

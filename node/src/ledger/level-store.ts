import type { AbstractChainedBatch, AbstractLevel } from 'abstract-level';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { Fault, messageOf } from '@assay/core/fault';
import { errorCode } from '../durable-file.ts';
import { storageFault } from '../storage-fault.ts';
import { KeptFiles } from './kept-files.ts';
import type { EntryRow, LedgerStore, StoreBatch, StoredRow, TileRow, ViewRow } from './store.ts';
import {
  ENTRIES_END,
  entryKey,
  HEAD_KEY,
  readRow,
  TILE_RANGE,
  tileKey,
  VIEW_RANGE,
  viewKey,
} from './store-key.ts';

type Database = AbstractLevel<string | Buffer | Uint8Array, Uint8Array, Uint8Array>;
/** Takes each row at once, into memory of LevelDB's own: a third of the time of an array of operations. */
type Batch = AbstractChainedBatch<Database, string | Buffer | Uint8Array, Uint8Array>;

const ENCODINGS = { keyEncoding: 'view', valueEncoding: 'view' } as const;

/** Bytes of commits that may lie in LevelDB's log alone before they go to a table. */
export const WRITE_BUFFER_BYTES: number = 16 * 1024 * 1024;

/**
 * The ledger in LevelDB at `folder`, each commit one fsynced batch; without `sync`, on a development network, a
 * power cut may take back commits. Throws `ledger_corrupt`, `storage_failed`, or `refused` where another process
 * holds it.
 */
export async function openLevelStore(
  folder: string,
  { sync = true }: { readonly sync?: boolean } = {},
): Promise<LedgerStore> {
  const files = await KeptFiles.keep(folder);
  const database = new Level<Uint8Array, Uint8Array>(folder, {
    ...ENCODINGS,
    // Entries are hashed by us; compression only costs the time of a commit.
    compression: false,
    writeBufferSize: WRITE_BUFFER_BYTES,
    // LevelDB would begin anew over a database whose CURRENT is gone, and delete its other files.
    createIfMissing: !(files?.holdRows ?? false),
  });
  try {
    await database.open();
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    await (errorCode(cause) === 'LEVEL_LOCKED' ? files?.forget() : files?.putBack());
    throw openFault(folder, cause);
  }
  return new LevelStore(database as unknown as Database, { sync }, files);
}

function openFault(folder: string, cause: unknown): unknown {
  const found = messageOf(cause);
  if (errorCode(cause) === 'LEVEL_LOCKED') {
    const expected = 'no other process on it';
    return new Fault('refused', 'ledger database', { at: folder, expected, found, cause });
  }
  // A file that is missing is the database's fault; any other failure of a file is the disk's.
  if (errorCode(cause) === 'LEVEL_IO_ERROR' && !found.endsWith('No such file or directory')) {
    return storageFault(cause, 'ledger database');
  }
  const expected = 'a LevelDB that opens';
  return new Fault('ledger_corrupt', 'ledger database', { at: folder, expected, found, cause });
}

/** The ledger in memory: the same code over an in-memory level. */
export async function openMemoryStore(): Promise<LedgerStore> {
  const database = new MemoryLevel<Uint8Array, Uint8Array>({ ...ENCODINGS, storeEncoding: 'view' });
  await database.open();
  return new LevelStore(database as unknown as Database, {}, undefined);
}

class LevelStore implements LedgerStore {
  readonly #database: Database;
  readonly #write: object;
  #files: KeptFiles | undefined;

  constructor(database: Database, write: object, files: KeptFiles | undefined) {
    this.#database = database;
    this.#write = write;
    this.#files = files;
  }

  async settle(): Promise<void> {
    const files = this.#files;
    this.#files = undefined;
    await files?.drop();
  }

  async commit(batch: StoreBatch): Promise<void> {
    if (this.#files !== undefined) await this.settle();
    const writing = this.#database.batch();
    putAll(writing, batch);
    await writing.write(this.#write);
  }

  async head(): Promise<Uint8Array | undefined> {
    return this.#database.get(HEAD_KEY);
  }

  async entry(seq: number): Promise<Uint8Array | undefined> {
    return this.#database.get(entryKey(seq));
  }

  async *entries(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (start >= end) return;
    yield* this.#database.values({ gte: entryKey(start), lt: entryKey(end) });
  }

  async tile(level: number, index: number): Promise<Uint8Array | undefined> {
    return this.#database.get(tileKey(level, index));
  }

  async *views(): AsyncGenerator<ViewRow> {
    for await (const [key, value] of this.#database.iterator(VIEW_RANGE)) {
      const row = readRow(key, value);
      if (row.part === 'view') yield { table: row.table, key: row.key, value: row.value };
    }
  }

  async *rows(): AsyncGenerator<StoredRow> {
    for await (const [key, value] of this.#database.iterator()) yield readRow(key, value);
  }

  async rewrite(
    size: number,
    rest: { tiles: Iterable<TileRow>; views: Iterable<ViewRow>; head: Uint8Array },
  ): Promise<void> {
    await this.settle();
    const writing = this.#database.batch();
    const gone = [{ gte: entryKey(size), lt: ENTRIES_END }, TILE_RANGE, VIEW_RANGE];
    for (const range of gone) {
      for await (const key of this.#database.keys(range)) writing.del(key);
    }
    putAll(writing, { entries: [], ...rest });
    await writing.write(this.#write);
  }

  async close(): Promise<void> {
    await this.#database.close();
    const files = this.#files;
    this.#files = undefined;
    await files?.putBack();
  }
}

function putAll(
  writing: Batch,
  rows: {
    readonly entries: Iterable<EntryRow>;
    readonly tiles: Iterable<TileRow>;
    readonly views: Iterable<ViewRow>;
    readonly head: Uint8Array | null;
  },
): void {
  for (const { seq, bytes } of rows.entries) writing.put(entryKey(seq), bytes);
  for (const { level, index, bytes } of rows.tiles) writing.put(tileKey(level, index), bytes);
  for (const { table, key, value } of rows.views) writing.put(viewKey(table, key), value);
  if (rows.head !== null) writing.put(HEAD_KEY, rows.head);
}

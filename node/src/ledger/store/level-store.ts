import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AbstractBatchOperation, AbstractChainedBatch } from 'abstract-level';
import { MemoryLevel } from 'memory-level';
import { Fault } from '@assay/core/fault';
import { storageFault } from '../../platform/storage-fault.ts';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import type { KeptFiles } from './kept-files.ts';
import { KeyFile } from './key-file.ts';
import {
  codedError,
  type Database,
  ENCODINGS,
  openDatabase,
  type Opened,
  openForWrites,
  openLinked,
  scratchBeside,
} from './level-database.ts';
import { LinkedView } from './linked-view.ts';
import { isPassing, syncLogs } from './log-sync.ts';
import { ScratchView } from './scratch-view.ts';
import { SortedKeys } from './sorted-keys.ts';
import type {
  CommitOptions,
  EntryRow,
  LedgerStore,
  Scratch,
  SealedRow,
  StoreBatch,
  StoredRow,
  TileRow,
} from './store.ts';
import {
  ENTRIES_END,
  entryKey,
  HEAD_KEY,
  KEYED_TABLES,
  readRow,
  OTHER_RANGES,
  tableRange,
  tileKey,
  VIEW_RANGE,
  viewBytes,
  viewKey,
} from './store-key.ts';
import { leaveTableList } from './table-list.ts';

/**
 * Passes each row at once to LevelDB's own memory, which takes a third of the time of an array of operations.
 */
type Batch = AbstractChainedBatch<Database, string | Buffer | Uint8Array, Uint8Array>;

/** Fewer keys than these are read from the database at each start. */
const FEW_KEYS = 20_000;

/** How many keys of rows are read at once. */
const KEYS_AT_ONCE = 4096;

/** How many bytes of rows a rewrite writes at once. */
const PIECE_BYTES = 4 * 1024 * 1024;

export interface LevelOptions {
  /** False on a development network: nothing is synced, and a power failure may undo commits. */
  readonly sync?: boolean;
  /**
   * Folders on other disks, in the order in which they are tried, with which a database that cannot be written
   * is read: see `ScratchView`. Without them, a database on a full or read-only disk does not open.
   */
  readonly scratch?: readonly string[];
  /** Whether the keys of view rows are kept in a file beside the database, if they are many. */
  readonly keepsKeys?: boolean;
}

/**
 * The ledger in LevelDB at `folder`, with each commit as one batch. On a full or read-only disk it is only
 * read, if there is a folder for that. Throws `ledger_corrupt`, `storage_failed`, `no_room`, or `refused` if
 * another process holds it.
 */
export async function openLevelStore(
  folder: string,
  options: LevelOptions = {},
): Promise<LedgerStore> {
  return new LevelStore(
    options.sync ?? true,
    folder,
    await openDatabase(folder, options.scratch),
    options,
  );
}

/** A database for rows that are needed for a while, in a folder that is made for it. Throws `no_room` or `storage_failed`. */
export async function openScratch(folder: string): Promise<LedgerStore> {
  try {
    // LevelDB's own attempt does not tell why it failed.
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    throw storageFault(error, 'view rows');
  }
  try {
    return await openLevelStore(folder, { sync: false });
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** The ledger in memory: the same code over an in-memory level. */
export async function openMemoryStore(): Promise<LedgerStore> {
  const database = new MemoryLevel<Uint8Array, Uint8Array>({ ...ENCODINGS, storeEncoding: 'view' });
  await database.open();
  const opened = { files: undefined, tables: [], view: undefined, readOnly: undefined };
  return new LevelStore(
    undefined,
    '',
    { ...opened, database: database as unknown as Database },
    {},
  );
}

class LevelStore implements LedgerStore {
  /** Whether anything is synced at all. */
  readonly #syncs: boolean;
  readonly #folder: string;
  readonly #isMemory: boolean;
  /** What is read from. It is replaced by another open database, so that there is one at every moment. */
  #opened: Opened;
  #files: KeptFiles | undefined;
  /** Whether something has failed since the database was opened, so that nobody knows what is on the disk. */
  #hasFailed = false;
  /** Why it could not be opened again. */
  #unopened: Fault | undefined;
  #reopening: Promise<void> | undefined;
  #isClosed = false;
  /** Undefined until somebody asks for them. */
  #keys: SortedKeys | undefined;
  #keyFile: KeyFile | undefined;
  /** Where the keys are kept; undefined if they are not. */
  readonly #keyPath: string | undefined;
  #isKeyFilePassed = false;
  /** Those that were made and are still there. */
  readonly #scratches = new Set<Promise<Scratch>>();

  constructor(
    sync: boolean | undefined,
    folder: string,
    opened: Opened,
    { keepsKeys = false }: LevelOptions,
  ) {
    this.#keyPath = keepsKeys ? `${folder}.keys` : undefined;
    this.#isMemory = sync === undefined;
    this.#syncs = sync ?? false;
    this.#folder = folder;
    this.#opened = opened;
    this.#files = opened.files;
  }

  get readOnly(): Fault | undefined {
    return this.#unopened ?? this.#opened.readOnly;
  }

  async settle(): Promise<void> {
    const files = this.#files;
    this.#files = undefined;
    try {
      await files?.drop();
      if (files !== undefined) await LinkedView.removeAll(this.#folder);
    } catch (error) {
      this.#hasFailed = true;
      throw storageFault(error, 'ledger database');
    }
  }

  async commit(batch: StoreBatch, { sync = true }: CommitOptions = {}): Promise<void> {
    const database = await this.#writer();
    this.#addKeys(batch.views, batch.head);
    const writing = database.batch();
    putAll(writing, batch);
    await this.#written(writing, sync);
  }

  async sync(): Promise<void> {
    if (!this.#syncs) return;
    await this.#reopening?.catch(() => undefined);
    this.#requireSyncable();
    try {
      await syncLogs(this.#folder);
    } catch (error) {
      if (!isPassing(error)) this.#hasFailed = true;
      throw storageFault(error, 'ledger database');
    }
    // LevelDB may have been told meanwhile of what this sync was then not told of.
    this.#requireSyncable();
  }

  /** Throws `stopped` where a sync could call durable what is not. */
  #requireSyncable(): void {
    let found: string;
    if (this.#isClosed) found = 'it is closed';
    // The system reports a failed write once: a sync after it would succeed, whatever was lost.
    else if (this.#hasFailed) found = 'an earlier write or sync failed';
    // A close brings back the files that were found, of which nobody knows whether they are durable. A sync is no reason
    // to drop them: what LevelDB made of them may lack entries, and nobody has examined it.
    else if (this.#files !== undefined) found = 'what was found in it is not settled';
    else return;
    throw new Fault('stopped', 'ledger database', { found });
  }

  /** The database for a write, which settles what was found. */
  async #writer(): Promise<Database> {
    await this.#reopening?.catch(() => undefined);
    if (this.readOnly !== undefined) throw this.readOnly;
    if (this.#files !== undefined) await this.settle();
    return this.#opened.database;
  }

  async #written(writing: Batch, sync = true): Promise<void> {
    try {
      await writing.write({ sync: this.#syncs && sync } as object);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  reopen(): Promise<void> {
    if (this.#isMemory) return Promise.resolve();
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  /**
   * A database cannot be opened twice in one folder. So what is read from meanwhile is a view of it, which is opened
   * before the database is closed, and closed after it was opened again. Where that view cannot be made, the database
   * stays open as it is.
   */
  async #reopen(): Promise<void> {
    if (!this.#hasFailed && this.readOnly === undefined) return;
    try {
      if (!(this.#opened.view instanceof LinkedView)) {
        const database = this.#opened;
        this.#opened = await openLinked(this.#folder);
        await this.#shut(database);
      }
      const view = this.#opened;
      this.#opened = await openForWrites(this.#folder);
      this.#files = this.#opened.files;
      this.#hasFailed = false;
      this.#unopened = undefined;
      await this.#shut(view).catch(() => undefined);
    } catch (error) {
      const fault = storageFault(error, 'ledger database');
      if (fault instanceof Fault) this.#unopened = fault;
      throw fault;
    }
  }

  /** The database for reads that can wait. */
  get #reader(): Database {
    return this.#opened.database;
  }

  async head(): Promise<Uint8Array | undefined> {
    return this.#reader.get(HEAD_KEY);
  }

  async entry(seq: number): Promise<Uint8Array | undefined> {
    return this.#reader.get(entryKey(seq));
  }

  async *entries(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (start >= end) return;
    yield* this.#reader.values({ gte: entryKey(start), lt: entryKey(end) });
  }

  async tile(level: number, index: number): Promise<Uint8Array | undefined> {
    return this.#reader.get(tileKey(level, index));
  }

  async *views(table?: string): AsyncGenerator<SealedRow> {
    const range = table === undefined ? VIEW_RANGE : tableRange(table);
    for await (const [key, value] of this.#reader.iterator(range)) {
      const row = readRow(key, value);
      if (row.part === 'view') yield row;
    }
  }

  view(table: string, key: string): SealedRow | undefined {
    if (this.#isClosed) throw new Fault('stopped', 'ledger database', { found: 'it is closed' });
    const name = viewKey(table, key);
    const value = this.#getSync(name);
    if (value === undefined) return undefined;
    const row = readRow(name, value);
    return row.part === 'view' ? row : undefined;
  }

  #getSync(name: Uint8Array): Uint8Array | undefined {
    try {
      return this.#opened.database.getSync(name);
    } catch (error) {
      throw codedError(error);
    }
  }

  async viewKeys(kept: boolean): Promise<SortedKeys> {
    if (kept && this.#keys !== undefined) return this.#keys;
    this.#keys = undefined;
    if (!kept) this.#dropKeyFile();
    const head = await this.head();
    const path = this.#keyPath;
    const read =
      kept && path !== undefined && head !== undefined
        ? KeyFile.read(nodeSha256, path, head)
        : undefined;
    this.#keyFile = read?.file;
    this.#keys = read?.keys ?? (await this.#readKeys());
    if (this.#keyFile === undefined) this.#makeKeyFile(head);
    return this.#keys;
  }

  hasKey(table: string, key: string): boolean {
    return KEYED_TABLES.has(table) || this.#keys?.has(`${table}\0${key}`) !== false;
  }

  async #readKeys(): Promise<SortedKeys> {
    const loader = SortedKeys.load();
    const passed = [...KEYED_TABLES].map((table) => viewKey(table, '')).sort(compareBytes);
    const keys = this.#reader.keys(VIEW_RANGE);
    try {
      let next = 0;
      for (;;) {
        const some = await keys.nextv(KEYS_AT_ONCE);
        if (some.length === 0) return loader.done();
        let after: Uint8Array | undefined;
        for (const key of some) {
          while (next < passed.length && isPast(key, passed[next] as Uint8Array)) next += 1;
          const table = passed[next];
          if (table !== undefined && startsWith(key, table)) {
            after = table.slice();
            after[after.length - 1] = 1;
            break;
          }
          loader.add(key.subarray(1));
        }
        if (after !== undefined) keys.seek(after);
      }
    } finally {
      await keys.close();
    }
  }

  /** Adds the keys of rows that are about to be written. */
  #addKeys(rows: readonly SealedRow[], head: Uint8Array | null): void {
    const keys = this.#keys;
    if (keys === undefined) return;
    const added: string[] = [];
    for (const { table, key } of rows) {
      const name = `${table}\0${key}`;
      if (!KEYED_TABLES.has(table) && keys.add(name)) added.push(name);
    }
    const hasAdded = this.#keyFile === undefined;
    if (hasAdded) this.#makeKeyFile(undefined);
    try {
      this.#keyFile?.add(hasAdded ? [] : added, keys, head);
    } catch {
      this.#passKeyFile();
    }
  }

  /** Begins a file of the keys, if they are many. `head` is that of the database, if all of them belong to it. */
  #makeKeyFile(head: Uint8Array | undefined): void {
    const [keys, path] = [this.#keys, this.#keyPath];
    if (keys === undefined || keys.size < FEW_KEYS || path === undefined) return;
    if (this.#isKeyFilePassed || this.readOnly !== undefined) return;
    try {
      this.#keyFile = KeyFile.make(nodeSha256, path, keys, head);
    } catch {
      this.#passKeyFile();
    }
  }

  /** Does without the file: a disk that does not take it has nothing to do with the log. */
  #passKeyFile(): void {
    this.#isKeyFilePassed = true;
    this.#dropKeyFile();
  }

  #dropKeyFile(): void {
    try {
      this.#keyFile?.remove();
    } catch {
      // What is left in it does not have the head of the database.
    }
    this.#keyFile = undefined;
  }

  /** The rows become others. */
  #dropKeys(): void {
    this.#keys = undefined;
    this.#dropKeyFile();
  }

  async scratch(): Promise<Scratch> {
    if (this.#isClosed) throw new Fault('stopped', 'ledger database', { found: 'it is closed' });
    const made: Promise<Scratch> = this.#makeScratch(() => this.#scratches.delete(made));
    this.#scratches.add(made);
    made.catch(() => this.#scratches.delete(made));
    return made;
  }

  async #makeScratch(onDropped: () => void): Promise<Scratch> {
    const folder = this.#scratchFolder();
    const store = await (folder === undefined ? openMemoryStore() : openScratch(folder));
    let dropped: Promise<void> | undefined;
    // What cannot be removed now is removed by whoever opens the database next.
    const drop = async (): Promise<void> => {
      await store.close().catch(() => undefined);
      if (folder !== undefined) {
        await rm(folder, { recursive: true, force: true }).catch(() => undefined);
      }
      onDropped();
    };
    return { store, drop: () => (dropped ??= drop()) };
  }

  /** Beside the database, or in the view of one whose disk takes nothing, which goes with it. */
  #scratchFolder(): string | undefined {
    if (this.#isMemory) return undefined;
    const { view } = this.#opened;
    const isOfView = view instanceof ScratchView;
    return scratchBeside(isOfView ? join(view.folder, 'rows') : this.#folder);
  }

  async *rows(): AsyncGenerator<StoredRow> {
    for await (const [key, value] of this.#reader.iterator()) yield readRow(key, value);
  }

  async rewrite(
    size: number,
    { tiles, views, head }: Parameters<LedgerStore['rewrite']>[1],
  ): Promise<void> {
    const database = await this.#writer();
    this.#dropKeys();
    const first = database.batch();
    for await (const key of database.keys({ gte: entryKey(size), lt: ENTRIES_END })) {
      first.del(key);
    }
    putAll(first, { entries: [], tiles: [], views: [], head });
    await this.#written(first);
    if (tiles !== undefined) {
      await this.#inPieces(database, drops(database, OTHER_RANGES));
      await this.#inPieces(database, tilePuts(tiles));
    }
    await this.#inPieces(database, replacedRows(database, views));
  }

  /**
   * Writes in batches of bounded size, because a log's tiles and rows may take more memory than is available twice. The memory
   * of an array of operations is free once it is written; that of a chained batch is LevelDB's until its object is collected,
   * and nothing else here makes the collector run.
   */
  async #inPieces(database: Database, pieces: AsyncIterable<Piece>): Promise<void> {
    let operations: Operation[] = [];
    let bytes = 0;
    const write = async (): Promise<void> => {
      if (operations.length === 0) return;
      try {
        await database.batch(operations, { sync: this.#syncs } as object);
      } catch (error) {
        this.#hasFailed = true;
        throw error;
      }
      operations = [];
      bytes = 0;
    };
    for await (const piece of pieces) {
      operations.push(piece.operation);
      bytes += piece.bytes;
      if (bytes >= PIECE_BYTES) await write();
    }
    await write();
  }

  async close(): Promise<void> {
    await this.#reopening?.catch(() => undefined);
    this.#isClosed = true;
    for (const made of this.#scratches)
      await made.then(({ drop }) => drop()).catch(() => undefined);
    await this.#closeKeyFile();
    await this.#shut(this.#opened);
  }

  async #closeKeyFile(): Promise<void> {
    if (this.#keys === undefined) return;
    try {
      this.#keyFile?.close(this.#keys, await this.head());
    } catch {
      // The next start reads the keys from the database.
    }
  }

  async #shut({ database, view, tables }: Opened): Promise<void> {
    await database.close();
    await view?.remove();
    if (view !== undefined) return;
    const files = this.#files;
    this.#files = undefined;
    await files?.putBack();
    if (!this.#isMemory && !this.#hasFailed) await leaveTableList(this.#folder, tables);
  }
}

type Operation = AbstractBatchOperation<Database, Uint8Array, Uint8Array>;

/** One row of a rewrite. */
interface Piece {
  readonly bytes: number;
  readonly operation: Operation;
}

async function* drops(database: Database, ranges: typeof OTHER_RANGES): AsyncGenerator<Piece> {
  for (const range of ranges) {
    for await (const key of database.keys(range)) {
      yield dropOf(key);
    }
  }
}

async function* tilePuts(tiles: AsyncIterable<TileRow> | Iterable<TileRow>): AsyncGenerator<Piece> {
  for await (const { level, index, bytes } of tiles) {
    const operation = { type: 'put', key: tileKey(level, index), value: bytes } as const;
    yield { bytes: bytes.length, operation };
  }
}

/**
 * Puts rows in the order of their keys, and drops the stored ones that are not among them. Each is replaced in one write, so
 * that whoever reads meanwhile finds every row that is among both. Throws a TypeError for rows in another order.
 */
async function* replacedRows(
  database: Database,
  views: AsyncIterable<SealedRow> | Iterable<SealedRow>,
): AsyncGenerator<Piece> {
  const stored = database.keys(VIEW_RANGE);
  try {
    let old = await stored.next();
    let last: Uint8Array | undefined;
    for await (const row of views) {
      const key = viewKey(row.table, row.key);
      if (last !== undefined && compareBytes(last, key) >= 0) {
        throw new TypeError('rewrite: rows come in the order of their keys');
      }
      last = key;
      for (; old !== undefined && compareBytes(old, key) < 0; old = await stored.next()) {
        yield dropOf(old);
      }
      if (old !== undefined && compareBytes(old, key) === 0) old = await stored.next();
      const bytes = viewBytes(row);
      yield { bytes: bytes.length, operation: { type: 'put', key, value: bytes } };
    }
    for (; old !== undefined; old = await stored.next()) yield dropOf(old);
  } finally {
    await stored.close();
  }
}

function dropOf(key: Uint8Array): Piece {
  return { bytes: key.length, operation: { type: 'del', key } };
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b);
}

function startsWith(key: Uint8Array, start: Uint8Array): boolean {
  if (key.length < start.length) return false;
  for (let i = 0; i < start.length; i += 1) if (key[i] !== start[i]) return false;
  return true;
}

/** Whether a key is behind all keys that begin so. */
function isPast(key: Uint8Array, start: Uint8Array): boolean {
  return Buffer.compare(key, start) > 0 && !startsWith(key, start);
}

function putAll(
  writing: Batch,
  rows: {
    readonly entries: Iterable<EntryRow>;
    readonly tiles: Iterable<TileRow>;
    readonly views: Iterable<SealedRow>;
    readonly head: Uint8Array | null;
  },
): void {
  for (const { seq, bytes } of rows.entries) writing.put(entryKey(seq), bytes);
  for (const { level, index, bytes } of rows.tiles) writing.put(tileKey(level, index), bytes);
  for (const row of rows.views) writing.put(viewKey(row.table, row.key), viewBytes(row));
  if (rows.head !== null) writing.put(HEAD_KEY, rows.head);
}

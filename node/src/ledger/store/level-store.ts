import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AbstractChainedBatch, AbstractLevel } from 'abstract-level';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { Fault, messageOf } from '@assay/core/fault';
import { errorCode } from '../../platform/durable-file.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import { KeptFiles } from './kept-files.ts';
import { KeyFile } from './key-file.ts';
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
import { checkTables } from './table-check.ts';
import { leaveTableList, takeTableList } from './table-list.ts';

type Database = AbstractLevel<string | Buffer | Uint8Array, Uint8Array, Uint8Array>;
/**
 * Passes each row at once to LevelDB's own memory, which takes a third of the time of an array of operations.
 */
type Batch = AbstractChainedBatch<Database, string | Buffer | Uint8Array, Uint8Array>;

const ENCODINGS = { keyEncoding: 'view', valueEncoding: 'view' } as const;

/** Fewer keys than these are read from the database at each start. */
const FEW_KEYS = 20_000;

/** How many keys of rows are read at once. */
const KEYS_AT_ONCE = 4096;

/** The name of a store beside this one ends with it. */
const SCRATCH = '.proof';

/** How many bytes of rows a rewrite writes at once. */
const PIECE_BYTES = 4 * 1024 * 1024;

/**
 * How many tables are open at a time. LevelDB maps each into memory, and what was read of it counts as resident
 * until it is closed: with the usual 1,000, a walk over a log of 250 MB leaves 250 MB mapped. LevelDB accepts
 * no fewer than these.
 */
const MAX_OPEN_FILES = 74;

/** The size of a table: half of the usual one, so that those that are open take half as much. */
const MAX_FILE_BYTES = 1024 * 1024;

/** The bytes of commits that may be only in LevelDB's log before they go into a table. */
export const WRITE_BUFFER_BYTES: number = 16 * 1024 * 1024;

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
  return new LevelStore(options.sync ?? true, folder, await openSomehow(folder, options), options);
}

/** An open database: for writing, with the files that it had before, or through a view only for reading. */
interface Opened {
  readonly database: Database;
  readonly files: KeptFiles | undefined;
  /** The numbers of the tables that were checked before it was opened. */
  readonly tables: readonly number[];
  readonly view: ScratchView | LinkedView | undefined;
  /** Why it cannot be written. */
  readonly readOnly: Fault | undefined;
}

/** How often a view is made of a database whose background work may be changing its files. */
const MAX_VIEWS = 5;

async function openSomehow(folder: string, { scratch = [] }: LevelOptions): Promise<Opened> {
  try {
    return await openForWrites(folder);
  } catch (error) {
    const fault = storageFault(error, 'ledger database');
    if (!(fault instanceof Fault) || fault.code !== 'no_room' || scratch.length === 0) throw fault;
    return openForReads(folder, scratch, fault);
  }
}

async function openForWrites(folder: string): Promise<Opened> {
  const tables = await checkTables(folder, await takeTableList(folder));
  const files = await KeptFiles.keep(folder);
  const database = levelAt(folder, !(files?.holdRows ?? false));
  try {
    await database.open();
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    await (errorCode(cause) === 'LEVEL_LOCKED' ? files?.forget() : files?.putBack());
    throw openFault(folder, cause);
  }
  return { database, files, tables, view: undefined, readOnly: undefined };
}

async function openForReads(
  folder: string,
  scratch: readonly string[],
  readOnly: Fault,
): Promise<Opened> {
  const view = await ScratchView.make(folder, scratch);
  const database = levelAt(view.folder, false);
  try {
    await database.open();
  } catch (error) {
    await view.remove();
    throw openFault(folder, (error as Error).cause ?? error);
  }
  return { database, files: undefined, tables: [], view, readOnly };
}

/** A view beside a database, which may be open and may be finishing its background work; nobody writes to it meanwhile. */
async function openLinked(folder: string): Promise<Opened> {
  for (let tries = 1; ; tries += 1) {
    const view = await LinkedView.make(folder);
    const database = levelAt(view.folder, false);
    try {
      await database.open();
      return { database, files: undefined, tables: [], view, readOnly: undefined };
    } catch (error) {
      await view.remove();
      if (tries < MAX_VIEWS) continue;
      // The database itself is open and as it was, so nothing is said about it.
      const cause = (error as Error).cause ?? error;
      throw new Fault('storage_failed', 'ledger database', {
        at: folder,
        expected: 'a view of it that opens, from which it is read while it is opened again',
        found: messageOf(cause),
        cause,
      });
    }
  }
}

function levelAt(folder: string, createIfMissing: boolean): Database {
  const database = new Level<Uint8Array, Uint8Array>(folder, {
    ...ENCODINGS,
    // We hash entries ourselves. Compression would only cost time in a commit.
    compression: false,
    writeBufferSize: WRITE_BUFFER_BYTES,
    maxOpenFiles: MAX_OPEN_FILES,
    maxFileSize: MAX_FILE_BYTES,
    // LevelDB would begin a new database over one whose CURRENT is missing, and delete its other files.
    createIfMissing,
  });
  return database as unknown as Database;
}

function openFault(folder: string, cause: unknown): unknown {
  const found = messageOf(cause);
  if (errorCode(cause) === 'LEVEL_LOCKED') {
    const expected = 'no other process on it';
    return new Fault('refused', 'ledger database', { at: folder, expected, found, cause });
  }
  // A missing file is a fault of the database; any other failure of a file is one of the disk.
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
    const value = this.#opened.database.getSync(name);
    if (value === undefined) return undefined;
    const row = readRow(name, value);
    return row.part === 'view' ? row : undefined;
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
    if (this.#isMemory) {
      const store = await openMemoryStore();
      return { store, drop: () => store.close() };
    }
    const parent = dirname(this.#folder);
    for (const name of await readdir(parent)) {
      // What an interrupted process left. Nobody else has this database open.
      if (!name.startsWith(`${basename(this.#folder)}.`) || !name.endsWith(SCRATCH)) continue;
      await rm(join(parent, name), { recursive: true, force: true });
    }
    const folder = `${this.#folder}.${randomBytes(8).toString('hex')}${SCRATCH}`;
    const store = await openLevelStore(folder, { sync: false });
    const drop = async (): Promise<void> => {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    };
    return { store, drop };
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
   * Writes in batches of bounded size, because a log's tiles and rows may take more memory than is available
   * twice.
   */
  async #inPieces(database: Database, pieces: AsyncIterable<Piece>): Promise<void> {
    let writing = database.batch();
    let bytes = 0;
    for await (const piece of pieces) {
      piece.into(writing);
      bytes += piece.bytes;
      if (bytes < PIECE_BYTES) continue;
      await this.#written(writing);
      writing = database.batch();
      bytes = 0;
    }
    await this.#written(writing);
  }

  async close(): Promise<void> {
    await this.#reopening?.catch(() => undefined);
    this.#isClosed = true;
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

/** One row of a rewrite. */
interface Piece {
  readonly bytes: number;
  readonly into: (writing: Batch) => void;
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
    yield {
      bytes: bytes.length,
      into: (writing) => void writing.put(tileKey(level, index), bytes),
    };
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
      yield { bytes: bytes.length, into: (writing) => void writing.put(key, bytes) };
    }
    for (; old !== undefined; old = await stored.next()) yield dropOf(old);
  } finally {
    await stored.close();
  }
}

function dropOf(key: Uint8Array): Piece {
  return { bytes: key.length, into: (writing) => void writing.del(key) };
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

import type { AbstractChainedBatch, AbstractLevel } from 'abstract-level';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { Fault, messageOf } from '@assay/core/fault';
import { errorCode } from '../../platform/durable-file.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { KeptFiles } from './kept-files.ts';
import { ScratchView } from './scratch-view.ts';
import type { EntryRow, LedgerStore, SealedRow, StoreBatch, StoredRow, TileRow } from './store.ts';
import {
  ENTRIES_END,
  entryKey,
  HEAD_KEY,
  readRow,
  REST_RANGES,
  tileKey,
  VIEW_RANGE,
  viewBytes,
  viewKey,
} from './store-key.ts';
import { checkTables } from './table-check.ts';

type Database = AbstractLevel<string | Buffer | Uint8Array, Uint8Array, Uint8Array>;
/**
 * Passes each row at once to LevelDB's own memory, which takes a third of the time of an array of operations.
 */
type Batch = AbstractChainedBatch<Database, string | Buffer | Uint8Array, Uint8Array>;

const ENCODINGS = { keyEncoding: 'view', valueEncoding: 'view' } as const;

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
  /** False on a development network: a power failure may undo commits. Otherwise each is fsynced. */
  readonly sync?: boolean;
  /**
   * Folders on other disks, in the order in which they are tried, with which a database that cannot be written
   * is read: see `ScratchView`. Without them, a database on a full or read-only disk does not open.
   */
  readonly scratch?: readonly string[];
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
  readonly view: ScratchView | undefined;
  /** Why it cannot be written. */
  readonly readOnly: Fault | undefined;
}

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
  await checkTables(folder);
  const files = await KeptFiles.keep(folder);
  const database = levelAt(folder, !(files?.holdRows ?? false));
  try {
    await database.open();
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    await (errorCode(cause) === 'LEVEL_LOCKED' ? files?.forget() : files?.putBack());
    throw openFault(folder, cause);
  }
  return { database, files, view: undefined, readOnly: undefined };
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
  return { database, files: undefined, view, readOnly };
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
  const opened = { files: undefined, view: undefined, readOnly: undefined };
  return new LevelStore(
    undefined,
    '',
    { ...opened, database: database as unknown as Database },
    {},
  );
}

class LevelStore implements LedgerStore {
  readonly #write: object;
  readonly #folder: string;
  readonly #options: LevelOptions;
  readonly #isMemory: boolean;
  #opened: Opened;
  #files: KeptFiles | undefined;
  /** Reads wait for it while the database is reopened. */
  #reopening: Promise<void> | undefined;

  constructor(sync: boolean | undefined, folder: string, opened: Opened, options: LevelOptions) {
    this.#isMemory = sync === undefined;
    this.#write = sync === undefined ? {} : { sync };
    this.#folder = folder;
    this.#options = options;
    this.#opened = opened;
    this.#files = opened.files;
  }

  get readOnly(): Fault | undefined {
    return this.#opened.readOnly;
  }

  async settle(): Promise<void> {
    const files = this.#files;
    this.#files = undefined;
    try {
      await files?.drop();
    } catch (error) {
      throw storageFault(error, 'ledger database');
    }
  }

  async commit(batch: StoreBatch): Promise<void> {
    if (this.readOnly !== undefined) throw this.readOnly;
    if (this.#files !== undefined) await this.settle();
    const writing = (await this.#reader()).batch();
    putAll(writing, batch);
    await writing.write(this.#write);
  }

  reopen(): Promise<void> {
    if (this.#isMemory) return Promise.resolve();
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined;
    });
    return this.#reopening;
  }

  async #reopen(): Promise<void> {
    await this.#shut();
    this.#opened = await openSomehow(this.#folder, this.#options);
    this.#files = this.#opened.files;
    if (this.readOnly !== undefined) throw this.readOnly;
  }

  /** The database, once it is not being reopened. */
  async #reader(): Promise<Database> {
    await this.#reopening?.catch(() => undefined);
    return this.#opened.database;
  }

  async head(): Promise<Uint8Array | undefined> {
    return (await this.#reader()).get(HEAD_KEY);
  }

  async entry(seq: number): Promise<Uint8Array | undefined> {
    return (await this.#reader()).get(entryKey(seq));
  }

  async *entries(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (start >= end) return;
    yield* (await this.#reader()).values({ gte: entryKey(start), lt: entryKey(end) });
  }

  async tile(level: number, index: number): Promise<Uint8Array | undefined> {
    return (await this.#reader()).get(tileKey(level, index));
  }

  async *views(): AsyncGenerator<SealedRow> {
    for await (const [key, value] of (await this.#reader()).iterator(VIEW_RANGE)) {
      const row = readRow(key, value);
      if (row.part === 'view') yield row;
    }
  }

  async *rows(): AsyncGenerator<StoredRow> {
    for await (const [key, value] of (await this.#reader()).iterator()) yield readRow(key, value);
  }

  async rewrite(
    size: number,
    { tiles, views, head }: Parameters<LedgerStore['rewrite']>[1],
  ): Promise<void> {
    if (this.readOnly !== undefined) throw this.readOnly;
    await this.settle();
    const database = await this.#reader();
    const first = database.batch();
    for await (const key of database.keys({ gte: entryKey(size), lt: ENTRIES_END })) {
      first.del(key);
    }
    putAll(first, { entries: [], tiles: [], views: [], head });
    await first.write(this.#write);
    const gone = tiles === undefined ? [VIEW_RANGE] : REST_RANGES;
    await this.#inPieces(database, drops(database, gone));
    await this.#inPieces(database, puts(tiles ?? [], views));
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
      await writing.write(this.#write);
      writing = database.batch();
      bytes = 0;
    }
    await writing.write(this.#write);
  }

  async close(): Promise<void> {
    await this.#reopening?.catch(() => undefined);
    await this.#shut();
  }

  async #shut(): Promise<void> {
    const { database, view } = this.#opened;
    await database.close();
    await view?.remove();
    const files = this.#files;
    this.#files = undefined;
    await files?.putBack();
  }
}

/** One row of a rewrite. */
interface Piece {
  readonly bytes: number;
  readonly into: (writing: Batch) => void;
}

async function* drops(database: Database, ranges: typeof REST_RANGES): AsyncGenerator<Piece> {
  for (const range of ranges) {
    for await (const key of database.keys(range)) {
      yield { bytes: key.length, into: (writing) => void writing.del(key) };
    }
  }
}

async function* puts(
  tiles: AsyncIterable<TileRow> | Iterable<TileRow>,
  views: Iterable<SealedRow>,
): AsyncGenerator<Piece> {
  for await (const { level, index, bytes } of tiles) {
    yield {
      bytes: bytes.length,
      into: (writing) => void writing.put(tileKey(level, index), bytes),
    };
  }
  for (const row of views) {
    const bytes = viewBytes(row);
    yield {
      bytes: bytes.length,
      into: (writing) => void writing.put(viewKey(row.table, row.key), bytes),
    };
  }
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

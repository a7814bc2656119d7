import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import { errorCode } from '../../platform/durable-file.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { maskedCrc32c } from './crc32c.ts';
import { LevelBytes } from './level-bytes.ts';
import { type LiveTable, liveTables } from './live-tables.ts';
import { isWalkable } from './table-block.ts';
import { type TableList, tableName } from './table-list.ts';

/** The bytes at the end of a table, and of what follows each block: its type and its checksum. */
const FOOTER = 48;
const TRAILER = 5;
/** The last eight bytes of a table, little endian. */
const MAGIC = 0xdb4775248b80fb57n;

/** How often a database that changes meanwhile is read. */
const MAX_TRIES = 5;

interface Block {
  readonly offset: number;
  readonly size: number;
  /** Whether it contains rows of the database, and is none of the lists and filters of its table. */
  readonly holdsRows: boolean;
}

/**
 * Checks every block of every table of the LevelDB at `folder` against the checksum that LevelDB wrote after
 * it. LevelDB itself checks these only if it is asked to, which `classic-level` cannot do, and over some
 * damaged blocks it aborts the process. This has to be done before the database is opened. A damaged block of
 * rows that can still be iterated over is accepted, because rows, tiles and entries are checked against their
 * digests when they are read, and may be derived again. Tables that were never finished belong to no database,
 * and are skipped.
 *
 * A process that has the database open may remove tables meanwhile: then it is read again, and in the end left
 * to LevelDB, which knows who holds it. Those in `known` have been checked before, and are passed over. Returns the
 * numbers of all that are sound. Throws `ledger_corrupt` with the file and the offset, or `storage_failed`.
 */
export async function checkTables(
  folder: string,
  known: TableList = new Map(),
): Promise<readonly number[]> {
  let tables = await liveTables(folder);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      const others = (tables ?? []).filter(({ number }) => !known.has(number));
      await checkEach(folder, others);
      return (tables ?? []).map(({ number }) => number);
    } catch (error) {
      const now = await liveTables(folder);
      if (isSame(tables, now)) throw error;
      tables = now;
    }
  }
  return [];
}

function isSame(a: readonly LiveTable[] | undefined, b: readonly LiveTable[] | undefined): boolean {
  const numbers = (tables: readonly LiveTable[] | undefined): string =>
    (tables ?? []).map(({ number }) => number).join(' ');
  return numbers(a) === numbers(b);
}

async function checkEach(folder: string, tables: readonly LiveTable[]): Promise<void> {
  for (const { number, size } of tables) {
    const name = tableName(number);
    const bytes = await readTable(folder, name);
    if (bytes === undefined) throw damaged(name, 'the table', 'none');
    if (bytes.length !== size) throw damaged(name, `${size} bytes`, `${bytes.length}`);
    let offset = 0;
    try {
      for (const block of blocksOf(bytes)) {
        ({ offset } = block);
        if (isSound(bytes, block)) continue;
        const { holdsRows, size: length } = block;
        if (holdsRows && isWalkable(bytes.subarray(offset, offset + length))) continue;
        throw new RangeError('another checksum');
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw damaged(`${name}, offset ${offset}`, 'a block with its checksum', messageOf(error));
    }
  }
}

async function readTable(folder: string, name: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw storageFault(error, 'ledger database');
  }
}

/** The blocks of a table: those of its footer first, then those that its index names (`doc/table_format.md`). Throws a RangeError. */
function* blocksOf(table: Uint8Array): Generator<Block> {
  const end = table.length - FOOTER;
  if (end < 0) throw new RangeError('a table that is too short');
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  if (view.getBigUint64(table.length - 8, true) !== MAGIC) {
    throw new RangeError('no table: it ends with other bytes');
  }
  const footer = new LevelBytes(table.subarray(0, table.length - 8), end);
  const meta = handleOf(footer);
  const index = handleOf(footer);
  for (const list of [meta, index]) {
    yield list;
    for (const each of listedIn(table, list)) yield { ...each, holdsRows: list === index };
  }
}

function handleOf(bytes: LevelBytes): Block {
  return { offset: bytes.varint(), size: bytes.varint(), holdsRows: false };
}

/** The blocks in a list of handles, whose own checksum must have been verified. */
function* listedIn(table: Uint8Array, { offset, size }: Block): Generator<Block> {
  const block = table.subarray(offset, offset + size);
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const restarts = view.getUint32(size - 4, true);
  const end = size - 4 * (restarts + 1);
  if (end < 0) throw new RangeError('a list of blocks that is too short');
  const entries = new LevelBytes(block.subarray(0, end));
  while (!entries.isAtEnd) {
    entries.varint(); // bytes that the key shares with the one before
    const rest = entries.varint();
    const length = entries.varint();
    entries.take(rest);
    yield handleOf(new LevelBytes(entries.take(length)));
  }
}

/**
 * Whether a block matches its checksum. Throws a RangeError if it reaches out of the table or is compressed,
 * because none of our tables is.
 */
function isSound(table: Uint8Array, { offset, size }: Block): boolean {
  const end = offset + size;
  if (end + TRAILER > table.length - FOOTER) throw new RangeError('a block that ends too late');
  if (table[end] !== 0) throw new RangeError(`compression ${table[end]}`);
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  return maskedCrc32c(table, offset, end + 1) === view.getUint32(end + 1, true);
}

function damaged(at: string, expected: string, found: string): Fault {
  return new Fault('ledger_corrupt', 'ledger database', { at, expected, found });
}

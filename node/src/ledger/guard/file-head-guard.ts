import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { constants, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { errorCode, syncFolder } from '../../platform/durable-file.ts';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import { isNoRoom, storageFault } from '../../platform/storage-fault.ts';
import {
  type BareHead,
  type GuardRow,
  type HeadGuard,
  isSameHead,
  type PendingBatch,
  requireBatch,
  requireOwned,
  requireTakeable,
  type TakenEpoch,
} from './head-guard.ts';
import {
  batchOf,
  BLOCK_BYTES,
  formatRecord,
  type JournalRecord,
  parseRecord,
  recordBytes,
  SALT_BYTES,
} from './journal-record.ts';

const MAGIC = formatUtf8('assayHJ1');
const NAMES = ['0', '1'] as const;

/** After so many bytes the other segment is written, as soon as nothing in it is needed any more. */
const SEGMENT_BYTES = 8 * 1024 * 1024;
/** A segment grows by what it has, from the first to the last of these. */
const MIN_GROWTH_BYTES = 64 * 1024;
const MAX_GROWTH_BYTES = 1024 * 1024;

/**
 * Makes each write sync before it returns, which saves handing a separate sync to a thread. On systems other
 * than Linux it may not be as strong as `datasync`.
 */
const SYNCED = process.platform === 'linux' ? constants.O_DSYNC : 0;

interface Segment {
  readonly path: string;
  readonly handle: FileHandle;
  readonly inode: bigint;
  /** The bytes that are there already, so that overwriting them changes nothing else in the file system. */
  allocated: number;
}

/** A record and where it was found. */
interface Found {
  readonly record: JournalRecord;
  readonly segment: number;
  readonly at: number;
  readonly length: number;
}

/** The newest record of a journal, and those before it that are still needed. */
interface Scanned {
  readonly last: Found;
  readonly needed: readonly JournalRecord[];
  /** The size before the first entry in the segment of the newest record. */
  readonly begun: number;
}

/**
 * A head guard in a folder of two files: a journal of the row and of the batches that led to it. Each file begins with
 *
 *      0   8  "assayHJ1"
 *      8  32  a salt, the same in both
 *     40  32  sha256 of all before
 *
 * in its first 4096 bytes, and records follow (`formatRecord`), each at a multiple of 4096. A take or a move writes one
 * record and syncs it, over blocks that the file has already: that changes nothing else in the file system, so that one
 * flush of the disk makes it durable. A record is never written over while an entry in it is needed, which is what
 * `settled` tells; where the other file has none, the journal goes on there after 8 MiB.
 *
 * What counts is the whole record with the highest number. A write that was cut off is no whole record, and nobody was
 * told that it had happened. Every record back to the first one that is needed must be whole, or it is `guard_corrupt`.
 * If the newest record goes bad after it was written, it looks as if it had been cut off: its entries are then in the
 * database alone. The head of each file may go bad in one of the two.
 *
 * What is found when the files are opened may have come from memory rather than from the disk, where an earlier process
 * ended before its sync: it is synced, and the newest record is written again. A second process is kept away by the
 * lock of the database. A file that was replaced is noticed at the next write. After a write or sync that failed nothing
 * is certain, and every later call throws `stopped`, until `reopen`. On a disk that takes no writes the files are read,
 * and `take` throws `no_room`.
 */
export class FileHeadGuard implements HeadGuard {
  readonly #path: string;
  readonly #sync: boolean;
  #segments: readonly Segment[] = [];
  #salt: Uint8Array = new Uint8Array(SALT_BYTES);
  #last: Found | undefined;
  /** What is still needed of what was found when the files were opened. */
  #needed: readonly JournalRecord[] = [];
  /** The size before the first entry in the segment that is written. */
  #begun = 0;
  #floor = 0;
  #epoch: number | undefined;
  /** Whether batches were written since the files were read. */
  #hasMoved = false;
  #failure: unknown;
  /** Why the files were opened only for reading. */
  #readOnly: unknown;
  #closed = false;
  #buffer: Uint8Array = new Uint8Array(BLOCK_BYTES);
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(path: string, sync: boolean) {
    this.#path = path;
    this.#sync = sync;
  }

  /**
   * The folder above must exist; the journal is made by the first take. Without `sync`, on a development network, a
   * power failure may undo moves. Throws `guard_corrupt`.
   */
  static async open(
    path: string,
    { sync = true }: { readonly sync?: boolean } = {},
  ): Promise<FileHeadGuard> {
    const guard = new FileHeadGuard(path, sync);
    await guard.#attach();
    return guard;
  }

  /** Makes a journal that begins at a head. Throws `guard_conflict` if there is one. */
  static async begin(path: string, head: BareHead): Promise<void> {
    const row = { epoch: 0, writer: '', from: head, head };
    await create(path, { ...row, seq: 0, floor: head.size, entries: [] });
  }

  readonly look = (): Promise<GuardRow | undefined> =>
    this.#inTurn(async () => {
      const row = this.#last?.record;
      if (row === undefined) return undefined;
      return { epoch: row.epoch, writer: row.writer, head: row.head };
    });

  /** Reads the files again, because batches that were written are not kept in memory. */
  readonly peek = (): Promise<TakenEpoch | undefined> =>
    this.#inTurn(async () => {
      if (this.#last === undefined) return undefined;
      const images: Uint8Array[] = [];
      for (const { handle, allocated } of this.#segments) {
        images.push(await readAll(handle, allocated));
      }
      const { last, needed } = scan(this.#salt, images);
      const { epoch, writer, head } = last.record;
      return { epoch, writer, head, pending: needed.flatMap((each) => batchOf(each) ?? []) };
    });

  /** Throws `epoch_over`, `guard_conflict`, `no_room`, `guard_unknown` and `stopped`. */
  readonly take = (writer: string, from: string): Promise<TakenEpoch> =>
    this.#inTurn(async () => {
      if (this.#readOnly !== undefined) throw storageFault(this.#readOnly, 'head guard');
      const floor = this.#floor;
      if (this.#hasMoved) {
        // Batches that were written are not kept in memory.
        await this.#detach();
        await this.#attach();
        await this.settled(floor);
      }
      const row = this.#last?.record;
      requireTakeable(row, from);
      const epoch = (row?.epoch ?? 0) + 1;
      const head = row?.head;
      if (row === undefined) await this.#create(writer);
      else await this.#append({ epoch, writer, from: head, head, entries: [] });
      this.#epoch = epoch;
      const pending = this.#needed.flatMap((each) => batchOf(each) ?? []);
      return { epoch, writer, head, pending };
    });

  /** Throws `epoch_over`, `guard_conflict`, `no_room`, `guard_unknown` and `stopped`. */
  readonly move = (batch: PendingBatch): Promise<void> =>
    this.#inTurn(async () => {
      requireBatch(batch);
      const row = this.#last?.record;
      requireOwned(row, this.#epoch, batch.from);
      const { epoch, writer } = row as JournalRecord;
      await this.#append({
        epoch,
        writer,
        from: batch.from,
        head: batch.to,
        entries: batch.entries,
      });
    });

  /** It is written with the next record, or when the journal is closed. */
  readonly settled = async (size: number): Promise<void> => {
    this.#floor = Math.max(this.#floor, size);
    this.#needed = this.#needed.filter(({ head }) => (head?.size ?? 0) > size);
  };

  /** Throws what `open` throws; then nothing is certain, as before. */
  readonly reopen = (): Promise<void> => {
    const result = this.#turn.then(async () => {
      if (this.#closed) throw new Fault('stopped', 'head guard', { cause: this.#failure });
      await this.#detach();
      this.#failure = undefined;
      try {
        await this.#attach();
      } catch (error) {
        this.#failure ??= error;
        throw error;
      }
    });
    this.#turn = result.catch(() => undefined);
    return result;
  };

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await this.#turn;
    const row = this.#last?.record;
    if (this.#epoch !== undefined && this.#failure === undefined && row !== undefined) {
      // So that the next start need not compare what is settled.
      const { epoch, writer, head } = row;
      if (this.#floor > row.floor) {
        await this.#append({ epoch, writer, from: head, head, entries: [] }).catch(() => undefined);
      }
    }
    this.#closed = true;
    this.#epoch = undefined;
    this.#failure ??= new Error('closed');
    await this.#detach().catch(() => undefined);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      if (this.#failure === undefined) return work();
      throw new Fault('stopped', 'head guard', { cause: this.#failure });
    });
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Opens the files and makes their contents durable. */
  async #attach(): Promise<void> {
    this.#readOnly = undefined;
    this.#last = undefined;
    this.#epoch = undefined;
    this.#hasMoved = false;
    this.#needed = [];
    this.#floor = 0;
    if (statSync(this.#path, { throwIfNoEntry: false }) === undefined) return;
    const images: Uint8Array[] = [];
    try {
      for (const name of NAMES) {
        const path = join(this.#path, name);
        const handle = await this.#open(path);
        const segment = { path, handle, inode: 0n, allocated: 0 };
        this.#segments = [...this.#segments, segment];
        const { ino, size } = await handle.stat({ bigint: true });
        this.#segments = [
          ...this.#segments.slice(0, -1),
          { ...segment, inode: ino, allocated: Number(size) },
        ];
        images.push(await readAll(handle, Number(size)));
      }
      this.#salt = saltOf(images);
      const { last, needed, begun } = scan(this.#salt, images);
      this.#last = last;
      this.#needed = needed;
      this.#floor = last.record.floor;
      this.#begun = begun;
      if (this.#readOnly === undefined) await this.#writeAgain(last);
    } catch (error) {
      await this.#detach().catch(() => undefined);
      throw error;
    }
  }

  async #open(path: string): Promise<FileHandle> {
    try {
      return await open(path, constants.O_RDWR | (this.#sync ? SYNCED : 0));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') throw corrupt('the two files of a journal', 'one');
      if (errorCode(error) !== 'EROFS') throw error;
      this.#readOnly = error;
      return open(path, constants.O_RDONLY);
    }
  }

  /** A record that was not synced when an earlier process ended, or whose sync failed, becomes durable. */
  async #writeAgain({ record, segment, at }: Found): Promise<void> {
    try {
      for (const { handle } of this.#segments) await handle.datasync();
      await this.#write(segment, at, this.#formatted(record));
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      this.#readOnly = error;
    }
  }

  async #detach(): Promise<void> {
    const segments = this.#segments;
    this.#segments = [];
    for (const { handle } of segments) await handle.close();
  }

  async #create(writer: string): Promise<void> {
    const record = { seq: 0, epoch: 1, writer, floor: 0, from: undefined, head: undefined };
    try {
      await create(this.#path, { ...record, entries: [] });
      await this.#attach();
    } catch (error) {
      if (error instanceof Fault && error.code === 'guard_conflict') throw error;
      this.#failure = error;
      throw unknownOutcome(error);
    }
  }

  /** Writes the next record. */
  async #append(next: Omit<JournalRecord, 'seq' | 'floor'>): Promise<void> {
    const { record, segment: current, at, length } = this.#last as Found;
    const bytes = recordBytes(next.entries);
    // Only a floor that is durable already says that a record is not needed.
    const isFull = at + length + bytes > SEGMENT_BYTES && this.#begun <= record.floor;
    const segment = isFull ? 1 - current : current;
    const start = isFull ? BLOCK_BYTES : at + length;
    this.#requireSame(segment);
    const written = { ...next, seq: record.seq + 1, floor: this.#floor };
    try {
      const { allocated } = this.#segments[segment] as Segment;
      if (start + bytes > allocated) await this.#allocate(segment, start + bytes);
      await this.#write(segment, start, this.#formatted(written));
    } catch (error) {
      this.#failure = error;
      this.#epoch = undefined;
      throw unknownOutcome(error);
    }
    this.#hasMoved ||= next.entries.length > 0;
    if (isFull) this.#begun = next.from?.size ?? 0;
    this.#last = { record: { ...written, entries: [] }, segment, at: start, length: bytes };
  }

  /** Throws `guard_conflict` if a file was replaced since it was opened. */
  #requireSame(segment: number): void {
    const { path, inode } = this.#segments[segment] as Segment;
    const there = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (there?.ino === inode) return;
    throw new Fault('guard_conflict', 'head guard', {
      expected: 'the file that was opened',
      found: there === undefined ? 'none' : 'another one in its place',
    });
  }

  #formatted(record: JournalRecord): Uint8Array {
    const length = recordBytes(record.entries);
    if (this.#buffer.length < length) this.#buffer = new Uint8Array(length);
    const bytes = this.#buffer.subarray(0, length);
    formatRecord(this.#salt, record, bytes);
    return bytes;
  }

  /** Makes a segment long enough. Zeros that are really there are overwritten without changing the file's extent. */
  async #allocate(index: number, end: number): Promise<void> {
    const segment = this.#segments[index] as Segment;
    const { allocated } = segment;
    const grown = Math.min(MAX_GROWTH_BYTES, Math.max(MIN_GROWTH_BYTES, allocated));
    const zeros = new Uint8Array(Math.max(end - allocated, grown));
    await this.#write(index, allocated, zeros);
    segment.allocated = allocated + zeros.length;
  }

  async #write(index: number, at: number, bytes: Uint8Array): Promise<void> {
    const { handle } = this.#segments[index] as Segment;
    for (let done = 0; done < bytes.length;) {
      done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    }
    if (this.#sync && SYNCED === 0) await handle.datasync();
  }
}

/** Makes the folder of a journal whose first record is `record`. */
async function create(path: string, record: JournalRecord): Promise<void> {
  const parent = dirname(resolve(path));
  const staged = join(parent, `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`);
  const salt = new Uint8Array(randomBytes(SALT_BYTES));
  try {
    await mkdir(staged, { mode: 0o700 });
    for (const [i, name] of NAMES.entries()) {
      const bytes = new Uint8Array(BLOCK_BYTES + MIN_GROWTH_BYTES);
      bytes.set(MAGIC, 0);
      bytes.set(salt, 8);
      bytes.set(nodeSha256(bytes.subarray(0, 40)), 40);
      if (i === 0) formatRecord(salt, record, bytes.subarray(BLOCK_BYTES, 2 * BLOCK_BYTES));
      const file = await open(join(staged, name), 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
    }
    await syncFolder(staged);
    await rename(staged, path);
  } catch (error) {
    await rm(staged, { recursive: true, force: true }).catch(() => undefined);
    const code = errorCode(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    throw new Fault('guard_conflict', 'head guard', {
      expected: 'no journal',
      found: 'one that has just come',
    });
  }
  await syncFolder(parent);
}

async function readAll(handle: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  for (let done = 0, read = 1; read > 0 && done < size; done += read) {
    read = (await handle.read(bytes, done, size - done, done)).bytesRead;
  }
  return bytes;
}

/** The salt of a journal, from whichever file has it whole. */
function saltOf(images: readonly Uint8Array[]): Uint8Array {
  const salts = images.flatMap((image) => {
    const isWhole =
      image.length >= BLOCK_BYTES &&
      equalBytes(image.subarray(0, 8), MAGIC) &&
      equalBytes(nodeSha256(image.subarray(0, 40)), image.subarray(40, 72));
    return isWhole ? [image.slice(8, 40)] : [];
  });
  const [salt, other] = salts;
  if (salt === undefined) throw corrupt('a file that begins as a journal', 'none');
  if (other !== undefined && !equalBytes(salt, other)) {
    throw corrupt('two files of one journal', 'files of two');
  }
  return salt;
}

function* recordsIn(salt: Uint8Array, image: Uint8Array, segment: number): Generator<Found> {
  for (let at = BLOCK_BYTES; at < image.length;) {
    const found = parseRecord(salt, image.subarray(at));
    if (found !== undefined) yield { ...found, segment, at };
    at += found?.length ?? BLOCK_BYTES;
  }
}

function scan(salt: Uint8Array, images: readonly Uint8Array[]): Scanned {
  const all = new Map<number, Found>();
  let last: Found | undefined;
  for (const [segment, image] of images.entries()) {
    for (const found of recordsIn(salt, image, segment)) {
      const { seq } = found.record;
      if (all.has(seq)) throw corrupt('one record a number', `two of number ${seq}`);
      all.set(seq, found);
      if (last === undefined || seq > last.record.seq) last = found;
    }
  }
  if (last === undefined) throw corrupt('a whole record', 'none');
  return { last, needed: neededBy(last, all), begun: begunBefore(last, all) };
}

/** The records with entries that are needed, back from the newest. */
function neededBy(last: Found, all: ReadonlyMap<number, Found>): readonly JournalRecord[] {
  const { floor } = last.record;
  const needed: JournalRecord[] = [];
  let { record } = last;
  for (;;) {
    if ((record.head?.size ?? 0) > floor) needed.unshift(record);
    if ((record.from?.size ?? 0) <= floor) return needed;
    const before = all.get(record.seq - 1)?.record;
    if (before === undefined) throw corrupt(`record ${record.seq - 1}`, 'none that is whole');
    if (!isSameHead(before.head, record.from)) {
      throw corrupt(`record ${record.seq} to continue the one before`, 'another head');
    }
    record = before;
  }
}

/** The size before the first of the records that precede the newest in its segment without a gap. */
function begunBefore(last: Found, all: ReadonlyMap<number, Found>): number {
  let first = last;
  for (;;) {
    const before = all.get(first.record.seq - 1);
    if (before?.segment !== last.segment) return first.record.from?.size ?? 0;
    first = before;
  }
}

/** What a write that failed is to a caller, who cannot know whether it happened. */
function unknownOutcome(error: unknown): unknown {
  if (isNoRoom(error)) return storageFault(error, 'head guard');
  return new Fault('guard_unknown', 'head guard', {
    expected: 'a write that is known to be durable',
    found: error instanceof Error ? error.message : String(error),
    cause: error,
  });
}

function corrupt(expected: string, found: string): Fault {
  return new Fault('guard_corrupt', 'head guard journal', { expected, found });
}

import { readSync, statSync } from 'node:fs';
import { constants, type FileHandle, open, readFile } from 'node:fs/promises';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { errorCode, writeDurable } from '../../platform/durable-file.ts';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import { isNoRoom, storageFault } from '../../platform/storage-fault.ts';
import type { NoteSlot } from './note-slot.ts';
import { requireHeld } from './held.ts';

/**
 * What a slot is for. `accepted`: a head that somebody else signed and that was accepted. Earlier releases also
 * kept the head guard of their own log so. `signed`: the head of the own log that was signed last.
 */
export type NoteKind = 'accepted' | 'signed';

const MAGIC: Readonly<Record<NoteKind, Uint8Array>> = {
  accepted: formatUtf8('assayHG1'),
  signed: formatUtf8('assaySN1'),
};
const NOTE_KINDS = ['accepted', 'signed'] as const;
const HEADER_BYTES = 20;
const HASH_BYTES = 32;

/** One copy of a record: a page of memory, and a physical sector of most disks. */
const BLOCK_BYTES = 4096;
const COPIES = 2;
const SLOT_BYTES = COPIES * BLOCK_BYTES;

/**
 * The distance between the starts of the slots: more than a flash page, so that no single page contains both.
 */
const STRIDE_BYTES = 65_536;
const FILE_BYTES = STRIDE_BYTES + SLOT_BYTES;

/**
 * Makes each write sync before it returns, which saves handing a separate sync to a thread. On systems other
 * than Linux it may not be as strong as `datasync`.
 */
const SYNCED = process.platform === 'linux' ? constants.O_DSYNC : 0;

/** Bytes of the largest head. */
export const MAX_NOTE_BYTES: number = BLOCK_BYTES - HEADER_BYTES - HASH_BYTES;

interface Held {
  readonly seq: bigint;
  readonly head: Uint8Array;
  readonly kind: NoteKind;
}

/**
 * A signed note in one file of 73,728 bytes, preallocated: two slots that are written in turn, at
 * offsets 0 (even `seq`) and 65,536 (odd). A slot is two copies of a record, 4096 bytes each:
 *
 *      0   8  "assayHG1" (accepted) or "assaySN1" (signed)
 *      8   8  seq u64 LE, one more at every write
 *     16   4  length u32 LE
 *     20   n  head
 *   20+n  32  sha256 of all before
 *              zeros
 *
 * The whole record with the highest `seq` is what is held. A swap writes the other slot and syncs the
 * data, so power may fail at any point of it: the slot then is whole (the swap happened), or has no
 * whole copy (it did not, and the slot that was not touched counts). After the sync one block may
 * go bad without a loss. What is found when the file is opened may have come from memory rather than
 * from the disk, where an earlier process ended before its sync: it is synced and written again as a
 * swap.
 *
 * 1500 heads of 700 bytes, in turn with the other way to do
 * it, on ext4 over a virtual disk with flush: 0.28 ms at the median; read, new file, sync, rename over
 * the old, sync of the folder: 0.80 ms, for it commits the file system's journal twice where this
 * overwrites blocks in place.
 *
 * A second writer of the same file is noticed at the next swap, since each reads the file anew, but
 * two that swap in the same instant are not told apart: the lock of the database beside it keeps them apart.
 * After a write or sync that failed nothing is certain, and every later call throws `stopped`, until `reopen`. On a
 * disk that takes no writes the file is read, as it is, and a swap throws `no_room`.
 */
export class FileNoteSlot implements NoteSlot {
  readonly #path: string;
  #handle: FileHandle | undefined;
  #inode: bigint | undefined;
  #failure: unknown;
  /** Why the file was opened only for reading. */
  #readOnly: unknown;
  #closed = false;
  readonly #sync: boolean;
  readonly #kind: NoteKind;
  readonly #image: Uint8Array = new Uint8Array(FILE_BYTES);
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, sync: boolean, kind: NoteKind) {
    this.#path = path;
    this.#sync = sync;
    this.#kind = kind;
  }

  /**
   * The folder must exist; the file is created by the first swap. Without `sync`, on a development network, a
   * power failure may undo swaps. Throws `guard_corrupt`.
   */
  static async open(
    path: string,
    { sync = true, kind = 'accepted' }: { readonly sync?: boolean; readonly kind?: NoteKind } = {},
  ): Promise<FileNoteSlot> {
    const slot = new FileNoteSlot(path, sync, kind);
    await slot.#attach();
    return slot;
  }

  /** What a file has, of either kind, without opening it for writing. Throws `guard_corrupt`. */
  static async peek(
    path: string,
  ): Promise<{ readonly note: Uint8Array; readonly kind: NoteKind } | undefined> {
    const bytes = await readFile(path).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (bytes === undefined) return undefined;
    const { head, kind } = parseImage(bytes, BigInt(bytes.length));
    return { note: head, kind };
  }

  /** Throws `guard_corrupt` if the file holds no complete head, and `guard_conflict` if it was replaced. */
  readonly read = (): Promise<Uint8Array | undefined> =>
    this.#inTurn(async () => (await this.#load())?.head);

  /** Throws `too_large` beyond `MAX_NOTE_BYTES`, `guard_conflict`, `guard_corrupt`, `no_room` and `stopped`. */
  readonly swap = (expected: Uint8Array | undefined, next: Uint8Array): Promise<void> => {
    if (next.length > MAX_NOTE_BYTES) {
      return Promise.reject(
        new Fault('too_large', 'head', {
          expected: `at most ${MAX_NOTE_BYTES} bytes`,
          found: `${next.length}`,
        }),
      );
    }
    const [from, head] = [expected?.slice(), next.slice()];
    return this.#inTurn(async () => {
      const held = await this.#load();
      if (this.#readOnly !== undefined) throw storageFault(this.#readOnly, 'head guard');
      requireHeld(held?.head, from);
      if (held === undefined) await this.#create(head);
      else await this.#store({ seq: held.seq + 1n, head, kind: this.#kind });
    });
  };

  /** Throws what `open` throws; then nothing is certain, as before. */
  readonly reopen = (): Promise<void> => {
    const result = this.#last.then(async () => {
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
    this.#last = result.catch(() => undefined);
    return result;
  };

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await this.#last;
    this.#closed = true;
    // What was written without a sync is durable once it is closed.
    if (this.#kind === 'signed') await this.#handle?.datasync().catch(() => undefined);
    this.#failure ??= new Error('closed');
    await this.#detach().catch(() => undefined);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => {
      if (this.#failure === undefined) return work();
      throw new Fault('stopped', 'head guard', { cause: this.#failure });
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #load(): Promise<Held | undefined> {
    if (this.#handle === undefined) return this.#attach();
    // Synchronously: it is in memory since the last swap, and waking a thread would take longer.
    const there = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    const image = this.#readImage(this.#handle);
    if (there === undefined || there.ino !== this.#inode) {
      throw new Fault('guard_conflict', 'head guard', {
        expected: 'the file that was opened',
        found: there === undefined ? 'none' : 'another one in its place',
      });
    }
    return parseImage(image, there.size);
  }

  /** The first `FILE_BYTES` of the file; missing bytes are zero. */
  #readImage({ fd }: FileHandle): Uint8Array {
    const image = this.#image;
    let length = 0;
    for (let read = 1; read > 0; length += read) {
      read = readSync(fd, image, length, FILE_BYTES - length, length);
    }
    return image.fill(0, length);
  }

  /** Opens the file and makes its contents durable. */
  async #attach(): Promise<Held | undefined> {
    this.#readOnly = undefined;
    let handle: FileHandle;
    try {
      handle = await this.#open();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const { ino, size } = await handle.stat({ bigint: true });
      const held = parseImage(this.#readImage(handle), size);
      this.#inode = ino;
      this.#handle = handle;
      if (this.#readOnly !== undefined) return held;
      const again = { ...held, seq: held.seq + 1n, kind: this.#kind };
      try {
        // Both slots reach the disk before one of them is overwritten.
        await handle.datasync();
        await this.#store(again);
      } catch (error) {
        if (!isNoRoom(error)) throw error;
        // The slot that holds the head was not changed.
        this.#failure = undefined;
        this.#readOnly = error;
        return held;
      }
      return again;
    } catch (error) {
      this.#handle = undefined;
      await handle.close();
      throw error;
    }
  }

  /** Opens the file for reading and writing, or only for reading if its disk is read-only. */
  async #open(): Promise<FileHandle> {
    try {
      return await open(this.#path, constants.O_RDWR | (this.#sync ? SYNCED : 0));
    } catch (error) {
      if (errorCode(error) !== 'EROFS') throw error;
      this.#readOnly = error;
      return open(this.#path, constants.O_RDONLY);
    }
  }

  async #detach(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #create(head: Uint8Array): Promise<void> {
    const image = new Uint8Array(FILE_BYTES);
    image.set(formatSlot({ seq: 0n, head, kind: this.#kind }), 0);
    try {
      await writeDurable(this.#path, image, { mode: 0o600, exclusive: true });
    } catch (error) {
      if (errorCode(error) === 'EEXIST') {
        throw new Fault('guard_conflict', 'head guard', {
          expected: 'no head',
          found: 'a file that has just come',
        });
      }
      this.#failure = error;
      throw error;
    }
  }

  async #store(held: Held): Promise<void> {
    const slot = formatSlot(held);
    const start = offsetOf(held.seq);
    try {
      for (let done = 0; done < slot.length;) {
        const handle = this.#handle as FileHandle;
        done += (await handle.write(slot, done, slot.length - done, start + done)).bytesWritten;
      }
      if (this.#sync && SYNCED === 0) await this.#handle?.datasync();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }
}

function offsetOf(seq: bigint): number {
  return Number(seq & 1n) * STRIDE_BYTES;
}

function formatSlot({ seq, head, kind }: Held): Uint8Array {
  const slot = new Uint8Array(SLOT_BYTES);
  const view = new DataView(slot.buffer);
  slot.set(MAGIC[kind], 0);
  view.setBigUint64(8, seq, true);
  view.setUint32(16, head.length, true);
  slot.set(head, HEADER_BYTES);
  const end = HEADER_BYTES + head.length;
  slot.set(nodeSha256(slot.subarray(0, end)), end);
  for (let copy = 1; copy < COPIES; copy += 1) slot.copyWithin(copy * BLOCK_BYTES, 0, BLOCK_BYTES);
  return slot;
}

/** The record of a block that was written completely. */
function parseBlock(block: Uint8Array): Held | undefined {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const length = view.getUint32(16, true);
  const magic = block.subarray(0, 8);
  const kind = NOTE_KINDS.find((each) => equalBytes(magic, MAGIC[each]));
  if (kind === undefined || length > MAX_NOTE_BYTES) return undefined;
  const end = HEADER_BYTES + length;
  const hash = block.subarray(end, end + HASH_BYTES);
  if (!equalBytes(nodeSha256(block.subarray(0, end)), hash)) return undefined;
  return { seq: view.getBigUint64(8, true), head: block.slice(HEADER_BYTES, end), kind };
}

function parseImage(image: Uint8Array, size: bigint): Held {
  if (size !== BigInt(FILE_BYTES)) throw corrupt(`${FILE_BYTES} bytes`, `${size}`);
  const newest = [0, STRIDE_BYTES].map((start) => {
    let slot: Held | undefined;
    for (let copy = 0; copy < COPIES; copy += 1) {
      const at = start + copy * BLOCK_BYTES;
      const held = parseBlock(image.subarray(at, at + BLOCK_BYTES));
      if (held === undefined) continue;
      if (offsetOf(held.seq) !== start) throw corrupt('each record in its slot', `${held.seq}`);
      if (held.seq === slot?.seq && !equalBytes(held.head, slot.head)) {
        throw corrupt('one head a number', 'two');
      }
      if (slot === undefined || held.seq > slot.seq) slot = held;
    }
    return slot;
  });
  const [even, odd] = newest;
  if (even === undefined || odd === undefined) {
    const only = even ?? odd;
    if (only === undefined) throw corrupt('a whole head', 'none');
    return only;
  }
  const [held, before] = even.seq > odd.seq ? [even, odd] : [odd, even];
  if (held.seq !== before.seq + 1n) {
    throw corrupt('records that follow each other', `${before.seq} and ${held.seq}`);
  }
  return held;
}

function corrupt(expected: string, found: string): Fault {
  return new Fault('guard_corrupt', 'head guard file', { expected, found });
}

import { constants, type FileHandle, open } from 'node:fs/promises';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { contentHash } from '@assay/core/hash/hash';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { storageFault } from '@assay/node/platform/storage-fault';
import type { Answer, LogReader } from '@assay/verifier/reader/log-reader';
import { type HeldLock, isLock, takeLock } from '../process/process-lock.ts';

/** The first bytes of the file, before the address of the log and a newline. */
const MARK = 'assay-resume/1 ';
const MAX_ADDRESS_BYTES = 2048;
/** Bytes of a file, beyond which nothing more is kept. */
const MAX_FILE_BYTES = 17_179_869_184;
/** Bytes of a record before its path: the lengths of the path (u16) and of the answer (u32). */
const LENGTHS = 6;
const MAX_PATH_BYTES = 256;
const HASH_BYTES = 32;

/**
 * What never changes: full tiles and bundles, parts of packs of full bundles, and blobs. A partial tile is no longer asked
 * for when the log has grown.
 */
const IMMUTABLE =
  /^\/(?:tile\/(?:[0-5]|entries)\/(?:x[0-9]{3}\/){0,4}[0-9]{3}|pack\/[0-9]{1,2}\/(?:x[0-9]{3}\/){0,4}[0-9]{3}|blob\/[0-9a-f]{64})$/;

interface Place {
  readonly at: number;
  readonly length: number;
  readonly hash: Uint8Array;
}

/**
 * The answers of a log that an earlier visit kept in a file, so that the next one asks only for what is new. Nothing in
 * the file is believed: the verification checks its bytes as it checks those of a server. A file that was damaged only
 * costs requests.
 *
 *     "assay-resume/1 " <address> 0x0a, then for each answer of status 200:
 *     u16 length of the path | u32 length of the answer | path | sha256 (path || answer) | answer     (big endian)
 */
export class KeptAnswers {
  readonly #file: FileHandle;
  readonly #lock: HeldLock;
  readonly #start: number;
  readonly #places = new Map<string, Place>();
  #end: number;
  #writing: Promise<void> = Promise.resolve();
  /** Why nothing more is kept; undefined while answers are. */
  #trouble: string | undefined;
  #used = 0;

  private constructor(file: FileHandle, lock: HeldLock, start: number) {
    this.#file = file;
    this.#lock = lock;
    this.#start = start;
    this.#end = start;
  }

  /**
   * Opens the file for the log at an address, and makes it where there is none, readable for its owner alone. Throws
   * `refused` for a file of another log, for any other file, and while another visit uses it.
   */
  static async open(path: string, address: string): Promise<KeptAnswers> {
    const lock = await takeLock(`${path}.lock`);
    if (!isLock(lock)) {
      const found = `process ${lock.pid} ${lock.isHere ? 'of this machine' : 'of another machine'}`;
      throw refused(path, 'no other visit that uses it', found);
    }
    let file: FileHandle | undefined;
    try {
      const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK;
      file = await open(path, flags, 0o600);
      const info = await file.stat();
      if (!info.isFile()) throw refused(path, 'a plain file', 'something else');
      const mark = formatUtf8(`${MARK}${address}\n`);
      // Also after a visit that ended while it wrote this line.
      if (info.size < mark.length) {
        const begun = await readAt(file, 0, info.size);
        if (equalBytes(begun, mark.subarray(0, info.size)))
          await file.write(mark, 0, mark.length, 0);
      }
      const head = await readAt(file, 0, MARK.length + MAX_ADDRESS_BYTES);
      if (!equalBytes(head.subarray(0, mark.length), mark)) {
        throw refused(path, `what a visit to ${address} left`, foundIn(head));
      }
      const kept = new KeptAnswers(file, lock, mark.length);
      await kept.#scan(Math.max(info.size, mark.length));
      return kept;
    } catch (error) {
      await file?.close();
      await lock.release();
      throw error instanceof Fault ? error : storageFault(error, 'resume file');
    }
  }

  /** How many answers came from the file. */
  get used(): number {
    return this.#used;
  }

  /** Why answers could not be kept; undefined if they were. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** A reader that asks the other one for what the file does not have, and keeps what never changes. */
  reader(from: LogReader): LogReader {
    return {
      ...from,
      get: async (path) => {
        if (!IMMUTABLE.test(path)) return from.get(path);
        const kept = await this.#read(path);
        if (kept !== undefined) return { status: 200, body: kept, logSize: undefined };
        const answer = await from.get(path);
        if (answer.status === 200) this.#keep(path, answer);
        return answer;
      },
    };
  }

  /** Forgets every answer. */
  async clear(): Promise<void> {
    await this.#writing;
    this.#places.clear();
    this.#used = 0;
    this.#end = this.#start;
    await this.#file.truncate(this.#start);
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
    await this.#lock.release();
  }

  async #read(path: string): Promise<Uint8Array | undefined> {
    const place = this.#places.get(path);
    if (place === undefined) return undefined;
    const bytes = await readAt(this.#file, place.at, place.length).catch(() => undefined);
    if (bytes?.length === place.length && equalBytes(digest(path, bytes), place.hash)) {
      this.#used += 1;
      return bytes;
    }
    // Damaged: it is asked for and kept again.
    this.#places.delete(path);
    return undefined;
  }

  #keep(path: string, { body }: Answer): void {
    if (this.#trouble !== undefined || this.#places.has(path)) return;
    const name = formatUtf8(path);
    const lengths = new Uint8Array(LENGTHS);
    const view = new DataView(lengths.buffer);
    view.setUint16(0, name.length);
    view.setUint32(2, body.length);
    const hash = digest(path, body);
    const record = concatBytes(lengths, name, hash, body);
    const at = this.#end;
    if (at + record.length > MAX_FILE_BYTES) {
      this.#trouble = `it has ${MAX_FILE_BYTES} bytes, the most that are kept`;
      return;
    }
    this.#end += record.length;
    this.#writing = this.#writing.then(async () => {
      if (this.#trouble !== undefined) return;
      try {
        await this.#file.write(record, 0, record.length, at);
        const start = at + record.length - body.length;
        this.#places.set(path, { at: start, length: body.length, hash });
      } catch (error) {
        this.#trouble = error instanceof Error ? error.message : String(error);
      }
    });
  }

  /** Finds the answers in a file of `size`, up to the first record that was cut or is none. */
  async #scan(size: number): Promise<void> {
    while (this.#end < size) {
      const head = await readAt(this.#file, this.#end, LENGTHS + MAX_PATH_BYTES + HASH_BYTES);
      if (head.length < LENGTHS) break;
      const view = new DataView(head.buffer, head.byteOffset, head.length);
      const [name, length] = [view.getUint16(0), view.getUint32(2)];
      const start = this.#end + LENGTHS + name + HASH_BYTES;
      if (name > MAX_PATH_BYTES || length > MAX_PAGE_BYTES || start + length > size) break;
      const path = String.fromCharCode(...head.subarray(LENGTHS, LENGTHS + name));
      if (!IMMUTABLE.test(path)) break;
      const hash = head.slice(LENGTHS + name, LENGTHS + name + HASH_BYTES);
      this.#places.set(path, { at: start, length, hash });
      this.#end = start + length;
    }
    if (this.#end < size) await this.#file.truncate(this.#end);
  }
}

function digest(path: string, body: Uint8Array): Uint8Array {
  return contentHash(nodeSha256, concatBytes(formatUtf8(path), body));
}

/** Up to so many bytes of a file from a place on. */
async function readAt(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** What a file is that is not the one that is wanted. */
function foundIn(head: Uint8Array): string {
  const end = head.indexOf(0x0a);
  try {
    const line = parseUtf8(head.subarray(0, Math.max(end, 0)));
    if (line.startsWith(MARK)) return `that of ${line.slice(MARK.length)}`;
  } catch {
    // Something else than text.
  }
  return 'another file';
}

function refused(at: string, expected: string, found: string): Fault {
  return new Fault('refused', 'resume file', { at, expected, found });
}

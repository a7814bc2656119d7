import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { Fault, messageOf } from '@assay/core/fault';
import { errorCode } from '../../platform/durable-file.ts';
import { storageFault } from '../../platform/storage-fault.ts';

/** How many bytes are inflated at a time. Many files are read at once, with a piece of each in memory. */
const PIECE = 64 * 1024;
/** The most bytes of a line. */
const MAX_LINE = 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a text file, plain or gzip (its name ends in `.gz`), pulled one by one: between two calls of
 * `fill` no promise is made, and only one piece of the file is in memory.
 */
export class LineReader {
  readonly path: string;
  /** Where the line is in `bytes`, without its newline. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  /** Counts from 1. */
  number = 0;
  readonly #stream: Readable;
  readonly #gunzip: Gunzip | undefined;
  readonly #pieces: AsyncIterator<Buffer>;
  #next = 0;
  #ended = false;

  constructor(path: string) {
    this.path = path;
    const file = createReadStream(path);
    // An error of either is thrown by the iterator.
    this.#gunzip = path.endsWith('.gz') ? createGunzip({ chunkSize: PIECE }) : undefined;
    this.#stream =
      this.#gunzip === undefined ? file : pipeline(file, this.#gunzip, () => undefined);
    this.#pieces = this.#stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /**
   * Moves to the next line in memory; false if `fill` is needed or nothing is left. Throws `malformed` for a
   * last line without a newline, because it may be incomplete.
   */
  next(): boolean {
    const { bytes } = this;
    const start = this.#next;
    const end = bytes.indexOf(NEWLINE, start);
    if (end < 0) {
      if (!this.#ended || start >= bytes.length) return false;
      throw new Fault('malformed', 'line', {
        at: `${this.path}: line ${this.number + 1}`,
        expected: 'a newline behind the last line',
        found: 'the end of the file',
      });
    }
    this.start = start;
    this.end = end;
    this.#next = end + 1;
    this.number += 1;
    return true;
  }

  /**
   * Continues to read after `next` was false; false at the file's end. Throws `malformed`, `not_found` or
   * `storage_failed`.
   */
  async fill(): Promise<boolean> {
    if (this.#ended) return false;
    const rest = this.bytes.subarray(this.#next);
    if (rest.length > MAX_LINE) {
      throw new Fault('malformed', 'line', {
        at: `${this.path}: line ${this.number + 1}`,
        expected: `at most ${MAX_LINE} bytes`,
      });
    }
    const piece = await this.#piece();
    this.bytes = piece === undefined ? rest : Buffer.concat([rest, piece]);
    this.#next = 0;
    this.#ended = piece === undefined;
    return !this.#ended || rest.length > 0;
  }

  close(): void {
    this.#stream.destroy();
  }

  async #piece(): Promise<Buffer | undefined> {
    try {
      const { done, value } = await this.#pieces.next();
      if (done !== true) return value;
      await this.#requireAll();
      return undefined;
    } catch (cause) {
      const code = errorCode(cause) ?? '';
      if (code === 'ENOENT' || code === 'ENOTDIR') {
        throw new Fault('not_found', 'file', { at: this.path, expected: 'a file', cause });
      }
      if (!code.startsWith('Z_')) throw storageFault(cause, this.path);
      throw new Fault('malformed', 'gzip file', {
        at: this.path,
        expected: 'whole gzip data',
        found: messageOf(cause),
        cause,
      });
    }
  }

  /** Inflating ends with the data, and does not report what comes after it. */
  async #requireAll(): Promise<void> {
    if (this.#gunzip === undefined) return;
    const rest = (await stat(this.path)).size - this.#gunzip.bytesWritten;
    if (rest === 0) return;
    throw new Fault('malformed', 'gzip file', {
      at: this.path,
      expected: 'nothing behind its data',
      found: `${rest} bytes`,
    });
  }
}

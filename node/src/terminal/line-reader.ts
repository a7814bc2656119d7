import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Fault, messageOf } from '@assay/core/fault';

/** Bytes that are inflated at a time: many files are read at once, a piece of each in memory. */
const PIECE = 64 * 1024;
/** Bytes of a line. */
const MAX_LINE = 1024;
const NEWLINE = 0x0a;

/**
 * The lines of a text file, plain or gzip (its name ends in `.gz`), pulled one by one: between two calls of `fill` no
 * promise is made, and no more than a piece of the file is in memory.
 */
export class LineReader {
  readonly path: string;
  /** Where the line lies in `bytes`, its newline left out. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  /** Counts from 1. */
  number = 0;
  readonly #stream: Readable;
  readonly #pieces: AsyncIterator<Buffer>;
  #next = 0;
  #ended = false;

  constructor(path: string) {
    this.path = path;
    const file = createReadStream(path);
    // An error of either comes out of the iterator.
    this.#stream = path.endsWith('.gz')
      ? pipeline(file, createGunzip({ chunkSize: PIECE }), () => undefined)
      : file;
    this.#pieces = this.#stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Moves to the next line of what is in memory; false where `fill` is needed, or nothing is left. */
  next(): boolean {
    const { bytes } = this;
    const start = this.#next;
    let end = bytes.indexOf(NEWLINE, start);
    if (end < 0) {
      if (!this.#ended || start >= bytes.length) return false;
      end = bytes.length;
    }
    this.start = start;
    this.end = end;
    this.#next = end + 1;
    this.number += 1;
    return true;
  }

  /** Reads on after `next` was false. False at the file's end. Throws `malformed`, or what the disk said. */
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
      return done === true ? undefined : value;
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? '';
      if (!code.startsWith('Z_')) throw cause;
      throw new Fault('malformed', 'gzip file', {
        at: this.path,
        expected: 'whole gzip data',
        found: messageOf(cause),
        cause,
      });
    }
  }
}

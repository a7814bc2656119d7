import { constants, type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { ensureFolder, errorCode, syncFolder, writeDurable } from '../platform/durable-file.ts';

/** Bytes that end a line and never stand in one. */
const NEWLINE = 0x0a;

export interface PrivateLogOptions {
  /** False on a development network: a power failure may lose the newest lines. */
  readonly sync?: boolean;
}

/** Lines that wait for one write, and whoever waits for them. */
interface Waiting {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A file of JSON, one object on a line, for its owner alone (mode 0600). Lines are only added. Those that are added at the
 * same time are written and synced together. An incomplete last line, which a crash leaves, was never acknowledged and is
 * removed before the next is written.
 */
export class PrivateLog {
  readonly #path: string;
  readonly #sync: boolean;
  #file: FileHandle | undefined;
  /** Up to where the file is whole and synced; undefined if that is not known. */
  #end: number | undefined = 0;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #closed = false;

  private constructor(path: string, sync: boolean) {
    this.#path = path;
    this.#sync = sync;
  }

  /**
   * Opens a file, with the values of its lines so far. It is made with its first line. Throws `ledger_corrupt` with the number of
   * a line that is no JSON and that others follow.
   */
  static async open(
    path: string,
    { sync = true }: PrivateLogOptions = {},
  ): Promise<{ readonly log: PrivateLog; readonly values: readonly unknown[] }> {
    const log = new PrivateLog(path, sync);
    const bytes = await readIfThere(path);
    if (bytes === undefined) return { log, values: [] };
    const { values, end } = parseLines(bytes, path);
    log.#end = end;
    await log.#begin();
    return { log, values };
  }

  /**
   * Resolves when the values will be there after a crash. After a failure they are not there, and the next call begins with
   * removing what the disk has of them.
   */
  append(values: readonly unknown[]): Promise<void> {
    if (values.length === 0) return Promise.resolve();
    const text = linesOf(values);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      this.#writing ??= this.#drain();
    });
  }

  /** Replaces all lines. After a failure the file has the lines of before or the new ones. */
  async replace(values: readonly unknown[]): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#closed) throw CLOSED;
    await this.#drop();
    const bytes = formatUtf8(linesOf(values));
    this.#end = undefined;
    await writeDurable(this.#path, bytes, { mode: 0o600, sync: this.#sync });
    this.#end = bytes.length;
  }

  /** Waits for what is being written. Nothing can be added afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
  }

  async #drain(): Promise<void> {
    // What is added in the same turn of the event loop is written together.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        await this.#write(batch.map(({ text }) => text).join(''));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        await this.#drop();
        for (const { reject } of batch) reject(error);
      }
    }
    // At once, so that whoever comes next finds either this loop or none.
    this.#writing = undefined;
  }

  async #write(text: string): Promise<void> {
    if (this.#closed) throw CLOSED;
    const file = this.#file ?? (await this.#begin());
    const bytes = formatUtf8(text);
    await file.appendFile(bytes);
    if (this.#sync) await file.datasync();
    this.#end = (this.#end ?? 0) + bytes.length;
  }

  /** Opens the file for adding, and removes what follows its last whole line. */
  async #begin(): Promise<FileHandle> {
    const folder = dirname(this.#path);
    await ensureFolder(folder, { mode: 0o700 });
    if (this.#end === undefined) {
      const found = (await readIfThere(this.#path)) ?? new Uint8Array(0);
      this.#end = parseLines(found, this.#path).end;
    }
    const { O_WRONLY, O_APPEND, O_CREAT } = constants;
    const file = await open(this.#path, O_WRONLY | O_APPEND | O_CREAT, 0o600);
    this.#file = file;
    await file.truncate(this.#end);
    if (this.#sync) {
      await file.datasync();
      await syncFolder(folder);
    }
    return file;
  }

  /** Closes the file, which the next write opens again. */
  async #drop(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
  }
}

const CLOSED = new Fault('read_only', 'private file', { found: 'it is closed' });

function linesOf(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

/** The values of the complete lines, and where these end. */
function parseLines(
  bytes: Uint8Array,
  path: string,
): { readonly values: readonly unknown[]; readonly end: number } {
  const end = bytes.lastIndexOf(NEWLINE) + 1;
  const lines = Buffer.from(bytes.subarray(0, end)).toString('utf8').split('\n').slice(0, -1);
  const values: unknown[] = [];
  let at = 0;
  for (const [i, line] of lines.entries()) {
    try {
      values.push(JSON.parse(line));
    } catch {
      // A file can grow before its bytes are there.
      if (i === lines.length - 1) return { values, end: at };
      const expected = 'a whole line';
      throw new Fault('ledger_corrupt', 'private file', { at: `${path}: line ${i + 1}`, expected });
    }
    at += Buffer.byteLength(line) + 1;
  }
  return { values, end };
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

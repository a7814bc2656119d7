import { constants, type FileHandle, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from '@assay/core/fault';
import { ensureFolder, errorCode, syncFolder } from '../platform/durable-file.ts';

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
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #failed: unknown;
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
    await log.#begin(end < bytes.length ? end : undefined);
    return { log, values };
  }

  /** Resolves when the values will be there after a crash. After a failure every later call throws the same error. */
  append(values: readonly unknown[]): Promise<void> {
    if (values.length === 0) return Promise.resolve();
    const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      this.#writing ??= this.#drain();
    });
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
        // What a failed write left on the disk is not known, so nothing may follow it.
        this.#failed ??= error;
        for (const { reject } of batch) reject(error);
      }
    }
    // At once, so that whoever comes next finds either this loop or none.
    this.#writing = undefined;
  }

  async #write(text: string): Promise<void> {
    if (this.#failed !== undefined) throw this.#failed as Error;
    if (this.#closed) throw new Fault('read_only', 'private file', { found: 'it is closed' });
    if (this.#file === undefined) await this.#begin(undefined);
    await this.#file?.appendFile(text);
    if (this.#sync) await this.#file?.datasync();
  }

  /** Opens the file for adding. Of an existing one what follows `end` is removed. */
  async #begin(end: number | undefined): Promise<void> {
    const folder = dirname(this.#path);
    await ensureFolder(folder, { mode: 0o700 });
    const { O_WRONLY, O_APPEND, O_CREAT } = constants;
    this.#file = await open(this.#path, O_WRONLY | O_APPEND | O_CREAT, 0o600);
    if (end !== undefined) await this.#file.truncate(end);
    if (!this.#sync) return;
    await this.#file.datasync();
    await syncFolder(folder);
  }
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

import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { parsePrint, PRINT_BYTES } from '@assay/core/report/print';
import { formatStatement, parseStatement, type Statement } from '@assay/core/report/statement';
import { printPlace } from '@assay/core/view/statements';
import { parseWire } from '@assay/core/wire/wire';
import { ensureFolder, syncFolder } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { Semaphore } from '../platform/semaphore.ts';

/**
 * What a co-signer has signed. A period of a series has one place for what settles it (a final and a void share
 * it), one for each provisional issue and one for each correction. In each place a co-signer signs only one
 * print, ever, whatever it is asked and however often it is started.
 */
export interface SignedPrints {
  /** Its statement on the report with this hash; undefined if there is none. */
  readonly said: (report: HashHex) => Promise<Statement | undefined>;
  /**
   * Resolves when a statement will be known after a crash, which is before anything of it is signed. Throws
   * `refused` if another print has been agreed to in its place or there is a statement on this report already;
   * `stopped` after a write that failed.
   */
  readonly write: (statement: Statement) => Promise<void>;
  /** All its statements, oldest first. One that is written meanwhile may be among them. */
  readonly all: () => AsyncIterable<Statement>;
}

/** What may be signed, given what has been. */
class Places<Kept> {
  readonly #agreed = new Map<string, HashHex>();
  readonly #said = new Map<HashHex, Kept>();

  said(report: HashHex): Kept | undefined {
    return this.#said.get(report);
  }

  /** The reports in the order of the statements on them. */
  reports(): readonly HashHex[] {
    return [...this.#said.keys()];
  }

  /** Throws `refused`. */
  require({ print, report, verdict }: Statement): void {
    if (this.#said.has(report)) {
      throw new Fault('refused', 'co-signer', {
        at: report,
        expected: 'a report without a statement',
        found: 'one that has a statement',
      });
    }
    const place = printPlace(parsePrint(parseHex(print, PRINT_BYTES)));
    const agreed = this.#agreed.get(place);
    if (verdict !== 'agree' || agreed === undefined) return;
    throw new Fault('refused', 'co-signer', { at: place, expected: agreed, found: report });
  }

  add({ print, report, verdict }: Statement, kept: Kept): void {
    this.#said.set(report, kept);
    if (verdict !== 'agree') return;
    this.#agreed.set(printPlace(parsePrint(parseHex(print, PRINT_BYTES))), report);
  }
}

/** A memory that ends with the process, for tests. */
export class MemorySignedPrints implements SignedPrints {
  readonly #places = new Places<Statement>();

  readonly said = (report: HashHex): Promise<Statement | undefined> =>
    Promise.resolve(this.#places.said(report));

  // eslint-disable-next-line @typescript-eslint/require-await -- what it refuses is a rejection
  readonly write = async (statement: Statement): Promise<void> => {
    this.#places.require(statement);
    this.#places.add(statement, statement);
  };

  readonly all = (): AsyncIterable<Statement> => everything(this.#places.reports(), this.said);
}

async function* everything(
  reports: readonly HashHex[],
  said: SignedPrints['said'],
): AsyncGenerator<Statement> {
  for (const report of reports) {
    const statement = await said(report);
    if (statement !== undefined) yield statement;
  }
}

export interface FileOptions {
  /** False on a development network, where a power failure may undo what was signed. */
  readonly sync?: boolean;
}

/** A line's place in the file. */
interface Line {
  readonly at: number;
  readonly length: number;
}

const NEWLINE = 0x0a;
const MAX_LINE_BYTES = 65_536;

/**
 * One file that only grows, with one statement on each line in canonical JSON. A last line that a crash
 * truncated was never signed, and is removed at the start.
 */
export class FileSignedPrints implements SignedPrints {
  readonly #places: Places<Line>;
  readonly #file: FileHandle;
  readonly #sync: boolean;
  readonly #semaphore = new Semaphore(1);
  #size: number;
  #failed: Fault | undefined;

  private constructor(file: FileHandle, size: number, places: Places<Line>, sync: boolean) {
    this.#file = file;
    this.#size = size;
    this.#places = places;
    this.#sync = sync;
  }

  /** Throws `ledger_corrupt` for a line that is no statement or contradicts an earlier one. */
  static async open(path: string, { sync = true }: FileOptions = {}): Promise<FileSignedPrints> {
    const folder = dirname(resolve(path));
    try {
      await ensureFolder(folder, { mode: 0o700 });
      const file = await open(path, 'a+', 0o600);
      try {
        const { places, size } = await readLines(file, path);
        await file.truncate(size);
        if (sync) {
          await file.sync();
          await syncFolder(folder);
        }
        return new FileSignedPrints(file, size, places, sync);
      } catch (error) {
        await file.close();
        throw error;
      }
    } catch (error) {
      throw storageFault(error, 'what a co-signer signed');
    }
  }

  readonly said = async (report: HashHex): Promise<Statement | undefined> => {
    const line = this.#places.said(report);
    if (line === undefined) return undefined;
    const bytes = new Uint8Array(line.length);
    await this.#file.read(bytes, 0, line.length, line.at);
    return parseStatement(parseWire(bytes), 'statement');
  };

  readonly all = (): AsyncIterable<Statement> => everything(this.#places.reports(), this.said);

  readonly write = (statement: Statement): Promise<void> =>
    this.#semaphore.run(async () => {
      if (this.#failed !== undefined) throw this.#failed;
      this.#places.require(statement);
      const bytes = formatStatement(statement);
      const line = new Uint8Array(bytes.length + 1);
      line.set(bytes);
      line[bytes.length] = NEWLINE;
      try {
        await this.#file.appendFile(line);
        if (this.#sync) await this.#file.datasync();
      } catch (cause) {
        // What the file contains now is known when it is read again.
        this.#failed = new Fault('stopped', 'what a co-signer signed', {
          expected: 'a restart, which reads it again',
          found: messageOf(cause),
          cause,
        });
        throw this.#failed;
      }
      this.#places.add(statement, { at: this.#size, length: bytes.length });
      this.#size += line.length;
    });

  /** Waits for what is being written. Nothing can be read or written afterwards. */
  close(): Promise<void> {
    return this.#semaphore.run(async () => {
      this.#failed ??= new Fault('stopped', 'what a co-signer signed', { found: 'it is closed' });
      await this.#file.close();
    });
  }
}

/** The complete lines of a file, piece by piece, and their number of bytes. */
async function readLines(
  file: FileHandle,
  path: string,
): Promise<{ readonly places: Places<Line>; readonly size: number }> {
  const places = new Places<Line>();
  let size = 0;
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of file.createReadStream({ start: 0, autoClose: false })) {
    const bytes = Buffer.concat([rest, piece as Uint8Array]);
    let from = 0;
    for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
      addLine(places, bytes.subarray(from, to), size, path);
      size += to + 1 - from;
      from = to + 1;
    }
    rest = bytes.subarray(from);
    if (rest.length > MAX_LINE_BYTES) throw corrupt(path, size, 'a line without an end');
  }
  return { places, size };
}

function addLine(places: Places<Line>, bytes: Uint8Array, at: number, path: string): void {
  try {
    const statement = parseStatement(parseWire(bytes), 'statement');
    places.require(statement);
    places.add(statement, { at, length: bytes.length });
  } catch (error) {
    throw corrupt(path, at, messageOf(error));
  }
}

function corrupt(path: string, at: number, found: string): Fault {
  const expected = 'a statement of its own';
  return new Fault('ledger_corrupt', 'what a co-signer signed', {
    at: `${path}, byte ${at}`,
    expected,
    found,
  });
}

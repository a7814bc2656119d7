import { readFile } from 'node:fs/promises';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { isSameSum, RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import { hashHex as hashField, integer, object, type Parse } from '@assay/core/wire/schema';
import { formatWire, parseWire, wire } from '@assay/core/wire/wire';
import { errorCode, writeDurable } from '../platform/durable-file.ts';

/** How many writes a memory has had, and the sum over its rows after the last one and before it. */
export interface Tally {
  readonly writes: number;
  readonly rows: number;
  readonly rows_root: HashHex;
  readonly before: HashHex;
}

export const parseTally: Parse<Tally> = object<Tally>({
  writes: integer(0, Number.MAX_SAFE_INTEGER),
  rows: integer(0, Number.MAX_SAFE_INTEGER),
  rows_root: hashField,
  before: hashField,
});

const NONE = new RowsRoot().sum();
const START: Tally = { writes: 0, ...NONE, before: NONE.rows_root };

/** Where the second copy of a memory's tally is: beside its folder. */
export function tallyPath(folder: string): string {
  return `${folder}.tally`;
}

/** The tally after a write that is being made. */
interface Next {
  readonly rows: RowsRoot;
  readonly tally: () => Tally;
}

/**
 * What a signer's memory has to add up to. It is in the memory, changed with each write, and in a file, written after it
 * and before the signature leaves. The file may be one write behind, and never ahead.
 */
export class SigningTally {
  readonly #path: string;
  #now: Tally;
  /** Whether the file has it. */
  #isKept: boolean;

  private constructor(path: string, now: Tally, isKept: boolean) {
    this.#path = path;
    this.#now = now;
    this.#isKept = isKept;
  }

  /**
   * Compares the rows that were found with the tally stored beside them and with that of the file. Throws `ledger_corrupt`
   * where something was forgotten.
   */
  static async open(
    path: string,
    found: RowsRoot,
    stored: Tally = START,
    create: boolean = false,
  ): Promise<SigningTally> {
    if (!isSameSum(found.sum(), stored)) throw forgotten(`${stored.rows} rows`, found.sum());
    const kept = create ? undefined : await keptAt(path);
    const isNext = stored.writes === (kept?.writes ?? 0) + 1;
    const known = kept ?? START;
    const isSame = stored.writes === known.writes && isSameSum(stored, known);
    if (!isSame && !(isNext && stored.before === known.rows_root)) {
      throw forgotten(`${known.writes} writes, as ${path} says`, found.sum(), stored.writes);
    }
    const tally = new SigningTally(path, stored, kept !== undefined && isSame);
    await tally.settle();
    return tally;
  }

  /** What a write begins with. Its rows are added and removed before it is taken. */
  next(): Next {
    const { writes, rows, rows_root: before } = this.#now;
    const root = new RowsRoot({ rows, rows_root: before });
    return { rows: root, tally: () => ({ writes: writes + 1, ...root.sum(), before }) };
  }

  /** A write is durable in the memory. */
  take(next: Next): void {
    this.#now = next.tally();
    this.#isKept = false;
  }

  /** Makes the file say what the memory says. Throws what a disk throws. */
  async settle(): Promise<void> {
    if (this.#isKept) return;
    await writeDurable(this.#path, formatWire(wire(this.#now)), { mode: 0o600 });
    this.#isKept = true;
  }
}

async function keptAt(path: string): Promise<Tally | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return parseTally(parseWire(new Uint8Array(bytes)), path);
  } catch (cause) {
    const expected = 'the tally of a signing memory';
    throw new Fault('ledger_corrupt', 'signing memory', { at: path, expected, cause });
  }
}

function forgotten(expected: string, { rows }: RowsSum, writes?: number): Fault {
  return new Fault('ledger_corrupt', 'signing memory', {
    expected: `${expected}: what is forgotten may be what must not be signed twice`,
    found: writes === undefined ? `${rows} other rows` : `${writes} writes, ${rows} rows`,
  });
}

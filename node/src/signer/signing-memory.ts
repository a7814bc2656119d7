import type { AbstractLevel } from 'abstract-level';
import { Level } from 'level';
import { Fault, messageOf } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, type Sha256, toHash } from '@assay/core/hash/hash';
import { parseReport, type Report } from '@assay/core/report/report';
import { hashHex as hashField, integer, object, type Parse } from '@assay/core/wire/schema';
import { formatWire, parseWire, wire, type WireValue } from '@assay/core/wire/wire';
import { RowsRoot } from '@assay/core/view/rows-root';
import { ensureFolder, errorCode } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { parseTally, SigningTally, type Tally, tallyPath } from './signing-tally.ts';

type Database = AbstractLevel<string | Buffer | Uint8Array, string, Uint8Array>;

/** The newest head that the checkpoint key signed. */
export interface SignedHead {
  readonly size: number;
  readonly root: HashHex;
}

const parseHead: Parse<SignedHead> = object<SignedHead>({
  size: integer(1, Number.MAX_SAFE_INTEGER),
  root: hashField,
});

/** How many reports are kept as a whole, the newest. Of the others their place and the hash of their print stay. */
const MOST_REPORTS = 1024;

/** Where something was signed that is signed once: the row of its place. */
export type Place = `print/${string}` | `close/${string}` | `endorsed/${string}`;

/** What is stored about something that was signed: the SHA-256 of its message. */
export interface Row {
  readonly place: Place;
  readonly message: HashHex;
  /** A report, which a node that stopped before it wrote it needs again. */
  readonly report?: Report;
}

/**
 * What a signer has signed, durably: LevelDB in a folder of its own, of which one process at a time has the lock. Each
 * write is synced before it resolves, and each row ends with a digest of its key and its value, so that a row that was
 * changed at rest is an error and not a missing one.
 *
 * LevelDB opens without an error where records of its log are damaged or the log is gone, as a database that has forgotten
 * something. So each write has the number of the writes and the sum over all rows with it, which finds what is missing in
 * the middle, and the same is kept in a file beside the folder, which finds what is missing at the end.
 */
export class SigningMemory {
  readonly #sha256: Sha256;
  readonly #database: Database;
  readonly #tally: SigningTally;
  #head: SignedHead | undefined;
  #reports: string[];

  private constructor(
    sha256: Sha256,
    database: Database,
    tally: SigningTally,
    head: SignedHead | undefined,
    reports: readonly string[],
  ) {
    this.#sha256 = sha256;
    this.#database = database;
    this.#tally = tally;
    this.#head = head;
    this.#reports = [...reports];
  }

  /**
   * Opens the memory in a folder, or makes it if `create` says so. Throws `not_found` if there is none, `refused` if
   * another process has it, `ledger_corrupt` if it is damaged, and `storage_failed` or `no_room`.
   */
  static async open(
    sha256: Sha256,
    folder: string,
    { create = false }: { readonly create?: boolean } = {},
  ): Promise<SigningMemory> {
    if (create) await ensureFolder(folder, { mode: 0o700 });
    const database = new Level<string, Uint8Array>(folder, {
      valueEncoding: 'view',
      createIfMissing: create,
      errorIfExists: create,
    }) as unknown as Database;
    try {
      await database.open();
      return await SigningMemory.#load(sha256, database, tallyPath(folder), create);
    } catch (error) {
      await database.close().catch(() => undefined);
      throw openFault(folder, error);
    }
  }

  static async #load(
    sha256: Sha256,
    database: Database,
    path: string,
    create: boolean,
  ): Promise<SigningMemory> {
    const rows = new RowsRoot();
    const numbered: (readonly [number, string])[] = [];
    let stored: Tally | undefined;
    let head: SignedHead | undefined;
    for await (const [key, row] of database.iterator()) {
      const value = opened(sha256, key, row);
      if (key === TALLY_KEY) {
        stored = parseTally(value, key);
        continue;
      }
      rows.add(digestOf(row));
      if (key === 'head') head = parseHead(value, key);
      if (key.startsWith('report/')) numbered.push([parseStoredReport(value, key).order, key]);
    }
    numbered.sort(([a], [b]) => a - b);
    const tally = await SigningTally.open(path, rows, stored, create);
    return new SigningMemory(
      sha256,
      database,
      tally,
      head,
      numbered.map(([, key]) => key),
    );
  }

  /** The newest head that was signed; undefined if there is none. */
  get head(): SignedHead | undefined {
    return this.#head;
  }

  /** What was signed at a place; undefined if nothing was. */
  async signedAt(place: Place): Promise<HashHex | undefined> {
    const bytes = await this.#get(place);
    return bytes === undefined ? undefined : hashField(opened(this.#sha256, place, bytes), place);
  }

  /** The report that was signed at a place, if it is one of the newest. */
  async reportAt(place: Place): Promise<Report | undefined> {
    const key = reportKey(place);
    const bytes = await this.#get(key);
    if (bytes === undefined) return undefined;
    return parseStoredReport(opened(this.#sha256, key, bytes), key).report;
  }

  /** Makes a head durable before its signature leaves the process. */
  async keepHead(head: SignedHead): Promise<void> {
    await this.#write([
      { type: 'put', key: 'head', value: sealed(this.#sha256, 'head', wire(head)) },
    ]);
    this.#head = head;
  }

  /** Makes durable what is signed at places that have nothing yet, all of them or none. */
  async keep(rows: readonly Row[]): Promise<void> {
    const writes: Write[] = [];
    const reports = [...this.#reports];
    let order = await this.#lastOrder();
    for (const { place, message, report } of rows) {
      writes.push({ type: 'put', key: place, value: sealed(this.#sha256, place, message) });
      if (report === undefined) continue;
      const key = reportKey(place);
      order += 1;
      writes.push({
        type: 'put',
        key,
        value: sealed(this.#sha256, key, wire({ order, report })),
      });
      reports.push(key);
    }
    for (const key of reports.splice(0, Math.max(0, reports.length - MOST_REPORTS))) {
      writes.push({ type: 'del', key });
    }
    await this.#write(writes);
    this.#reports = reports;
  }

  /** Forgets what was signed at a place. Only an operator may ask for that. Returns whether there was anything. */
  async forget(place: Place): Promise<boolean> {
    if ((await this.#get(place)) === undefined) return false;
    await this.#write([
      { type: 'del', key: place },
      { type: 'del', key: reportKey(place) },
    ]);
    this.#reports = this.#reports.filter((key) => key !== reportKey(place));
    return true;
  }

  /** The places that begin with `start`, the newest periods first, at most `limit`. */
  async places(start: string, limit: number): Promise<readonly Place[]> {
    const found: Place[] = [];
    const range = { gte: start, lt: `${start}\u{ffff}`, reverse: true, limit };
    for await (const key of this.#database.keys(range)) found.push(key as Place);
    return found;
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  async #lastOrder(): Promise<number> {
    const last = this.#reports.at(-1);
    if (last === undefined) return 0;
    const bytes = await this.#get(last);
    if (bytes === undefined) return 0;
    return parseStoredReport(opened(this.#sha256, last, bytes), last).order;
  }

  async #get(key: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#database.get(key);
    } catch (error) {
      throw storageFault(error, 'signing memory');
    }
  }

  /** Writes, and resolves once the file beside the database knows of it. */
  async #write(writes: readonly Write[]): Promise<void> {
    try {
      await this.#tally.settle();
      const next = this.#tally.next();
      // Of two writes of one key the last one holds.
      const last = new Map(writes.map((write) => [write.key, write]));
      for (const write of last.values()) {
        const before = await this.#database.get(write.key);
        if (before !== undefined) next.rows.remove(digestOf(before));
        if (write.type === 'put') next.rows.add(digestOf(write.value));
      }
      const value = sealed(this.#sha256, TALLY_KEY, wire(next.tally()));
      const batch = [...last.values(), { type: 'put', key: TALLY_KEY, value } as const];
      await this.#database.batch(batch, { sync: true } as object);
      this.#tally.take(next);
      await this.#tally.settle();
    } catch (error) {
      throw storageFault(error, 'signing memory');
    }
  }
}

type Write =
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: string };

interface StoredReport {
  readonly order: number;
  readonly report: Report;
}

const parseStoredReport: Parse<StoredReport> = object<StoredReport>({
  order: integer(1, Number.MAX_SAFE_INTEGER),
  report: parseReport,
});

function reportKey(place: Place): string {
  return `report/${place}`;
}

/** The row of the tally, which is none of the rows that it counts. */
const TALLY_KEY = 'tally';

const DIGEST_BYTES = 32;

function digestOf(row: Uint8Array): Hash {
  return toHash(new Uint8Array(row.subarray(row.length - DIGEST_BYTES)));
}

/** The bytes of a row: the canonical JSON of its value, and the SHA-256 of its key, a zero byte and that JSON. */
function sealed(sha256: Sha256, key: string, value: WireValue): Uint8Array {
  const bytes = formatWire(value as never);
  return Buffer.concat([bytes, digest(sha256, key, bytes)]);
}

function opened(sha256: Sha256, key: string, row: Uint8Array): WireValue {
  const bytes = row.subarray(0, Math.max(0, row.length - DIGEST_BYTES));
  const own = hashHex(toHash(digest(sha256, key, bytes)));
  const found = Buffer.from(row.subarray(bytes.length)).toString('hex');
  if (own !== found) {
    const expected = 'a row with its digest: what is damaged may be what must not be signed twice';
    throw new Fault('ledger_corrupt', 'signing memory', { at: key, expected, found });
  }
  return parseWire(new Uint8Array(bytes));
}

function digest(sha256: Sha256, key: string, bytes: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([Buffer.from(`${key}\0`), bytes]));
}

function openFault(folder: string, error: unknown): unknown {
  if (error instanceof Fault) return error;
  const cause = (error as Error).cause ?? error;
  const found = messageOf(cause);
  if (errorCode(cause) === 'LEVEL_LOCKED') {
    const expected = 'no other process on it';
    return new Fault('refused', 'signing memory', { at: folder, expected, found, cause });
  }
  if (/does not exist|No such file/.test(found)) {
    const expected = 'the memory of a signer: assay signer init makes it';
    return new Fault('not_found', 'signing memory', { at: folder, expected, found, cause });
  }
  if (/exists \(error_if_exists/.test(found)) {
    const expected = 'none: a memory is never begun over another';
    return new Fault('not_empty', 'signing memory', { at: folder, expected, found, cause });
  }
  if (errorCode(cause) === 'LEVEL_CORRUPTION') {
    return new Fault('ledger_corrupt', 'signing memory', { at: folder, found, cause });
  }
  return storageFault(cause, 'signing memory');
}

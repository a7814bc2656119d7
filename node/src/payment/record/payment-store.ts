import { copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AbstractLevel } from 'abstract-level';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { Fault } from '@assay/core/fault';
import { errorCode } from '../../platform/durable-file.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { AnswerFiles, type AnswerStore, MemoryAnswers } from './answer-files.ts';
import { KeyedLock } from './keyed-lock.ts';
import { type HandedTransfer, isOpen, mayBecome, type Payment, PAYMENT_STATES } from './payment.ts';
import { PaymentTally } from './payment-tally.ts';

type Database = AbstractLevel<string | Buffer | Uint8Array, string, Uint8Array>;

const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;

export interface PaymentStoreOptions {
  /** False on a development network: a power failure may lose the newest payments. Otherwise each write is fsynced. */
  readonly sync?: boolean;
}

const TITLE = 'payments';
/** The folder of the answers, in that of the records. */
const ANSWERS = 'answers';
/** How often a copy of a store is tried that changes meanwhile. */
const COPY_TRIES = 5;
/** The file that is written to see whether the disk has room. What begins with a dot is no answer. */
const PROBE = '.room';
/** The bytes that a database needs at least to open. */
const OPENING_BYTES = 65_536;
/** The key of the lock under which the database is written and reopened. */
const WRITING = 'write';

/**
 * The payments of a tier, in LevelDB:
 *
 * - `payment/<key>`: the record, JSON;
 * - `body/<key>`: the bytes of an answer that was bought before they had files of their own;
 * - `identifier/<identifier>`: the key of the newest payment under it;
 * - `open/<key>`: nothing; there as long as something is to be learnt about it;
 * - `time/<ms, 14 digits>/<key>`: nothing; the order in which they came;
 * - `kept/<ms, 14 digits>/<key>`: nothing; when an answer that is kept could be given first;
 * - `handed/<key>`: a transfer without a record that a facilitator was given, JSON;
 * - `holder/<identifier>/<key>`: nothing; the transfers of `handed` under an identifier.
 *
 * The bytes of an answer are the file `answers/<key>`, as long as they are kept. It is on the disk before its record is written, and goes after
 * the record says so; what a process that ended left over goes with the next start.
 *
 * What else belongs together is written in one batch, which is on the disk when the call returns. A batch that fails, as on a full disk, can
 * leave a part of itself in LevelDB's log, behind which the next start finds nothing. So the database is closed and opened anew before the
 * next write, and nothing is written while that fails.
 *
 * Calls for one payment must come one after another. They throw `storage_failed`, `no_room`, or `ledger_corrupt` for a record that is none.
 */
export class PaymentStore {
  readonly #database: Database;
  readonly #sync: boolean;
  readonly #answers: AnswerStore;
  /** What is open, and what has happened since the store was opened. */
  readonly tally: PaymentTally = new PaymentTally();
  /** Undefined in memory. */
  readonly #folder: string | undefined;
  /** The folder of a copy, which goes with it. */
  #remove: string | undefined;
  /** One write at a time: of two at once, the second could succeed behind what is left of the first. */
  readonly #writing = new KeyedLock();
  /** Whether a write has failed since the database was opened. */
  #hasFailed = false;
  #isClosed = false;

  private constructor(
    database: Database,
    sync: boolean,
    answers: AnswerStore,
    folder: string | undefined,
  ) {
    this.#database = database;
    this.#sync = sync;
    this.#answers = answers;
    this.#folder = folder;
  }

  /** Opens the store in a folder. Throws `refused` if another process holds it. */
  static async at(folder: string, options: PaymentStoreOptions = {}): Promise<PaymentStore> {
    const database = await openDatabase(folder);
    const sync = options.sync ?? true;
    try {
      const answers = await AnswerFiles.open(join(folder, ANSWERS), sync);
      const store = new PaymentStore(database, sync, answers, folder);
      await store.#begin();
      return store;
    } catch (error) {
      await database.close();
      throw error instanceof Fault ? error : storageFault(error, TITLE);
    }
  }

  /**
   * Reads a copy of the store as it is now, also while a node has it open, without the answers. What was written last may be missing from
   * it, and nothing that is written to it lasts. Throws what `at` throws, and `storage_failed` if no copy can be made.
   */
  static async copyOf(folder: string): Promise<PaymentStore> {
    for (let attempt = 1; ; attempt += 1) {
      const copy = await mkdtemp(join(tmpdir(), 'assay-payments-'));
      try {
        for (const each of await readdir(folder, { withFileTypes: true })) {
          const { name } = each;
          // LevelDB removes files that it has merged into others.
          if (each.isFile() && name !== 'LOCK') {
            await copyFile(join(folder, name), join(copy, name));
          }
        }
        const database = await openDatabase(copy);
        const store = new PaymentStore(database, false, new MemoryAnswers(), copy);
        store.#remove = copy;
        return store;
      } catch (error) {
        await rm(copy, { recursive: true, force: true });
        if (attempt === COPY_TRIES) throw storageFault(error, TITLE);
      }
    }
  }

  static async inMemory(): Promise<PaymentStore> {
    const database = new MemoryLevel<string, Uint8Array>(ENCODINGS) as unknown as Database;
    await database.open();
    return new PaymentStore(database, false, new MemoryAnswers(), undefined);
  }

  async get(key: string): Promise<Payment | undefined> {
    const bytes = await this.#get(`payment/${key}`);
    return bytes === undefined ? undefined : paymentOf(bytes, key);
  }

  /** The newest payment under an identifier. */
  async byIdentifier(identifier: string): Promise<Payment | undefined> {
    const key = await this.#get(`identifier/${identifier}`);
    return key === undefined ? undefined : this.get(Buffer.from(key).toString());
  }

  async body(key: string): Promise<Uint8Array | undefined> {
    return (await this.#file(() => this.#answers.read(key))) ?? this.#get(`body/${key}`);
  }

  /** Writes a new payment with the answer that it buys, or with null for one that buys none. */
  async add(payment: Payment, body: Uint8Array | null): Promise<void> {
    const { key, identifier, at_ms } = payment;
    if (body !== null) await this.#file(() => this.#answers.write(key, body));
    try {
      await this.#write([
        ['payment', key, recordOf(payment)],
        ['identifier', identifier, Buffer.from(key)],
        ['open', key, NOTHING],
        ['time', timeKey(at_ms, key), NOTHING],
        ['handed', key, null],
        ['holder', `${identifier}/${key}`, null],
      ]);
    } catch (error) {
      // The database needs the room. What cannot be removed now goes with the next start.
      await this.#answers.remove(key).catch(() => undefined);
      throw error;
    }
    this.tally.note(undefined, payment);
    this.tally.unhand(key);
  }

  /** Writes what has become of a payment. Throws a TypeError for a state that cannot follow. */
  async update(before: Payment, change: Partial<Payment>): Promise<Payment> {
    const after: Payment = { ...before, ...change };
    if (after.key !== before.key) throw new TypeError('the key of a payment never changes');
    if (after.state !== before.state && !mayBecome(before.state, after.state)) {
      throw new TypeError(`a payment does not go from ${before.state} to ${after.state}`);
    }
    const rows: Row[] = [
      ['payment', after.key, recordOf(after)],
      ['open', after.key, isOpen(after.state) ? NOTHING : null],
    ];
    if (!after.kept) rows.push(['body', after.key, null]);
    if (after.paid_ms !== null) {
      rows.push(['kept', timeKey(after.paid_ms, after.key), after.kept ? NOTHING : null]);
    }
    await this.#write(rows);
    if (!after.kept) await this.#file(() => this.#answers.remove(after.key));
    this.tally.note(before, after);
    return after;
  }

  /** Writes a transfer before a facilitator is given it. A record of the same payment takes its place. */
  async hand(transfer: HandedTransfer): Promise<void> {
    const { key, identifier, payer } = transfer;
    await this.#write([
      ['handed', key, Buffer.from(JSON.stringify(transfer))],
      ['holder', `${identifier}/${key}`, NOTHING],
    ]);
    this.tally.hand(key, payer);
  }

  /** Forgets a transfer that was handed out. */
  async unhand({ key, identifier }: HandedTransfer): Promise<void> {
    await this.#write([
      ['handed', key, null],
      ['holder', `${identifier}/${key}`, null],
    ]);
    this.tally.unhand(key);
  }

  async handed(key: string): Promise<HandedTransfer | undefined> {
    const bytes = await this.#get(`handed/${key}`);
    return bytes === undefined ? undefined : handedOf(bytes, key);
  }

  /** The transfers that were handed out under an identifier and have no record. */
  async handedUnder(identifier: string): Promise<readonly HandedTransfer[]> {
    const found: HandedTransfer[] = [];
    const range = { gt: `holder/${identifier}/`, lt: `holder/${identifier}0` };
    for await (const key of this.#keys(range)) {
      const transfer = await this.handed(key.slice(key.lastIndexOf('/') + 1));
      if (transfer !== undefined) found.push(transfer);
    }
    return found;
  }

  /** All transfers that were handed out and have no record, by their keys: first those behind the key `after`, and then the others. */
  async *allHanded(after = ''): AsyncGenerator<HandedTransfer, void, undefined> {
    const { gt, lt } = rangeOf('handed');
    const last = `handed/${after}`;
    for (const range of [
      { gt: last, lt },
      { gt, lt: `${last}\0` },
    ]) {
      for await (const key of this.#keys(range)) {
        const transfer = await this.handed(key.slice('handed/'.length));
        if (transfer !== undefined) yield transfer;
      }
    }
  }

  /** The payments of which something may still be learnt. */
  async *open(): AsyncGenerator<Payment, void, undefined> {
    for await (const key of this.#keys(rangeOf('open'))) {
      const payment = await this.get(key.slice('open/'.length));
      if (payment !== undefined) yield payment;
    }
  }

  /** The keys of the payments whose answer is kept and could be given before `beforeMs`, the oldest first. */
  async *keptBefore(beforeMs: number): AsyncGenerator<string, void, undefined> {
    const range = { gt: 'kept/', lt: `kept/${timeKey(beforeMs, '')}` };
    for await (const key of this.#keys(range)) yield key.slice(key.lastIndexOf('/') + 1);
  }

  /** All payments in the order in which they came; the newest first with `newest`. */
  async *all({ newest = false }: { readonly newest?: boolean } = {}): AsyncGenerator<
    Payment,
    void,
    undefined
  > {
    for await (const key of this.#keys({ ...rangeOf('time'), reverse: newest })) {
      const payment = await this.get(key.slice(key.lastIndexOf('/') + 1));
      if (payment !== undefined) yield payment;
    }
  }

  async close(): Promise<void> {
    await this.#writing.run(WRITING, async () => {
      this.#isClosed = true;
      await this.#database.close();
    });
    if (this.#remove !== undefined) await rm(this.#remove, { recursive: true, force: true });
  }

  /** Takes over what is open, and removes answers whose record was never written or does not keep them. */
  async #begin(): Promise<void> {
    for (const key of await this.#answers.keys()) {
      if ((await this.get(key))?.kept !== true) await this.#answers.remove(key);
    }
    for await (const payment of this.open()) this.tally.load(payment);
    for await (const { key, payer } of this.allHanded()) this.tally.hand(key, payer);
  }

  async #file<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw storageFault(error, TITLE);
    }
  }

  async #get(key: string): Promise<Uint8Array | undefined> {
    return this.#file(async () => (await this.#reader()).get(key));
  }

  /** The keys of a range. Throws where the database is reopened meanwhile. */
  async *#keys(range: KeyRange): AsyncGenerator<string, void, undefined> {
    try {
      yield* (await this.#reader()).keys(range);
    } catch (error) {
      throw storageFault(error, TITLE);
    }
  }

  /** The database, once it is not being reopened. */
  async #reader(): Promise<Database> {
    if (this.#database.status !== 'open') {
      await this.#writing.run(WRITING, async () => {
        if (this.#database.status !== 'open') await this.#reopen();
      });
    }
    return this.#database;
  }

  /** Leaves behind what a failed write has left in LevelDB's log. On a disk without room for that, the database stays open for reads. */
  async #reopen(): Promise<void> {
    if (this.#isClosed) throw new Fault('storage_failed', TITLE, { expected: 'an open store' });
    if (this.#database.status === 'open') await this.#requireRoom();
    await this.#database.close();
    await this.#database.open();
    this.#hasFailed = false;
  }

  /** Throws what the disk throws if it has no room for a database that opens: LevelDB copies its log into a table then. */
  async #requireRoom(): Promise<void> {
    let bytes = 0;
    if (this.#folder !== undefined) {
      for (const name of await readdir(this.#folder)) {
        if (name.endsWith('.log')) bytes += (await stat(join(this.#folder, name))).size;
      }
    }
    try {
      await this.#answers.write(PROBE, new Uint8Array(Math.max(bytes, OPENING_BYTES)));
    } finally {
      await this.#answers.remove(PROBE);
    }
  }

  async #write(rows: readonly Row[]): Promise<void> {
    const batch = rows.map(([table, key, value]) =>
      value === null
        ? { type: 'del' as const, key: `${table}/${key}` }
        : { type: 'put' as const, key: `${table}/${key}`, value },
    );
    await this.#writing.run(WRITING, async () => {
      try {
        if (this.#hasFailed) await this.#reopen();
        await this.#database.batch(batch, { sync: this.#sync } as object);
      } catch (error) {
        this.#hasFailed = true;
        throw storageFault(error, TITLE);
      }
    });
  }
}

type Table = 'payment' | 'body' | 'identifier' | 'open' | 'time' | 'kept' | 'handed' | 'holder';
type KeyRange = { readonly gt: string; readonly lt: string; readonly reverse?: boolean };
type Row = readonly [table: Table, key: string, value: Uint8Array | null];

const NOTHING = new Uint8Array();

/** Opens the database of a folder. Throws `refused` if another process holds it. */
async function openDatabase(folder: string): Promise<Database> {
  const database = new Level<string, Uint8Array>(folder, ENCODINGS) as unknown as Database;
  try {
    await database.open();
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (errorCode(cause) === 'LEVEL_LOCKED') {
      throw new Fault('refused', TITLE, { expected: 'a store that no other process holds' });
    }
    throw storageFault(error, TITLE);
  }
  return database;
}

function timeKey(ms: number, key: string): string {
  return `${String(ms).padStart(14, '0')}/${key}`;
}

function rangeOf(table: Table): { readonly gt: string; readonly lt: string } {
  return { gt: `${table}/`, lt: `${table}0` };
}

function recordOf(payment: Payment): Uint8Array {
  return Buffer.from(JSON.stringify(payment));
}

function paymentOf(bytes: Uint8Array, key: string): Payment {
  try {
    const payment = JSON.parse(Buffer.from(bytes).toString()) as Payment;
    const isOne =
      payment.version === 1 && payment.key === key && PAYMENT_STATES.includes(payment.state);
    if (isOne) return payment;
  } catch {
    // Told below.
  }
  throw new Fault('ledger_corrupt', TITLE, { at: `payment/${key}`, expected: 'a payment' });
}

function handedOf(bytes: Uint8Array, key: string): HandedTransfer {
  try {
    const transfer = JSON.parse(Buffer.from(bytes).toString()) as Omit<HandedTransfer, 'path'> & {
      readonly path?: string;
    };
    // Lines of before have no pattern.
    const path = transfer.path ?? new URL(transfer.resource).pathname;
    if (transfer.version === 1 && transfer.key === key) return { ...transfer, path };
  } catch {
    // Told below.
  }
  throw new Fault('ledger_corrupt', TITLE, { at: `handed/${key}`, expected: 'a transfer' });
}

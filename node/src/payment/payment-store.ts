import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AbstractLevel } from 'abstract-level';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { Fault } from '@assay/core/fault';
import { errorCode } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { isOpen, mayBecome, type Payment, PAYMENT_STATES } from './payment.ts';

type Database = AbstractLevel<string | Buffer | Uint8Array, string, Uint8Array>;

const ENCODINGS = { keyEncoding: 'utf8', valueEncoding: 'view' } as const;

export interface PaymentStoreOptions {
  /** False on a development network: a power failure may lose the newest payments. Otherwise each write is fsynced. */
  readonly sync?: boolean;
}

const TITLE = 'payments';
/** How often a copy of a store is tried that changes meanwhile. */
const COPY_TRIES = 5;

/**
 * The payments of a tier, in LevelDB:
 *
 * - `payment/<key>`: the record, JSON;
 * - `body/<key>`: the bytes of the answer, as long as they are kept;
 * - `identifier/<identifier>`: the key of the newest payment under it;
 * - `open/<key>`: nothing; there as long as something is to be learnt about it;
 * - `time/<ms, 14 digits>/<key>`: nothing; the order in which they came;
 * - `kept/<ms, 14 digits>/<key>`: nothing; when an answer that is kept could be given first.
 *
 * What belongs together is written in one batch, which is on the disk when the call returns. Calls for one payment must come one after
 * another. They throw `storage_failed`, `no_room`, or `ledger_corrupt` for a record that is none.
 */
export class PaymentStore {
  readonly #database: Database;
  readonly #sync: boolean;
  /** The folder of a copy, which goes with it. */
  #remove: string | undefined;

  private constructor(database: Database, sync: boolean) {
    this.#database = database;
    this.#sync = sync;
  }

  /** Opens the store in a folder. Throws `refused` if another process holds it. */
  static async at(folder: string, options: PaymentStoreOptions = {}): Promise<PaymentStore> {
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
    return new PaymentStore(database, options.sync ?? true);
  }

  /**
   * Reads a copy of the store as it is now, also while a node has it open. What was written last may be missing from it, and nothing that is
   * written to it lasts. Throws what `at` throws, and `storage_failed` if no copy can be made.
   */
  static async copyOf(folder: string): Promise<PaymentStore> {
    for (let attempt = 1; ; attempt += 1) {
      const copy = await mkdtemp(join(tmpdir(), 'assay-payments-'));
      try {
        for (const name of await readdir(folder)) {
          // LevelDB removes files that it has merged into others.
          if (name !== 'LOCK') await copyFile(join(folder, name), join(copy, name));
        }
        const store = await PaymentStore.at(copy);
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
    return new PaymentStore(database, false);
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

  body(key: string): Promise<Uint8Array | undefined> {
    return this.#get(`body/${key}`);
  }

  /** Writes a new payment with the answer that it buys. */
  async add(payment: Payment, body: Uint8Array): Promise<void> {
    const { key, identifier, at_ms } = payment;
    await this.#write([
      ['payment', key, recordOf(payment)],
      ['body', key, body],
      ['identifier', identifier, Buffer.from(key)],
      ['open', key, NOTHING],
      ['time', timeKey(at_ms, key), NOTHING],
    ]);
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
    return after;
  }

  /** The payments of which something may still be learnt. */
  async *open(): AsyncGenerator<Payment, void, undefined> {
    for await (const key of this.#database.keys(rangeOf('open'))) {
      const payment = await this.get(key.slice('open/'.length));
      if (payment !== undefined) yield payment;
    }
  }

  /** The keys of the payments whose answer is kept and could be given before `beforeMs`, the oldest first. */
  async *keptBefore(beforeMs: number): AsyncGenerator<string, void, undefined> {
    const range = { gt: 'kept/', lt: `kept/${timeKey(beforeMs, '')}` };
    for await (const key of this.#database.keys(range)) yield key.slice(key.lastIndexOf('/') + 1);
  }

  /** All payments in the order in which they came; the newest first with `newest`. */
  async *all({ newest = false }: { readonly newest?: boolean } = {}): AsyncGenerator<
    Payment,
    void,
    undefined
  > {
    for await (const key of this.#database.keys({ ...rangeOf('time'), reverse: newest })) {
      const payment = await this.get(key.slice(key.lastIndexOf('/') + 1));
      if (payment !== undefined) yield payment;
    }
  }

  async close(): Promise<void> {
    await this.#database.close();
    if (this.#remove !== undefined) await rm(this.#remove, { recursive: true, force: true });
  }

  async #get(key: string): Promise<Uint8Array | undefined> {
    try {
      return await this.#database.get(key);
    } catch (error) {
      throw storageFault(error, TITLE);
    }
  }

  async #write(rows: readonly Row[]): Promise<void> {
    const batch = rows.map(([table, key, value]) =>
      value === null
        ? { type: 'del' as const, key: `${table}/${key}` }
        : { type: 'put' as const, key: `${table}/${key}`, value },
    );
    try {
      await this.#database.batch(batch, { sync: this.#sync } as object);
    } catch (error) {
      throw storageFault(error, TITLE);
    }
  }
}

type Table = 'payment' | 'body' | 'identifier' | 'open' | 'time' | 'kept';
type Row = readonly [table: Table, key: string, value: Uint8Array | null];

const NOTHING = new Uint8Array();

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

import { Fault, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { ViewWrite } from '@assay/core/view/view';
import type { WireValue } from '@assay/core/wire/wire';
import { errorCode } from '../../platform/durable-file.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { RecentRows } from './recent-rows.ts';
import type { CommittedRows } from './layered-views.ts';
import { openRow } from './sealed-row.ts';
import { KEYED_TABLES } from './store-key.ts';
import type { SortedKeys } from './sorted-keys.ts';
import type { LedgerStore, SealedRow } from './store.ts';

/** The bytes of rows, as they are stored, that are held after they were read: some 50 MB as objects. */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * The view rows of a store, which stay on the disk. Held are the keys of the tables that views list, in packed form, and
 * the rows that were used last. A row is checked against its digest when it is read.
 */
export class StoredViews implements CommittedRows {
  readonly #sha256: Sha256;
  readonly #store: Pick<LedgerStore, 'view'>;
  readonly #keys: SortedKeys;
  readonly #held: RecentRows;

  private constructor(
    sha256: Sha256,
    store: Pick<LedgerStore, 'view'>,
    keys: SortedKeys,
    most: number,
  ) {
    this.#sha256 = sha256;
    this.#store = store;
    this.#keys = keys;
    this.#held = new RecentRows(most);
  }

  /**
   * No row is read. The keys come from the database, or from a file beside it if they are `kept`: then whoever signs
   * anything compares them with the rows before. `most` is how many bytes of rows are held.
   */
  static async open(
    sha256: Sha256,
    store: Pick<LedgerStore, 'view' | 'viewKeys'>,
    { kept = false, most = MOST_BYTES }: { readonly kept?: boolean; readonly most?: number } = {},
  ): Promise<StoredViews> {
    return new StoredViews(sha256, store, await store.viewKeys(kept), most);
  }

  /** How many keys are held. */
  get keyCount(): number {
    return this.#keys.size;
  }

  /**
   * Throws `ledger_corrupt` if the stored bytes do not have their digest or the database is damaged there, and
   * `storage_failed` or `no_room` if it cannot be read.
   */
  get(table: string, key: string): WireValue | undefined {
    const name = nameOf(table, key);
    const held = this.#held.get(name);
    if (held !== undefined) return held;
    const row = this.#read(table, key);
    if (row === undefined) return undefined;
    const { value } = openRow(this.#sha256, row);
    this.#held.hold(name, value, row.value.length);
    return value;
  }

  #read(table: string, key: string): SealedRow | undefined {
    try {
      return this.#store.view(table, key);
    } catch (cause) {
      if (errorCode(cause) !== 'LEVEL_CORRUPTION') throw storageFault(cause, 'view row');
      const at = `${table} ${key}`;
      const expected = 'a row that can be read';
      throw new Fault('ledger_corrupt', 'view row', {
        at,
        expected,
        found: messageOf(cause),
        cause,
      });
    }
  }

  *keys(table: string): Generator<string> {
    requireListed(table);
    const start = table.length + 1;
    for (const name of this.#keys.range(`${table}\0`, `${table}\u0001`)) yield name.slice(start);
  }

  *keysBack(table: string, below?: string): Generator<string> {
    requireListed(table);
    const start = table.length + 1;
    const end = below === undefined ? `${table}\u0001` : nameOf(table, below);
    for (const name of this.#keys.rangeBack(`${table}\0`, end)) yield name.slice(start);
  }

  apply(writes: readonly ViewWrite[], lengths: readonly number[]): void {
    for (const [i, { table, key, value }] of writes.entries()) {
      this.#held.hold(nameOf(table, key), value, lengths[i] ?? 0);
    }
  }
}

/** A table name and a key contain no 0x00. */
function nameOf(table: string, key: string): string {
  return `${table}\0${key}`;
}

function requireListed(table: string): void {
  if (KEYED_TABLES.has(table))
    throw new TypeError(`the rows of ${table} are found by their keys alone`);
}

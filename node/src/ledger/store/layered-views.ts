import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import type { MemoryViews } from '@assay/core/view/state';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import { formatWire, type WireValue } from '@assay/core/wire/wire';

/** The rows of everything that was committed, wherever they are. */
export interface CommittedRows {
  readonly get: (table: string, key: string) => WireValue | undefined;
  /** The keys of a table, ascending. */
  readonly keys: (table: string) => Iterable<string>;
  /** The keys of a table below one, or all of them, descending. */
  readonly keysBack: (table: string, below?: string) => Iterable<string>;
  /** Takes rows whose commit has ended. `lengths` are the bytes that each takes in the store. */
  readonly apply: (writes: readonly ViewWrite[], lengths: readonly number[]) => void;
  /** Gives up rows that are there for a while, once nobody reads them. It does not reject. Others have none. */
  readonly drop?: (this: void) => Promise<void>;
}

/** No rows at all. */
export const NO_ROWS: CommittedRows = {
  get: () => undefined,
  keys: () => [],
  keysBack: () => [],
  apply: () => {
    throw new TypeError('there are no rows here');
  },
};

/** Rows in memory. */
export function memoryRows(views: MemoryViews): CommittedRows {
  return {
    get: (table, key) => views.get(table, key),
    keys: (table) => keysOf(views.list(table)),
    keysBack: (table, below) => keysOf(views.descend(table, below)),
    apply: (writes) => views.write(writes),
  };
}

function* keysOf(rows: Iterable<readonly [string, WireValue]>): Generator<string> {
  for (const [key] of rows) yield key;
}

/** The same rows. `onDamaged` is called when one is read that does not have its digest, before that throws. */
export function watchedRows(rows: CommittedRows, onDamaged: () => void): CommittedRows {
  return {
    get(table, key) {
      try {
        return rows.get(table, key);
      } catch (error) {
        if (faultCode(error) === 'ledger_corrupt') onDamaged();
        throw error;
      }
    },
    keys: (table) => rows.keys(table),
    keysBack: (table, below) => rows.keysBack(table, below),
    apply: (writes, lengths) => rows.apply(writes, lengths),
    ...dropOf(rows),
  };
}

function dropOf({ drop }: CommittedRows): Pick<CommittedRows, 'drop'> {
  return drop === undefined ? {} : { drop };
}

/** The same rows for whoever derives them from a log: one that is damaged here says nothing of that log (`storage_failed`). */
export function ownRows(rows: CommittedRows, title: string, expected: string): CommittedRows {
  return {
    get(table, key) {
      try {
        return rows.get(table, key);
      } catch (cause) {
        if (faultCode(cause) !== 'ledger_corrupt') throw cause;
        throw new Fault('storage_failed', title, {
          at: `${table} ${key}`,
          expected,
          found: messageOf(cause),
          cause,
        });
      }
    },
    keys: (table) => rows.keys(table),
    keysBack: (table, below) => rows.keysBack(table, below),
    apply: (writes, lengths) => rows.apply(writes, lengths),
    ...dropOf(rows),
  };
}

/** The same rows without those of one table, which belongs to no view. */
export function rowsWithout(rows: CommittedRows, hidden: string): CommittedRows {
  return {
    get: (table, key) => (table === hidden ? undefined : rows.get(table, key)),
    keys: (table) => (table === hidden ? [] : rows.keys(table)),
    keysBack: (table, below) => (table === hidden ? [] : rows.keysBack(table, below)),
    apply: (writes, lengths) => rows.apply(writes, lengths),
    ...dropOf(rows),
  };
}

/** Stands for a row that the layer hides. */
const NONE: unique symbol = Symbol('no such row');

/** Rows that differ from the committed ones, by table and key. */
export class RowLayer {
  readonly #tables = new Map<string, Map<string, WireValue | typeof NONE>>();

  has(table: string, key: string): boolean {
    return this.#tables.get(table)?.has(key) === true;
  }

  /** The row as it is here, whose value is undefined if it is hidden; undefined if the layer does not have it. */
  get(table: string, key: string): { readonly value: WireValue | undefined } | undefined {
    const value = this.#tables.get(table)?.get(key);
    if (value === undefined) return undefined;
    return { value: value === NONE ? undefined : value };
  }

  /** Without a value the row is hidden. */
  set(table: string, key: string, value: WireValue | undefined): void {
    let rows = this.#tables.get(table);
    if (rows === undefined) {
      rows = new Map();
      this.#tables.set(table, rows);
    }
    rows.set(key, value === undefined ? NONE : value);
  }

  delete(table: string, key: string): void {
    const rows = this.#tables.get(table);
    rows?.delete(key);
    if (rows?.size === 0) this.#tables.delete(table);
  }

  clear(): void {
    this.#tables.clear();
  }

  /** The tables that have rows here. */
  tables(): Iterable<string> {
    return this.#tables.keys();
  }

  /** The keys of a table, ascending, as they are now. */
  keys(table: string): readonly string[] {
    const rows = this.#tables.get(table);
    return rows === undefined ? [] : [...rows.keys()].sort();
  }
}

/**
 * Committed rows with a layer of others over them. The end of the log is such a state, whose layer has what waits for
 * its commit, and so is what readers are shown, whose layer has what it was before the commits that they are not shown
 * yet. Both have the same rows below.
 */
export class LayeredViews implements ViewState {
  #base: CommittedRows;
  #layer: RowLayer;

  constructor(base: CommittedRows, layer: RowLayer = new RowLayer()) {
    this.#base = base;
    this.#layer = layer;
  }

  /** Goes on over other rows, with another layer. Whoever holds this object has the current rows. */
  rebase(base: CommittedRows, layer: RowLayer = new RowLayer()): void {
    this.#base = base;
    this.#layer = layer;
  }

  get(table: string, key: string): WireValue | undefined {
    const own = this.#layer.get(table, key);
    return own === undefined ? this.#base.get(table, key) : own.value;
  }

  *list(table: string): Generator<readonly [string, WireValue]> {
    const own = this.#layer.keys(table);
    for (const key of merged(this.#base.keys(table), own, (a, b) => a < b)) {
      const value = this.get(table, key);
      if (value !== undefined) yield [key, value];
    }
  }

  *descend(table: string, below?: string): Generator<readonly [string, WireValue]> {
    const own = this.#layer
      .keys(table)
      .filter((key) => below === undefined || key < below)
      .reverse();
    for (const key of merged(this.#base.keysBack(table, below), own, (a, b) => a > b)) {
      const value = this.get(table, key);
      if (value !== undefined) yield [key, value];
    }
  }

  /** Rows that wait for their commit. */
  write(writes: Iterable<ViewWrite>): void {
    for (const { table, key, value } of writes) this.#layer.set(table, key, value);
  }

  /** Undoes `write(writes)`, before which those rows had the values `before`. */
  takeBack(writes: readonly ViewWrite[], before: readonly (WireValue | undefined)[]): void {
    for (const [i, { table, key }] of writes.entries()) {
      const value = before[i];
      const below = value === undefined ? undefined : this.#base.get(table, key);
      if (value === undefined || (below !== undefined && isSame(below, value))) {
        this.#layer.delete(table, key);
      } else this.#layer.set(table, key, value);
    }
  }

  /** The rows below have these now. Those that have changed again since then stay in the layer. */
  settled(writes: Iterable<ViewWrite>): void {
    for (const { table, key, value } of writes) {
      if (this.#layer.get(table, key)?.value === value) this.#layer.delete(table, key);
    }
  }
}

function isSame(a: WireValue, b: WireValue): boolean {
  return a === b || equalBytes(formatWire(a), formatWire(b));
}

/** Two runs of keys in one order as one, each key once. */
function* merged(
  base: Iterable<string>,
  own: readonly string[],
  isBefore: (a: string, b: string) => boolean,
): Generator<string> {
  let at = 0;
  for (const key of base) {
    for (; at < own.length && isBefore(own[at] as string, key); at += 1) yield own[at] as string;
    if (own[at] === key) at += 1;
    yield key;
  }
  for (; at < own.length; at += 1) yield own[at] as string;
}

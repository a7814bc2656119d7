import type { WireValue } from '../wire/wire.ts';
import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';
import type { ViewState, ViewWrite } from './view.ts';

/** Steps for one row that is read or written. */
const ROW_STEPS = 128;
/** Steps for one key of a table that is sorted again. */
const SORT_STEPS = 32;
/** Steps for a row that is read by its key. */
const GET_STEPS = 16;

/** The rows of all views in memory. Reads are charged to `work`, so that a fold is charged too. */
export class MemoryViews implements ViewState {
  readonly #tables = new Map<string, Map<string, WireValue>>();
  /** Sorted keys of a table; dropped when a key is added that is not the last. */
  readonly #sorted = new Map<string, string[]>();
  readonly #work: WorkBudget;

  constructor(work: WorkBudget = NO_LIMIT) {
    this.#work = work;
  }

  get(table: string, key: string): WireValue | undefined {
    this.#work.charge(GET_STEPS);
    return this.#tables.get(table)?.get(key);
  }

  *list(table: string): Generator<readonly [string, WireValue]> {
    const rows = this.#tables.get(table);
    if (rows === undefined) return;
    const keys = this.#keys(table, rows);
    const { length } = keys;
    for (let i = 0; i < length; i += 1) {
      this.#work.charge(ROW_STEPS);
      const key = keys[i] as string;
      yield [key, rows.get(key) as WireValue];
    }
  }

  *descend(table: string, below?: string): Generator<readonly [string, WireValue]> {
    const rows = this.#tables.get(table);
    if (rows === undefined) return;
    const keys = this.#keys(table, rows);
    for (
      let i = (below === undefined ? keys.length : lowerBound(keys, below)) - 1;
      i >= 0;
      i -= 1
    ) {
      this.#work.charge(ROW_STEPS);
      const key = keys[i] as string;
      yield [key, rows.get(key) as WireValue];
    }
  }

  #keys(table: string, rows: ReadonlyMap<string, WireValue>): readonly string[] {
    let keys = this.#sorted.get(table);
    if (keys === undefined) {
      this.#work.charge(SORT_STEPS * rows.size);
      keys = [...rows.keys()].sort();
      this.#sorted.set(table, keys);
    }
    return keys;
  }

  write(writes: Iterable<ViewWrite>): void {
    for (const { table, key, value } of writes) {
      let rows = this.#tables.get(table);
      if (rows === undefined) {
        rows = new Map();
        this.#tables.set(table, rows);
      }
      if (!rows.has(key)) {
        const keys = this.#sorted.get(table);
        const last = keys?.at(-1);
        // Most tables grow at their end.
        if (last === undefined || last > key) this.#sorted.delete(table);
        else keys?.push(key);
      }
      rows.set(key, value);
    }
  }

  /** Undoes `write(writes)`, before which those rows had the values `before`. */
  takeBack(writes: readonly ViewWrite[], before: readonly (WireValue | undefined)[]): void {
    for (const [i, { table, key }] of writes.entries()) {
      const value = before[i];
      const rows = this.#tables.get(table);
      if (value !== undefined) this.write([{ table, key, value }]);
      else if (rows?.delete(key) === true) this.#sorted.delete(table);
      if (rows?.size === 0) this.#tables.delete(table);
    }
  }

  /** Removes every row. */
  clear(): void {
    this.#tables.clear();
    this.#sorted.clear();
  }

  /** Replaces its rows by those of other views. */
  replace(by: MemoryViews): void {
    this.clear();
    for (const table of by.tables()) {
      for (const [key, value] of by.list(table)) this.write([{ table, key, value }]);
    }
  }

  tables(): readonly string[] {
    return [...this.#tables.keys()].sort();
  }
}

/** How many of `keys`, which ascend, sort before `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

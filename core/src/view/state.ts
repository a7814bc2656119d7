import type { WireValue } from '../wire.ts';
import type { ViewState, ViewWrite } from './view.ts';

/** The rows of all views in memory. */
export class MemoryViews implements ViewState {
  readonly #tables = new Map<string, Map<string, WireValue>>();
  /** Keys of a table in order; dropped when a key is added out of order. */
  readonly #sorted = new Map<string, string[]>();

  get(table: string, key: string): WireValue | undefined {
    return this.#tables.get(table)?.get(key);
  }

  *list(table: string): Generator<readonly [string, WireValue]> {
    const rows = this.#tables.get(table);
    if (rows === undefined) return;
    let keys = this.#sorted.get(table);
    if (keys === undefined) {
      keys = [...rows.keys()].sort();
      this.#sorted.set(table, keys);
    }
    for (const key of keys) yield [key, rows.get(key) as WireValue];
  }

  write(writes: Iterable<ViewWrite>): void {
    for (const { table, key, value } of writes) {
      let rows = this.#tables.get(table);
      if (rows === undefined) {
        rows = new Map();
        this.#tables.set(table, rows);
      }
      if (!rows.has(key)) this.#sorted.delete(table);
      rows.set(key, value);
    }
  }

  tables(): readonly string[] {
    return [...this.#tables.keys()].sort();
  }
}

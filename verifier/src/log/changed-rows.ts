import { MemoryViews } from '@assay/core/view/state';
import type { ViewWrite } from '@assay/core/view/view';

/** The rows of all views, which can tell those that were written since the first of them were loaded. */
export class ChangedRows extends MemoryViews {
  /** By table and key; undefined where nothing was loaded. */
  #changed: Map<string, ViewWrite> | undefined;

  /** Takes rows that were kept. What is written after that has changed. */
  load(rows: Iterable<ViewWrite>): void {
    super.write(rows);
    this.#changed ??= new Map();
  }

  override write(writes: Iterable<ViewWrite>): void {
    if (this.#changed === undefined) {
      super.write(writes);
      return;
    }
    const all = [...writes];
    super.write(all);
    for (const each of all) this.#changed.set(`${each.table}\0${each.key}`, each);
  }

  /** The rows that were written since the last `load`; undefined where there was none. */
  get changed(): Iterable<ViewWrite> | undefined {
    return this.#changed?.values();
  }

  *all(): Generator<ViewWrite> {
    for (const table of this.tables()) {
      for (const [key, value] of this.list(table)) yield { table, key, value };
    }
  }
}

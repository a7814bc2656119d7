import { compareUtf8 } from '@assay/core/bytes/utf8';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import type { WireValue } from '@assay/core/wire/wire';
import type { WorkBudget } from '@assay/core/work-budget';
import type { RowStore } from '../verdict/environment.ts';

/** Rows whose names are remembered as changed. Of more, nobody knows which have changed. */
const MOST_CHANGED = 100_000;
/** Steps for a row that is read outside of memory. */
const STORED_STEPS = 4096;

/**
 * The rows of all views of a walk. Those of a long log move to a place outside of memory, where there is one. Reads are
 * charged to `work`, so that a fold is charged too.
 */
export class WalkRows implements ViewState {
  readonly #work: WorkBudget;
  readonly #makeStore: (() => Promise<RowStore>) | undefined;
  readonly #most: number;
  #memory: MemoryViews;
  #store: RowStore | undefined;
  /** By table and key, what was written since rows were loaded; undefined where none were, and for too many. */
  #changed: Map<string, Pick<ViewWrite, 'table' | 'key'>> | undefined;

  /**
   * The rows of entries of up to `most` bytes are held in memory, and those of more are kept where `makeStore` makes a
   * place; without it all are held.
   */
  constructor(work: WorkBudget, makeStore: (() => Promise<RowStore>) | undefined, most: number) {
    this.#work = work;
    this.#makeStore = makeStore;
    this.#most = most;
    this.#memory = new MemoryViews(work);
  }

  /** Whether the rows have left the memory. */
  get isStored(): boolean {
    return this.#store !== undefined;
  }

  get(table: string, key: string): WireValue | undefined {
    if (this.#store === undefined) return this.#memory.get(table, key);
    this.#work.charge(STORED_STEPS);
    return this.#store.get(table, key);
  }

  list(table: string): Iterable<readonly [string, WireValue]> {
    if (this.#store === undefined) return this.#memory.list(table);
    return this.#charged(this.#store.list(table));
  }

  descend(table: string, below?: string): Iterable<readonly [string, WireValue]> {
    if (this.#store === undefined) return this.#memory.descend(table, below);
    return this.#charged(this.#store.descend(table, below));
  }

  write(writes: Iterable<ViewWrite>): void {
    if (this.#changed === undefined) {
      (this.#store ?? this.#memory).write(writes);
      return;
    }
    const all = [...writes];
    (this.#store ?? this.#memory).write(all);
    for (const { table, key } of all) this.#changed.set(`${table}\0${key}`, { table, key });
    if (this.#changed.size > MOST_CHANGED) this.#changed = undefined;
  }

  /** Takes rows that were kept. What is written after that has changed. */
  load(rows: Iterable<ViewWrite>): void {
    (this.#store ?? this.#memory).write(rows);
    this.#changed ??= new Map();
  }

  /**
   * Makes room where that is needed, after rows that were made of entries of so many bytes altogether. Undefined where
   * nothing has to be waited for. Rows can be read meanwhile, and are written when it has resolved. Rejects where the place
   * outside of memory cannot be written.
   */
  flush(entryBytes: number): Promise<void> | undefined {
    if (this.#store !== undefined) return this.#store.flush();
    if (this.#makeStore === undefined || entryBytes <= this.#most) return undefined;
    return this.#move(this.#makeStore);
  }

  async #move(makeStore: () => Promise<RowStore>): Promise<void> {
    const store = await makeStore();
    try {
      await fill(store, this.#memory);
    } catch (error) {
      await store.drop();
      throw error;
    }
    this.#store = store;
    this.#memory = new MemoryViews(this.#work);
  }

  /** The rows that were written since the last `load`; undefined where there was none, and where nobody knows. */
  get changed(): Iterable<ViewWrite> | undefined {
    return this.#changed === undefined ? undefined : this.#read(this.#changed.values());
  }

  *#read(names: Iterable<Pick<ViewWrite, 'table' | 'key'>>): Generator<ViewWrite> {
    for (const { table, key } of names) {
      yield { table, key, value: this.get(table, key) as WireValue };
    }
  }

  /** Every row, by the UTF-8 of its table and then of its key. Nothing may be written meanwhile. */
  all(): AsyncIterable<ViewWrite> {
    return this.#store === undefined ? rowsIn(this.#memory) : this.#store.all();
  }

  /** Gives up the rows. Nothing is read afterwards. */
  async drop(): Promise<void> {
    await this.#store?.drop();
  }

  *#charged(rows: Iterable<readonly [string, WireValue]>): Generator<readonly [string, WireValue]> {
    for (const row of rows) {
      this.#work.charge(STORED_STEPS);
      yield row;
    }
  }
}

async function fill(store: RowStore, views: MemoryViews): Promise<void> {
  for (const table of views.tables()) {
    for (const [key, value] of views.list(table)) {
      store.write([{ table, key, value }]);
      const flushing = store.flush();
      if (flushing !== undefined) await flushing;
    }
  }
}

async function* rowsIn(views: MemoryViews): AsyncGenerator<ViewWrite> {
  for (const table of [...views.tables()].sort(compareUtf8)) {
    const rows = [...views.list(table)].sort(([a], [b]) => compareUtf8(a, b));
    for (const [key, value] of rows) yield { table, key, value };
  }
}

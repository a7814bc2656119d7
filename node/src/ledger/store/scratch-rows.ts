import type { Hash, Sha256 } from '@assay/core/hash/hash';
import { RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import { formatWire, type WireValue } from '@assay/core/wire/wire';
import { LayeredViews } from './layered-views.ts';
import { openRow, sealRow } from './sealed-row.ts';
import type { LedgerStore, Scratch, SealedRow } from './store.ts';
import { StoredViews } from './stored-views.ts';

/** How many rows are held before they are written. */
const MOST_WAITING = 4096;

/** View rows that are derived again, in a store beside the log's own, so that they take no more memory in a long log. */
export class ScratchRows implements ViewState {
  readonly #sha256: Sha256;
  readonly #scratch: Scratch;
  readonly #base: StoredViews;
  readonly #views: LayeredViews;
  /** What is not written yet, by table and key. */
  readonly #waiting = new Map<string, ViewWrite>();

  private constructor(sha256: Sha256, scratch: Scratch, base: StoredViews) {
    this.#sha256 = sha256;
    this.#scratch = scratch;
    this.#base = base;
    this.#views = new LayeredViews(base);
  }

  static async make(sha256: Sha256, store: Pick<LedgerStore, 'scratch'>): Promise<ScratchRows> {
    const scratch = await store.scratch();
    return new ScratchRows(sha256, scratch, await StoredViews.open(sha256, scratch.store));
  }

  get(table: string, key: string): WireValue | undefined {
    return this.#views.get(table, key);
  }

  list(table: string): Iterable<readonly [string, WireValue]> {
    return this.#views.list(table);
  }

  descend(table: string, below?: string): Iterable<readonly [string, WireValue]> {
    return this.#views.descend(table, below);
  }

  write(writes: Iterable<ViewWrite>): void {
    for (const each of writes) {
      this.#views.write([each]);
      this.#waiting.set(`${each.table}\0${each.key}`, each);
    }
  }

  /** Writes what waits, if it is much. Nothing is written to the log's own store. */
  flush(most: number = MOST_WAITING): Promise<void> | undefined {
    return this.#waiting.size <= most ? undefined : this.#flush();
  }

  async #flush(): Promise<void> {
    const { store } = this.#scratch;
    const writes = [...this.#waiting.values()];
    this.#waiting.clear();
    const views = writes.map(({ table, key, value }) =>
      sealRow(this.#sha256, { table, key, value: formatWire(value) }),
    );
    await store.commit({ entries: [], tiles: [], views, head: null });
    this.#base.apply(
      writes,
      views.map(({ value }) => value.length),
    );
    this.#views.settled(writes);
  }

  /** The sum of all rows. */
  async sum(): Promise<RowsSum> {
    await this.flush(0);
    const root = new RowsRoot();
    for await (const { digest } of this.rows()) root.add(digest as Hash);
    return root.sum();
  }

  /** All rows as they are stored, once `sum` was asked for. */
  rows(): AsyncIterable<SealedRow> {
    return this.#scratch.store.views();
  }

  /** Every row, each checked against its digest. */
  async *all(): AsyncGenerator<ViewWrite> {
    await this.flush(0);
    for await (const row of this.rows()) yield openRow(this.#sha256, row);
  }

  drop(): Promise<void> {
    return this.#scratch.drop();
  }
}

import type { Hash, Sha256 } from '@assay/core/hash/hash';
import { RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import { formatWire, type WireValue } from '@assay/core/wire/wire';
import { type CommittedRows, LayeredViews, NO_ROWS, ownRows } from '../store/layered-views.ts';
import { openRow, sealRow } from '../store/sealed-row.ts';
import type { LedgerStore, Scratch, SealedRow } from '../store/store.ts';
import { StoredViews } from '../store/stored-views.ts';

const TITLE = 'view rows';
const EXPECTED = 'a row as it was written to the disk';

/** How many rows are held before they are written, and how many bytes of them. */
const MOST_WAITING = 4096;
const MOST_BYTES = 4 * 1024 * 1024;

/** A row that is not written yet. */
interface Waiting {
  readonly write: ViewWrite;
  readonly sealed: SealedRow;
}

/** View rows that are derived again, in a store beside the log's own, so that they take no more memory in a long log. */
export class ScratchRows implements ViewState {
  readonly #sha256: Sha256;
  readonly #scratch: Scratch;
  readonly #base: StoredViews;
  readonly #views: LayeredViews;
  /** What is not written yet, by table and key. */
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;

  private constructor(sha256: Sha256, scratch: Scratch, base: StoredViews) {
    this.#sha256 = sha256;
    this.#scratch = scratch;
    this.#base = base;
    this.#views = new LayeredViews(ownRows(base, TITLE, EXPECTED));
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
    for (const write of writes) {
      const { table, key, value } = write;
      this.#views.write([write]);
      const name = `${table}\0${key}`;
      const sealed = sealRow(this.#sha256, { table, key, value: formatWire(value) });
      this.#bytes += sealed.value.length - (this.#waiting.get(name)?.sealed.value.length ?? 0);
      this.#waiting.set(name, { write, sealed });
    }
  }

  /** Writes what waits, if it is much. Nothing is written to the log's own store. */
  flush(most: number = MOST_WAITING): Promise<void> | undefined {
    return this.#waiting.size <= most && this.#bytes <= MOST_BYTES ? undefined : this.#flush();
  }

  async #flush(): Promise<void> {
    const rows = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#bytes = 0;
    const views = rows.map(({ sealed }) => sealed);
    const writes = rows.map(({ write }) => write);
    await this.#scratch.store.commit({ entries: [], tiles: [], views, head: null });
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

  /** The rows for whoever reads them until `drop`, once `sum` was asked for. */
  committed(): CommittedRows {
    return {
      ...ownRows(this.#base, TITLE, EXPECTED),
      apply: NO_ROWS.apply,
      drop: () => this.drop(),
    };
  }

  /** A second call does nothing. */
  drop(): Promise<void> {
    return this.#scratch.drop();
  }
}

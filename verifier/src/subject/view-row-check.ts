import { equalBytes } from '@assay/core/bytes/bytes';
import { compareUtf8 } from '@assay/core/bytes/utf8';
import { rowDigest } from '@assay/core/view/row-digest';
import { RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import type { ViewWrite } from '@assay/core/view/view';
import { formatWire } from '@assay/core/wire/wire';
import type { LogWalk } from '../log/log-walk.ts';
import type { FolderRow } from '../reader/folder-reader.ts';
import type { Session } from './session.ts';

type ViewRow = Extract<FolderRow, { readonly part: 'view' }>;

/**
 * Compares the view rows of a folder with those that the walk has folded. Both come in the same order, so that nothing is
 * held of either.
 */
export class ViewRowCheck {
  readonly #session: Session;
  readonly #walk: LogWalk;
  /** What the walk has folded; undefined before the first row of the folder, which comes after every entry. */
  #folded: AsyncIterator<ViewWrite> | undefined;
  /** The next of these; undefined after the last. */
  #next: ViewWrite | undefined;
  readonly #sum = new RowsRoot();

  constructor(session: Session, walk: LogWalk) {
    this.#session = session;
    this.#walk = walk;
  }

  async take({ table, key, value, digest }: ViewRow): Promise<void> {
    const { findings, tally } = this.#session;
    tally.view_rows += 1;
    await this.#begin();
    const place = `view ${table} ${key}`;
    let order = this.#order(table, key);
    for (; order < 0; order = this.#order(table, key)) await this.#missing();
    const expected = this.#next;
    if (expected === undefined || order > 0) {
      findings.add('view_unknown', place, 'no such row', 'a row');
      return;
    }
    const own = formatWire(expected.value);
    const ownDigest = this.#add(expected, own);
    if (!equalBytes(own, value)) {
      findings.add('view_differs', place, 'the fold of the log', 'another value');
    } else if (!equalBytes(ownDigest, digest)) {
      findings.add('view_differs', place, 'the digest of the row beside it', 'another');
    }
    await this.#advance();
  }

  /** Reports the rows that did not come, and returns the sum of those that the walk has folded. */
  async finish(): Promise<RowsSum> {
    await this.#begin();
    while (this.#next !== undefined) await this.#missing();
    return this.#sum.sum();
  }

  async #begin(): Promise<void> {
    if (this.#folded !== undefined) return;
    this.#folded = this.#walk.views.all()[Symbol.asyncIterator]();
    await this.#advance();
  }

  async #advance(): Promise<void> {
    const { done, value } = await (this.#folded as AsyncIterator<ViewWrite>).next();
    this.#next = done === true ? undefined : value;
  }

  /** Where the next folded row is from a row of the folder: negative before it, 0 for the same, positive behind it. */
  #order(table: string, key: string): number {
    if (this.#next === undefined) return 1;
    return compareUtf8(this.#next.table, table) || compareUtf8(this.#next.key, key);
  }

  async #missing(): Promise<void> {
    const row = this.#next as ViewWrite;
    this.#add(row, formatWire(row.value));
    const place = `view ${row.table} ${row.key}`;
    this.#session.findings.add('view_missing', place, 'the row of the fold', 'nothing');
    await this.#advance();
  }

  /** Adds a row to the sum. Returns its digest. */
  #add({ table, key }: ViewWrite, value: Uint8Array): Uint8Array {
    const digest = rowDigest(this.#session.environment.sha256, table, key, value);
    this.#sum.add(digest);
    return digest;
  }
}

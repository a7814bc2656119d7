import { equalBytes } from '@assay/core/bytes/bytes';
import { compareUtf8 } from '@assay/core/bytes/utf8';
import { Fault, messageOf } from '@assay/core/fault';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import { rowDigest } from '@assay/core/view/row-digest';
import { RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import type { MemoryViews } from '@assay/core/view/state';
import type { ViewWrite } from '@assay/core/view/view';
import { formatWire, parseWire, type WireValue } from '@assay/core/wire/wire';
import type { SealedRow, ViewRow } from './store.ts';

/** A row with the digest that it is checked against when it is read again. */
export function sealRow(sha256: Sha256, { table, key, value }: ViewRow): SealedRow {
  return { table, key, value, digest: rowDigest(sha256, table, key, value) };
}

/** The rows of views as they are stored, by the UTF-8 of their table and then of their key. */
export function* sealedRows(sha256: Sha256, views: MemoryViews): Generator<SealedRow> {
  for (const table of [...views.tables()].sort(compareUtf8)) {
    for (const [key, value] of [...views.list(table)].sort(([a], [b]) => compareUtf8(a, b))) {
      yield sealRow(sha256, { table, key, value: formatWire(value) });
    }
  }
}

/** Rows in their order, and those of another table in their places among them. */
export async function* rowsWithTable(
  rows: AsyncIterable<SealedRow> | Iterable<SealedRow>,
  table: readonly SealedRow[],
): AsyncGenerator<SealedRow> {
  const own = [...table].sort(compareRows);
  let at = 0;
  for await (const row of rows) {
    for (; at < own.length && compareRows(own[at] as SealedRow, row) < 0; at += 1) {
      yield own[at] as SealedRow;
    }
    yield row;
  }
  yield* own.slice(at);
}

/** The order in which a store has rows. */
export function compareRows(a: ViewRow, b: ViewRow): number {
  return compareUtf8(a.table, b.table) || compareUtf8(a.key, b.key);
}

/** The number of rows, and the sum of their digests, with those that `before` is of. */
export function sumOf(rows: Iterable<SealedRow>, before?: RowsSum): RowsSum {
  const root = new RowsRoot(before);
  for (const { digest } of rows) root.add(digest as Hash);
  return root.sum();
}

/** Parses a stored row. Throws `ledger_corrupt` if its bytes do not have the stored digest. */
export function openRow(sha256: Sha256, row: SealedRow): ViewWrite {
  const { table, key, value, digest } = row;
  if (!equalBytes(rowDigest(sha256, table, key, value), digest)) {
    throw badRow(row, 'a value that has the digest beside it', 'another');
  }
  try {
    return { table, key, value: parseWire(value) };
  } catch (cause) {
    throw badRow(row, 'canonical JSON', messageOf(cause), cause);
  }
}

function badRow({ table, key }: ViewRow, expected: string, found: string, cause?: unknown): Fault {
  return new Fault('ledger_corrupt', 'view row', { at: `${table} ${key}`, expected, found, cause });
}

/** Seals the rows that commits write, and maintains the sum over all rows. */
export class RowSealer {
  readonly #sha256: Sha256;
  readonly #root: RowsRoot;

  /** `sum` is that of the stored rows. */
  constructor(sha256: Sha256, sum?: RowsSum) {
    this.#sha256 = sha256;
    this.#root = new RowsRoot(sum);
  }

  /** Of the rows that were stored and those that were sealed since. */
  get sum(): RowsSum {
    return this.#root.sum();
  }

  /** A row that replaces `before`, the stored value; undefined if there is none. */
  seal({ table, key, value }: ViewWrite, before: WireValue | undefined): SealedRow {
    const old = before === undefined ? undefined : formatWire(before);
    return this.sealBytes(
      { table, key, value: formatWire(value) },
      old === undefined ? undefined : rowDigest(this.#sha256, table, key, old),
    );
  }

  /** The same, with the digest of the stored row. */
  sealBytes(row: ViewRow, before: Uint8Array | undefined): SealedRow {
    const sealed = sealRow(this.#sha256, row);
    if (before !== undefined) this.#root.remove(before as Hash);
    this.#root.add(sealed.digest as Hash);
    return sealed;
  }
}

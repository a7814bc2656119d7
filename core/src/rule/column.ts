import { type Decimal, type NumeralStyle, wholeDecimal } from './numeral.ts';
import { take } from './operation.ts';
import { cellText, requireColumn } from './pointer.ts';
import { type OpContext, ReadStopped, type Value } from './value.ts';

/** Numbers of rows, as integers over one power of ten, so that no fraction is reduced on the way. */
export interface Column {
  readonly units: readonly bigint[];
  readonly places: number;
}

/** The numbers at `ptr` in each row, for an operation that needs at least one; otherwise stops with `no_source`. */
export function columnOf(
  op: string,
  input: Value,
  ptr: string,
  style: NumeralStyle,
  context: Pick<OpContext, 'work'>,
): Column {
  const column = alignDecimals([...productsOf(op, input, [ptr], style, context)]);
  if (column.units.length === 0) throw new ReadStopped('no_source', `${op} of no rows`);
  return column;
}

/** The product of the numbers at `ptrs`, for each row. */
export function* productsOf(
  op: string,
  input: Value,
  ptrs: readonly string[],
  style: NumeralStyle,
  { work }: Pick<OpContext, 'work'>,
): Generator<Decimal, void> {
  const { rows, columns } = take(op, input, 'rows');
  for (const ptr of ptrs) requireColumn(columns, ptr);
  for (const row of rows) {
    let product: Decimal = { units: 1n, places: 0 };
    for (const ptr of ptrs) {
      const { units, places } = wholeDecimal(cellText(row, ptr, work), style);
      product = { units: product.units * units, places: product.places + places };
    }
    yield product;
  }
}

function alignDecimals(decimals: readonly Decimal[]): Column {
  const places = decimals.reduce((most, each) => Math.max(most, each.places), 0);
  return {
    units: decimals.map((each) =>
      each.places === places ? each.units : each.units * 10n ** BigInt(places - each.places),
    ),
    places,
  };
}

/** The exact sum: one total for each number of decimal places, and then the sum of those. */
export function sumDecimals(decimals: Iterable<Decimal>): Decimal {
  const totals = new Map<number, bigint>();
  for (const { units, places } of decimals) {
    totals.set(places, (totals.get(places) ?? 0n) + units);
  }
  const { units, places } = alignDecimals(
    [...totals].map(([each, total]) => ({ units: total, places: each })),
  );
  return { units: units.reduce((sum, each) => sum + each, 0n), places };
}

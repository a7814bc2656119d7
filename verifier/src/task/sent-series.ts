import type { ScaledSeries } from '@assay/core/rule/interpret';
import { type Figure, figuresOf, keepFigures } from '@assay/core/round/vintage';

/** A series as columns, which go from one thread to another as a few values instead of one for each period. */
export interface SeriesColumns {
  /** Day numbers, in the order of the series. */
  readonly periods: Int32Array;
  readonly values: BigInt64Array;
  /** 1 for a period of which the source states that there is no value. */
  readonly missing: Uint8Array;
  /** Day numbers of the values, ascending, and their texts with a comma between two of them. */
  readonly ascending: Int32Array;
  readonly texts: string;
}

export function seriesColumns(series: ScaledSeries): SeriesColumns {
  const { size } = series;
  const columns = {
    periods: new Int32Array(size),
    values: new BigInt64Array(size),
    missing: new Uint8Array(size),
  };
  let at = 0;
  for (const [period, value] of series) {
    columns.periods[at] = period;
    if (value === null) columns.missing[at] = 1;
    else columns.values[at] = value;
    at += 1;
  }
  const figures = figuresOf(series);
  return {
    ...columns,
    ascending: Int32Array.from(figures, ({ period }) => period),
    texts: figures.map(({ text }) => text).join(','),
  };
}

/** A series that came as columns. Most are only compared with the rows of a log, so a map is made when one is needed. */
export class SentSeries implements ScaledSeries {
  readonly #columns: SeriesColumns;
  #made: Map<number, bigint | null> | undefined;

  constructor(columns: SeriesColumns) {
    this.#columns = columns;
    const { ascending, texts } = columns;
    const parts = texts === '' ? [] : texts.split(',');
    keepFigures(
      this,
      parts.map((text, i): Figure => ({ period: ascending[i] as number, text })),
    );
  }

  get size(): number {
    return this.#columns.periods.length;
  }

  get(period: number): bigint | null | undefined {
    return this.#map.get(period);
  }

  has(period: number): boolean {
    return this.#map.has(period);
  }

  keys(): MapIterator<number> {
    return this.#map.keys();
  }

  values(): MapIterator<bigint | null> {
    return this.#map.values();
  }

  entries(): MapIterator<[number, bigint | null]> {
    return this.#map.entries();
  }

  [Symbol.iterator](): MapIterator<[number, bigint | null]> {
    return this.entries();
  }

  forEach(
    use: (value: bigint | null, period: number, series: ReadonlyMap<number, bigint | null>) => void,
  ): void {
    for (const [period, value] of this.#map) use(value, period, this);
  }

  get #map(): Map<number, bigint | null> {
    if (this.#made === undefined) {
      const { periods, values, missing } = this.#columns;
      this.#made = new Map();
      for (let i = 0; i < periods.length; i += 1) {
        this.#made.set(periods[i] as number, missing[i] === 1 ? null : (values[i] as bigint));
      }
    }
    return this.#made;
  }
}

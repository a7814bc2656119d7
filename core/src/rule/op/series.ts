import { MAX_SERIES_PERIODS } from '../../limits.ts';
import type { Rational } from '../../rational.ts';
import { array, literal, object, oneOf, string } from '../../schema.ts';
import { parseDate } from '../../time.ts';
import { NUMERAL_STYLES, type NumeralStyle, wholeNumeral } from '../numeral.ts';
import { type Operation, take } from '../operation.ts';
import { isPeriod, type PeriodKind } from '../period.ts';
import { pointer, requireColumn, resolve, scalarText } from '../pointer.ts';
import { ReadStopped } from '../value.ts';

/**
 * How a source writes its periods: `2026-07-25`; `07/25/2026`; a date with whatever follows it after a
 * `T` or a space; `2026-07`; `2026-M07`.
 */
const KEY_STYLES = ['iso_date', 'us_date', 'iso_prefix', 'iso_month', 'bls_month'] as const;
type KeyStyle = (typeof KEY_STYLES)[number];

const SHAPES: Readonly<Record<KeyStyle, RegExp>> = {
  iso_date: /^(?<y>\d{4})-(?<m>\d{2})-(?<d>\d{2})$/,
  us_date: /^(?<m>\d{2})\/(?<d>\d{2})\/(?<y>\d{4})$/,
  iso_prefix: /^(?<y>\d{4})-(?<m>\d{2})-(?<d>\d{2})(?:$|[T ])/,
  iso_month: /^(?<y>\d{4})-(?<m>\d{2})$/,
  bls_month: /^(?<y>\d{4})-M(?<m>\d{2})$/,
};

export interface SeriesStep {
  readonly op: 'series';
  /** One to three places in a row; their texts, joined by `-`, are the key. */
  readonly key: readonly string[];
  readonly key_style: KeyStyle;
  readonly value: string;
  readonly style: NumeralStyle;
  /** Texts that mean: there is no value for this period. */
  readonly missing: readonly string[];
}

/** Rows to a series by period. A key twice, or one that is no period of the index, is malformed. */
export const series: Operation<SeriesStep> = {
  op: 'series',
  parse: object<SeriesStep>({
    op: literal('series'),
    key: array(pointer, 1, 3),
    key_style: oneOf(KEY_STYLES),
    value: pointer,
    style: oneOf(NUMERAL_STYLES),
    missing: array(string(0, 64), 0, 16),
  }),
  run(step, input, { kind }) {
    const missing = new Set(step.missing);
    const out = new Map<number, Rational | null>();
    const { rows, columns } = take('series', input, 'rows');
    for (const ptr of [...step.key, step.value]) requireColumn(columns, ptr);
    for (const row of rows) {
      const key = step.key.map((ptr) => scalarText(resolve(row, ptr), ptr)).join('-');
      const period = readKey(key, step.key_style, kind);
      if (out.has(period)) throw new ReadStopped('malformed', 'a period twice');
      if (out.size === MAX_SERIES_PERIODS) throw new ReadStopped('too_large', 'too many periods');
      const text = scalarText(resolve(row, step.value), step.value);
      out.set(period, missing.has(text) ? null : wholeNumeral(text, step.style));
    }
    return { type: 'series', series: out };
  },
};

function readKey(text: string, style: KeyStyle, kind: PeriodKind): number {
  const { y, m, d } = SHAPES[style].exec(text)?.groups ?? {};
  // A month is no day, not even its first.
  if (d === undefined && kind !== 'month') {
    throw new ReadStopped('malformed', `a key that is no ${kind}`);
  }
  let period: number;
  try {
    period = parseDate(`${y}-${m}-${d ?? '01'}`);
  } catch {
    throw new ReadStopped('malformed', 'a key that is no date');
  }
  if (!isPeriod(kind, period)) throw new ReadStopped('malformed', `a key that is no ${kind}`);
  return period;
}

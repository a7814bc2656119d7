import { MAX_SERIES_PERIODS } from '../../limits.ts';
import type { Rational } from '../../number/rational.ts';
import { array, literal, object, oneOf, string } from '../../wire/schema.ts';
import { daysFromCivil, digitsAt, isCivil } from '../../time/time.ts';
import { NUMERAL_STYLES, type NumeralStyle, wholeNumeral } from '../numeral.ts';
import { type Operation, take } from '../operation.ts';
import { isPeriod, type PeriodKind } from '../period.ts';
import { cellText, pointer, requireColumn } from '../pointer.ts';
import { ReadStopped } from '../value.ts';

/**
 * How a source writes its periods: `2026-07-25`; `07/25/2026`; a date with whatever follows it after a
 * `T` or a space; `2026-07`; `2026-M07`.
 */
const KEY_STYLES = ['iso_date', 'us_date', 'iso_prefix', 'iso_month', 'bls_month'] as const;
type KeyStyle = (typeof KEY_STYLES)[number];

/** The places of year, month and day, which are digits. Other characters must match as they are. */
interface KeyShape {
  readonly text: string;
  readonly year: number;
  readonly month: number;
  /** Null where a key is a month. */
  readonly day: number | null;
}

const SHAPES: Readonly<Record<KeyStyle, KeyShape>> = {
  iso_date: { text: '0000-00-00', year: 0, month: 5, day: 8 },
  us_date: { text: '00/00/0000', year: 6, month: 0, day: 3 },
  iso_prefix: { text: '0000-00-00', year: 0, month: 5, day: 8 },
  iso_month: { text: '0000-00', year: 0, month: 5, day: null },
  bls_month: { text: '0000-M00', year: 0, month: 6, day: null },
};

export interface SeriesStep {
  readonly op: 'series';
  /** One to three members of a row. Their texts, joined by `-`, are the key. */
  readonly key: readonly string[];
  readonly key_style: KeyStyle;
  readonly value: string;
  readonly style: NumeralStyle;
  /** Texts that mean that there is no value for this period. */
  readonly missing: readonly string[];
}

/** Turns rows into a series by period. A key that occurs twice or is no period of the index is malformed. */
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
  run(step, input, { kind, work }) {
    const { key: keys, key_style: keyStyle, value, style, missing } = step;
    const [first = ''] = keys;
    const out = new Map<number, Rational | null>();
    const { rows, columns } = take('series', input, 'rows');
    for (const ptr of [...keys, value]) requireColumn(columns, ptr);
    for (const row of rows) {
      let key = cellText(row, first, work);
      for (let i = 1; i < keys.length; i += 1) {
        key += `-${cellText(row, keys[i] as string, work)}`;
      }
      const period = readKey(key, keyStyle, kind);
      if (out.has(period)) throw new ReadStopped('malformed', 'a period twice');
      if (out.size === MAX_SERIES_PERIODS) throw new ReadStopped('too_large', 'too many periods');
      const text = cellText(row, value, work);
      out.set(period, missing.includes(text) ? null : wholeNumeral(text, style));
    }
    return { type: 'series', series: out };
  },
};

function readKey(text: string, style: KeyStyle, kind: PeriodKind): number {
  const { text: shape, year: y, month: m, day: d } = SHAPES[style];
  const fits =
    hasShape(text, shape) &&
    (text.length === shape.length ||
      (style === 'iso_prefix' && (text[shape.length] === 'T' || text[shape.length] === ' ')));
  // A month does not match a day, not even its first.
  if (!(fits && d !== null) && kind !== 'month') {
    throw new ReadStopped('malformed', `a key that is no ${kind}`);
  }
  const year = digitsAt(text, y, 4);
  const month = digitsAt(text, m, 2);
  const day = d === null ? 1 : digitsAt(text, d, 2);
  if (!fits || !isCivil({ year, month, day })) {
    throw new ReadStopped('malformed', 'a key that is no date');
  }
  const period = daysFromCivil(year, month, day);
  if (!isPeriod(kind, period)) throw new ReadStopped('malformed', `a key that is no ${kind}`);
  return period;
}

/** Whether `text` begins like `shape`, in which a 0 matches any digit. */
function hasShape(text: string, shape: string): boolean {
  if (text.length < shape.length) return false;
  for (let i = 0; i < shape.length; i += 1) {
    const found = text.charCodeAt(i);
    const expected = shape.charCodeAt(i);
    const fits = expected === 0x30 ? found >= 0x30 && found <= 0x39 : found === expected;
    if (!fits) return false;
  }
  return true;
}

import type { Rational } from '../../rational.ts';
import { array, literal, object, oneOf, string } from '../../schema.ts';
import { parseDate } from '../../time.ts';
import { NUMERAL_STYLES, type NumeralStyle, wholeNumeral } from '../numeral.ts';
import { type Operation, take } from '../operation.ts';
import { isPeriod, type PeriodKind } from '../period.ts';
import { pointer, requireColumn, resolve, scalarText } from '../pointer.ts';
import { ReadStopped } from '../value.ts';

/** How a source writes its periods: `2026-07-25`, or `07/25/2026`. */
const KEY_STYLES = ['iso_date', 'us_date'] as const;

export interface SeriesStep {
  readonly op: 'series';
  /** One to three places in a row; their texts, joined by `-`, are the key. */
  readonly key: readonly string[];
  readonly key_style: (typeof KEY_STYLES)[number];
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
      const text = scalarText(resolve(row, step.value), step.value);
      out.set(period, missing.has(text) ? null : wholeNumeral(text, step.style));
    }
    return { type: 'series', series: out };
  },
};

function readKey(text: string, style: SeriesStep['key_style'], kind: PeriodKind): number {
  const us = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text);
  const iso = style === 'iso_date' ? text : us === null ? '' : `${us[3]}-${us[1]}-${us[2]}`;
  let period: number;
  try {
    period = parseDate(iso);
  } catch {
    throw new ReadStopped('malformed', 'a key that is no date');
  }
  if (!isPeriod(kind, period)) throw new ReadStopped('malformed', `a key that is no ${kind}`);
  return period;
}

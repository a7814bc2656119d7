import { rational } from '../../number/rational.ts';
import { literal, object, oneOf } from '../../wire/schema.ts';
import { columnOf } from '../column.ts';
import { NUMERAL_STYLES, type NumeralStyle, requireSize } from '../numeral.ts';
import type { Operation } from '../operation.ts';
import { pointer } from '../pointer.ts';

/** Steps for one comparison of a sort. */
const COMPARE_STEPS = 8;

export interface MedianStep {
  readonly op: 'median';
  readonly ptr: string;
  readonly style: NumeralStyle;
}

/** The median of the numbers at `ptr`, for an even count the mean of the middle two; without rows there is none. */
export const median: Operation<MedianStep> = {
  op: 'median',
  parse: object<MedianStep>({ op: literal('median'), ptr: pointer, style: oneOf(NUMERAL_STYLES) }),
  run({ ptr, style }, input, context) {
    const { units, places } = columnOf('median', input, ptr, style, context);
    const sorted = units.toSorted((a, b) => {
      context.work.charge(COMPARE_STEPS);
      return a < b ? -1 : a > b ? 1 : 0;
    });
    const upper = sorted[sorted.length >> 1] as bigint;
    const lower = sorted[(sorted.length - 1) >> 1] as bigint;
    const number = rational(lower + upper, 2n * 10n ** BigInt(places));
    return { type: 'number', number: requireSize(number) };
  },
};

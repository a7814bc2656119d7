import { literal, object, oneOf } from '../../wire/schema.ts';
import { productsOf, sumDecimals } from '../column.ts';
import { fractionOf, NUMERAL_STYLES, type NumeralStyle } from '../numeral.ts';
import type { Operation } from '../operation.ts';
import { pointer } from '../pointer.ts';

export interface SumStep {
  readonly op: 'sum';
  readonly ptr: string;
  readonly style: NumeralStyle;
}

/** The sum of the numbers at `ptr`; 0 if there are no rows. */
export const sum: Operation<SumStep> = {
  op: 'sum',
  parse: object<SumStep>({ op: literal('sum'), ptr: pointer, style: oneOf(NUMERAL_STYLES) }),
  run({ ptr, style }, input, context) {
    const numbers = productsOf('sum', input, [ptr], style, context);
    return { type: 'number', number: fractionOf(sumDecimals(numbers)) };
  },
};

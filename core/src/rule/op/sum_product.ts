import { array, literal, object, oneOf } from '../../wire/schema.ts';
import { productsOf, sumDecimals } from '../column.ts';
import { fractionOf, NUMERAL_STYLES, type NumeralStyle } from '../numeral.ts';
import type { Operation } from '../operation.ts';
import { pointer } from '../pointer.ts';

export interface SumProductStep {
  readonly op: 'sum_product';
  readonly ptrs: readonly string[];
  readonly style: NumeralStyle;
}

/** The sum over the rows of the product of the numbers at `ptrs`; 0 without rows. */
export const sumProduct: Operation<SumProductStep> = {
  op: 'sum_product',
  parse: object<SumProductStep>({
    op: literal('sum_product'),
    ptrs: array(pointer, 2, 4),
    style: oneOf(NUMERAL_STYLES),
  }),
  run({ ptrs, style }, input, context) {
    const products = productsOf('sum_product', input, ptrs, style, context);
    return { type: 'number', number: fractionOf(sumDecimals(products)) };
  },
};

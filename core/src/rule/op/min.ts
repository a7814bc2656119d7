import { literal, object, oneOf } from '../../wire/schema.ts';
import { columnOf } from '../column.ts';
import { fractionOf, NUMERAL_STYLES, type NumeralStyle } from '../numeral.ts';
import type { Operation } from '../operation.ts';
import { pointer } from '../pointer.ts';

export interface MinStep {
  readonly op: 'min';
  readonly ptr: string;
  readonly style: NumeralStyle;
}

/** The smallest of the numbers at `ptr`; without rows there is none. */
export const min: Operation<MinStep> = {
  op: 'min',
  parse: object<MinStep>({ op: literal('min'), ptr: pointer, style: oneOf(NUMERAL_STYLES) }),
  run({ ptr, style }, input, context) {
    const { units, places } = columnOf('min', input, ptr, style, context);
    const found = units.reduce((best, each) => (each < best ? each : best));
    return { type: 'number', number: fractionOf({ units: found, places }) };
  },
};

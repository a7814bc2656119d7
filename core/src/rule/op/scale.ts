import { divide, multiply, parseDecimal, type Rational } from '../../number/rational.ts';
import { MAX_NUMBER_DIGITS } from '../../limits.ts';
import { decimal, literal, malformed, object, type Parse, string } from '../../wire/schema.ts';
import { requireSize } from '../numeral.ts';
import type { Operation } from '../operation.ts';
import { ReadStopped } from '../value.ts';

export interface ScaleStep {
  readonly op: 'scale';
  readonly mul: string;
  /** Not 0. */
  readonly div: string;
}

const factor: Parse<string> = (value, at) => decimal(string(1, MAX_NUMBER_DIGITS)(value, at), at);

/** A number, or each number of a series, times `mul` and divided by `div`. */
export const scale: Operation<ScaleStep> = {
  op: 'scale',
  parse: object<ScaleStep>({
    op: literal('scale'),
    mul: factor,
    div: (value, at) => {
      const text = factor(value, at);
      if (parseDecimal(text).n === 0n) throw malformed(at, 'a decimal but 0', value);
      return text;
    },
  }),
  run(step, input) {
    const by = divide(parseDecimal(step.mul), parseDecimal(step.div));
    const scaled = (number: Rational): Rational => requireSize(multiply(number, by));
    if (input.type === 'number') return { type: 'number', number: scaled(input.number) };
    if (input.type !== 'series') {
      throw new ReadStopped('malformed', `scale takes a number or a series, not ${input.type}`);
    }
    const series = new Map(
      [...input.series].map(([period, value]) => [period, value === null ? null : scaled(value)]),
    );
    return { type: 'series', series };
  },
};

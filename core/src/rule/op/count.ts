import { rational } from '../../number/rational.ts';
import { literal, object } from '../../wire/schema.ts';
import { type Operation, take } from '../operation.ts';

export interface CountStep {
  readonly op: 'count';
}

/** The number of rows. */
export const count: Operation<CountStep> = {
  op: 'count',
  parse: object<CountStep>({ op: literal('count') }),
  run(_step, input) {
    return { type: 'number', number: rational(BigInt(take('count', input, 'rows').rows.length)) };
  },
};

import { subtract } from '../../number/rational.ts';
import { integer, literal, object } from '../../wire/schema.ts';
import { againstBase, MAX_LAG } from '../lagged.ts';
import type { Operation } from '../operation.ts';

export interface DiffStep {
  readonly op: 'diff';
  /** Periods between a value and the value that it is compared with. */
  readonly lag: number;
}

/** Each period's value minus that of the period `lag` before it. */
export const diff: Operation<DiffStep> = {
  op: 'diff',
  parse: object<DiffStep>({ op: literal('diff'), lag: integer(1, MAX_LAG) }),
  run: ({ lag }, input, { kind }) => againstBase('diff', input, kind, lag, subtract),
};

import { rational } from '../../number/rational.ts';
import { integer, literal, object } from '../../wire/schema.ts';
import { againstBase, MAX_LAG } from '../lagged.ts';
import type { Operation } from '../operation.ts';

export interface PctChangeStep {
  readonly op: 'pct_change';
  /** Periods between a value and the value that it is compared with. */
  readonly lag: number;
}

/**
 * The change of each period's value from that of the period `lag` before it, in per cent; null where that value is 0.
 */
export const pctChange: Operation<PctChangeStep> = {
  op: 'pct_change',
  parse: object<PctChangeStep>({ op: literal('pct_change'), lag: integer(1, MAX_LAG) }),
  run: ({ lag }, input, { kind }) =>
    againstBase('pct_change', input, kind, lag, (value, base) =>
      base.n === 0n
        ? null
        : rational(100n * (value.n * base.d - base.n * value.d), base.n * value.d),
    ),
};

import { literal, object, oneOf } from '../../wire/schema.ts';
import { type Operation, take } from '../operation.ts';
import { ReadStopped } from '../value.ts';

const AMONG = ['any', 'newest'] as const;

export interface PickStep {
  readonly op: 'pick';
  /**
   * `newest`: only while the source has no later period, so that the first print is picked and not a revision
   * of it. `any`: whatever else the source has.
   */
  readonly among: (typeof AMONG)[number];
}

/** The value of the period that is read. */
export const pick: Operation<PickStep> = {
  op: 'pick',
  parse: object<PickStep>({ op: literal('pick'), among: oneOf(AMONG) }),
  run(step, input, { period }) {
    const { series } = take('pick', input, 'series');
    if (step.among === 'newest') {
      for (const [each, value] of series) {
        if (each > period && value !== null) {
          throw new ReadStopped('superseded', 'the source has a later period');
        }
      }
    }
    const number = series.get(period);
    if (number === undefined) throw new ReadStopped('not_published', 'the period is not there');
    if (number === null) throw new ReadStopped('no_source', 'the source has no value');
    return { type: 'number', number };
  },
};

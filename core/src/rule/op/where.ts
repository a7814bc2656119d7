import { array, literal, object, oneOf, string } from '../../schema.ts';
import { type Operation, take } from '../operation.ts';
import { pointer, requireColumn, resolve, scalarText } from '../pointer.ts';

const TESTS = ['in', 'not_in'] as const;

export interface WhereStep {
  readonly op: 'where';
  readonly ptr: string;
  readonly test: (typeof TESTS)[number];
  readonly values: readonly string[];
}

/** The rows whose text at `ptr` is, or is not, one of `values`. */
export const where: Operation<WhereStep> = {
  op: 'where',
  parse: object<WhereStep>({
    op: literal('where'),
    ptr: pointer,
    test: oneOf(TESTS),
    values: array(string(0, 256), 1, 256),
  }),
  run(step, input) {
    const wanted = new Set(step.values);
    const keep = step.test === 'in';
    const { rows, columns } = take('where', input, 'rows');
    requireColumn(columns, step.ptr);
    return {
      type: 'rows',
      rows: rows.filter((row) => wanted.has(scalarText(resolve(row, step.ptr), step.ptr)) === keep),
      columns,
    };
  },
};

import { literal, object } from '../../schema.ts';
import { type Operation, take } from '../operation.ts';
import { pointer, requireColumn, resolve, scalarText } from '../pointer.ts';

export interface DistinctStep {
  readonly op: 'distinct';
  readonly ptr: string;
}

/** The first row of each text at `ptr`: pages that overlap list a record twice. */
export const distinct: Operation<DistinctStep> = {
  op: 'distinct',
  parse: object<DistinctStep>({ op: literal('distinct'), ptr: pointer }),
  run({ ptr }, input) {
    const { rows, columns } = take('distinct', input, 'rows');
    requireColumn(columns, ptr);
    const seen = new Set<string>();
    const first = rows.filter((row) => {
      const text = scalarText(resolve(row, ptr), ptr);
      const known = seen.has(text);
      seen.add(text);
      return !known;
    });
    return { type: 'rows', rows: first, columns };
  },
};

import { array, literal, object } from '../../wire/schema.ts';
import { type Operation, take } from '../operation.ts';
import { cellText, pointer, requireColumn } from '../pointer.ts';

export interface DistinctStep {
  readonly op: 'distinct';
  readonly ptrs: readonly string[];
}

/**
 * The first row of each record. Rows with the same texts at all of `ptrs` are one record, which overlapping pages list
 * twice.
 */
export const distinct: Operation<DistinctStep> = {
  op: 'distinct',
  parse: object<DistinctStep>({ op: literal('distinct'), ptrs: array(pointer, 1, 4) }),
  run({ ptrs }, input, { work }) {
    const { rows, columns } = take('distinct', input, 'rows');
    for (const ptr of ptrs) requireColumn(columns, ptr);
    const seen = new Set<string>();
    const first = rows.filter((row) => {
      const texts = ptrs.map((ptr) => cellText(row, ptr, work));
      // A list, so that different texts cannot join to the same key.
      const key = JSON.stringify(texts);
      const known = seen.has(key);
      seen.add(key);
      return !known;
    });
    return { type: 'rows', rows: first, columns };
  },
};

import { array, literal, object } from '../../wire/schema.ts';
import { type Operation, take } from '../operation.ts';
import { cellText, pointer, requireColumn } from '../pointer.ts';

export interface DistinctStep {
  readonly op: 'distinct';
  readonly ptrs: readonly string[];
}

/** The first row of each: rows of the same texts at all of `ptrs` are one record, which pages that overlap list twice. */
export const distinct: Operation<DistinctStep> = {
  op: 'distinct',
  parse: object<DistinctStep>({ op: literal('distinct'), ptrs: array(pointer, 1, 4) }),
  run({ ptrs }, input, { work }) {
    const { rows, columns } = take('distinct', input, 'rows');
    for (const ptr of ptrs) requireColumn(columns, ptr);
    const seen = new Set<string>();
    const first = rows.filter((row) => {
      const texts = ptrs.map((ptr) => cellText(row, ptr, work));
      // A list, so that no two texts run into each other.
      const key = JSON.stringify(texts);
      const known = seen.has(key);
      seen.add(key);
      return !known;
    });
    return { type: 'rows', rows: first, columns };
  },
};

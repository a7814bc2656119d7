import { array, literal, object, oneOf, string } from '../../wire/schema.ts';
import { type Operation, take } from '../operation.ts';
import { cellText, pointer, requireColumn } from '../pointer.ts';

const TESTS = ['in', 'not_in', 'prefix'] as const;

export interface WhereStep {
  readonly op: 'where';
  readonly ptr: string;
  readonly test: (typeof TESTS)[number];
  /** Variables in them are filled in for the period. */
  readonly values: readonly string[];
}

/** The rows whose text at `ptr` is, is not, or begins with one of `values`. */
export const where: Operation<WhereStep> = {
  op: 'where',
  parse: object<WhereStep>({
    op: literal('where'),
    ptr: pointer,
    test: oneOf(TESTS),
    values: array(string(0, 256), 1, 256),
  }),
  run(step, input, { fill, work }) {
    const { rows, columns } = take('where', input, 'rows');
    requireColumn(columns, step.ptr);
    const passes = testOf(step.test, step.values.map(fill));
    return {
      type: 'rows',
      rows: rows.filter((row) => passes(cellText(row, step.ptr, work))),
      columns,
    };
  },
};

function testOf(test: WhereStep['test'], values: readonly string[]): (text: string) => boolean {
  if (test === 'prefix') return prefixTest(values);
  const wanted = new Set(values);
  return (text) => wanted.has(text) === (test === 'in');
}

/**
 * Tests whether a text begins with one of `values`, in the time of a binary search. Values that begin with another
 * value are left out. Then only the last value in order that does not sort after the text can be its beginning.
 */
function prefixTest(values: readonly string[]): (text: string) => boolean {
  const shortest: string[] = [];
  for (const value of values.toSorted(byUnits)) {
    const last = shortest.at(-1);
    if (last === undefined || !value.startsWith(last)) shortest.push(value);
  }
  return (text) => {
    let low = 0;
    let high = shortest.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((shortest[middle] as string) <= text) low = middle + 1;
      else high = middle;
    }
    const last = shortest[low - 1];
    return last !== undefined && text.startsWith(last);
  };
}

function byUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

import { MAX_SOURCE_VALUES } from '../../limits.ts';
import { array, literal, malformed, object, type Parse, string } from '../../wire/schema.ts';
import type { SourceJson, SourceRecord } from '../../source/source-json.ts';
import { type Operation, take } from '../operation.ts';
import { cellText, pointer, requireColumn } from '../pointer.ts';
import { ReadStopped } from '../value.ts';

export interface ChooseStep {
  readonly op: 'choose';
  readonly by: string;
  /** Each `is` occurs once. */
  readonly cases: readonly Case[];
  /** The name of the member that is added. */
  readonly into: string;
}

/** Steps for one member of a row that is copied. */
const MEMBER_STEPS = 32;

interface Case {
  readonly is: string;
  readonly ptr: string;
}

const parseShape: Parse<ChooseStep> = object<ChooseStep>({
  op: literal('choose'),
  by: pointer,
  cases: array(object<Case>({ is: string(0, 256), ptr: pointer }), 1, 16),
  into: string(1, 64),
});

/** Rows with one more member: the text at the place that the text at `by` selects. */
export const choose: Operation<ChooseStep> = {
  op: 'choose',
  parse: (value, at) => {
    const step = parseShape(value, at);
    if (new Set(step.cases.map(({ is }) => is)).size !== step.cases.length) {
      throw malformed(`${at}.cases`, 'each case once', value);
    }
    return step;
  },
  run({ by, cases, into }, input, { work }) {
    const { rows, columns } = take('choose', input, 'rows');
    for (const ptr of [by, ...cases.map((each) => each.ptr)]) requireColumn(columns, ptr);
    const places = new Map(cases.map(({ is, ptr }) => [is, ptr]));
    const choice = (row: SourceRecord): string => {
      const ptr = places.get(cellText(row, by, work));
      if (ptr === undefined) throw new ReadStopped('malformed', 'a row of no case');
      return cellText(row, ptr, work);
    };
    let members = 0;
    const chosen = rows.map((row) => {
      members += row.size + 1;
      work.charge(MEMBER_STEPS * (row.size + 1));
      if (members > MAX_SOURCE_VALUES) throw new ReadStopped('too_large', 'too many members');
      return widened(row, into, choice(row));
    });
    return {
      type: 'rows',
      rows: chosen,
      columns: columns === null ? null : widened(columns, into, into),
    };
  },
};

function widened(row: SourceRecord, name: string, text: string): SourceRecord {
  if (row.has(name)) throw new ReadStopped('malformed', `a member ${name} already`);
  return new Map<string, SourceJson>(row).set(name, text);
}

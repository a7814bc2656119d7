import { parseCsv, parseCsvHeader, type Delimiter, DELIMITERS } from '../../source/csv.ts';
import { literal, object, oneOf } from '../../wire/schema.ts';
import { type Operation, take } from '../operation.ts';

export interface CsvStep {
  readonly op: 'csv';
  readonly delimiter: Delimiter;
}

/** Turns text with a header line into rows, with each column as a member. */
export const csv: Operation<CsvStep> = {
  op: 'csv',
  parse: object<CsvStep>({ op: literal('csv'), delimiter: oneOf(DELIMITERS) }),
  run(step, input, { work }) {
    const { text } = take('csv', input, 'text');
    const names = parseCsvHeader(text, step.delimiter, work);
    return {
      type: 'rows',
      rows: parseCsv(text, step.delimiter, work),
      columns: new Map(names.map((name) => [name, name])),
    };
  },
};

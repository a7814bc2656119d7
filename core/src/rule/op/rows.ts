import { MAX_SOURCE_ROWS } from '../../limits.ts';
import { literal, object } from '../../wire/schema.ts';
import type { SourceJson, SourceRecord } from '../../source/source-json.ts';
import { type Operation, take } from '../operation.ts';
import { arrayAt, pointer } from '../pointer.ts';
import { ReadStopped } from '../value.ts';

export interface RowsStep {
  readonly op: 'rows';
  readonly ptr: string;
}

/** The array of records at `ptr`; each item must be a record. */
export const rows: Operation<RowsStep> = {
  op: 'rows',
  parse: object<RowsStep>({ op: literal('rows'), ptr: pointer }),
  run(step, input) {
    const { json } = take('rows', input, 'json');
    return { type: 'rows', rows: recordsAt(json, step.ptr), columns: null };
  },
};

/** The items of the array at `ptr`, each a record. */
export function recordsAt(json: SourceJson, ptr: string): readonly SourceRecord[] {
  const found = arrayAt(json, ptr);
  if (found.length > MAX_SOURCE_ROWS) throw new ReadStopped('too_large', 'too many rows');
  return found.map((item: SourceJson): SourceRecord => {
    if (!(item instanceof Map)) throw new ReadStopped('malformed', 'a row that is no record');
    return item as SourceRecord;
  });
}

import { MAX_SOURCE_ROWS } from '../../limits.ts';
import { literal, object } from '../../schema.ts';
import type { SourceJson, SourceRecord } from '../../source-json.ts';
import { type Operation, take } from '../operation.ts';
import { pointer, resolve } from '../pointer.ts';
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
    const found = resolve(take('rows', input, 'json').json, step.ptr);
    if (!Array.isArray(found)) throw new ReadStopped('malformed', `no array at ${step.ptr}`);
    if (found.length > MAX_SOURCE_ROWS) throw new ReadStopped('too_large', 'too many rows');
    return {
      type: 'rows',
      rows: found.map((item: SourceJson): SourceRecord => {
        if (!(item instanceof Map)) throw new ReadStopped('malformed', 'a row that is no record');
        return item as SourceRecord;
      }),
      columns: null,
    };
  },
};

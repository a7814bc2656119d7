import { MAX_SOURCE_ROWS } from '../../limits.ts';
import { literal, object } from '../../wire/schema.ts';
import type { SourceJson } from '../../source/source-json.ts';
import { type Operation, take } from '../operation.ts';
import { arrayAt, pointer } from '../pointer.ts';
import { ReadStopped } from '../value.ts';

export interface ZipStep {
  readonly op: 'zip';
  readonly key: string;
  readonly value: string;
}

/** Turns two arrays of equal length into rows with the members `key` and `value`. */
export const zip: Operation<ZipStep> = {
  op: 'zip',
  parse: object<ZipStep>({ op: literal('zip'), key: pointer, value: pointer }),
  run(step, input) {
    const { json } = take('zip', input, 'json');
    const keys = arrayAt(json, step.key);
    const values = arrayAt(json, step.value);
    if (keys.length !== values.length) throw new ReadStopped('malformed', 'arrays of two lengths');
    if (keys.length > MAX_SOURCE_ROWS) throw new ReadStopped('too_large', 'too many rows');
    return {
      type: 'rows',
      rows: keys.map(
        (key, i) =>
          new Map<string, SourceJson>([
            ['key', key],
            ['value', values[i] as SourceJson],
          ]),
      ),
      columns: new Map([
        ['key', 'key'],
        ['value', 'value'],
      ]),
    };
  },
};

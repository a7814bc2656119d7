import { literal, object } from '../../wire/schema.ts';
import { parseSourceJson } from '../../source/source-json.ts';
import { type Operation, take } from '../operation.ts';

export interface JsonStep {
  readonly op: 'json';
}

/** Turns text into JSON whose numbers keep their text. */
export const json: Operation<JsonStep> = {
  op: 'json',
  parse: object<JsonStep>({ op: literal('json') }),
  run(_step, input, { work }) {
    return { type: 'json', json: parseSourceJson(take('json', input, 'text').text, work) };
  },
};

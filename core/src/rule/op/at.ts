import { literal, object } from '../../wire/schema.ts';
import { type Operation, take } from '../operation.ts';
import { pointer, resolve } from '../pointer.ts';
import { ReadStopped } from '../value.ts';

export interface AtStep {
  readonly op: 'at';
  readonly ptr: string;
}

/** The place in a JSON value that `ptr` names, which must exist. */
export const at: Operation<AtStep> = {
  op: 'at',
  parse: object<AtStep>({ op: literal('at'), ptr: pointer }),
  run(step, input) {
    const found = resolve(take('at', input, 'json').json, step.ptr);
    if (found === undefined) throw new ReadStopped('malformed', `nothing at ${step.ptr}`);
    return { type: 'json', json: found };
  },
};

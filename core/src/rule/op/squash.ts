import { dropBlanks } from '../../bytes/blank.ts';
import { literal, object } from '../../wire/schema.ts';
import { type Operation, take } from '../operation.ts';

export interface SquashStep {
  readonly op: 'squash';
}

/** The text without its blanks, because text taken from a PDF has them between the letters of a word. */
export const squash: Operation<SquashStep> = {
  op: 'squash',
  parse: object<SquashStep>({ op: literal('squash') }),
  run(_step, input, { work }) {
    return { type: 'text', text: dropBlanks(take('squash', input, 'text').text, work) };
  },
};

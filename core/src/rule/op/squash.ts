import { literal, object } from '../../schema.ts';
import { type Operation, take } from '../operation.ts';

export interface SquashStep {
  readonly op: 'squash';
}

/**
 * Text without its white space: U+0009 to U+000D, U+0020, U+00A0 and U+2007 to U+200B, U+202F,
 * U+3000, U+FEFF. Text taken from a PDF has blanks between the letters of a word.
 */
export const squash: Operation<SquashStep> = {
  op: 'squash',
  parse: object<SquashStep>({ op: literal('squash') }),
  run(_step, input) {
    const { text } = take('squash', input, 'text');
    return {
      type: 'text',
      // oxlint-disable-next-line no-control-regex -- a closed list, the same in every language
      text: text.replaceAll(/[\u0009-\u000d\u0020\u00a0\u2007-\u200b\u202f\u3000\ufeff]/g, ''),
    };
  },
};

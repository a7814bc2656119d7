import { literal, object, string } from '../../wire/schema.ts';
import { anchorIn } from '../anchor.ts';
import { type Operation, take } from '../operation.ts';

export interface AfterStep {
  readonly op: 'after';
  /** The anchor. Variables are filled in for the period: `{period:MonthD}` as `July25`. */
  readonly text: string;
}

/** The text after the anchor, which must occur exactly once. */
export const after: Operation<AfterStep> = {
  op: 'after',
  parse: object<AfterStep>({ op: literal('after'), text: string(1, 512) }),
  run(step, input, { fill, work }) {
    const { text } = take('after', input, 'text');
    const anchor = fill(step.text);
    return { type: 'text', text: text.slice(anchorIn(text, anchor, work) + anchor.length) };
  },
};

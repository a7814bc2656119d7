import { literal, object, string } from '../../schema.ts';
import { civilOf } from '../../time.ts';
import { type Operation, take } from '../operation.ts';
import { ReadStopped } from '../value.ts';

export interface AfterStep {
  readonly op: 'after';
  /** The anchor. `{period:MonthD}` stands for the period's date as `July25`. */
  readonly text: string;
}

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** The text behind the anchor, which must be there exactly once. */
export const after: Operation<AfterStep> = {
  op: 'after',
  parse: object<AfterStep>({ op: literal('after'), text: string(1, 512) }),
  run(step, input, { period }) {
    const { text } = take('after', input, 'text');
    const { month, day } = civilOf(period);
    const anchor = step.text.replaceAll('{period:MonthD}', `${MONTHS[month - 1]}${day}`);
    const at = text.indexOf(anchor);
    if (at < 0) throw new ReadStopped('not_published', 'the anchor is not there');
    if (text.includes(anchor, at + 1)) throw new ReadStopped('malformed', 'the anchor twice');
    return { type: 'text', text: text.slice(at + anchor.length) };
  },
};

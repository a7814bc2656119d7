import { dropBlanks, isBlank } from '../../bytes/blank.ts';
import { literal, malformed, object, type Parse, string } from '../../wire/schema.ts';
import { anchorIn } from '../anchor.ts';
import { type Operation, take } from '../operation.ts';

export interface SkipToStep {
  readonly op: 'skip_to';
  /** The anchor, without blanks. Variables are filled in for the period: `{period:MonthD}` as `July25`. */
  readonly text: string;
}

const parseAnchor: Parse<string> = (value, at) => {
  const text = string(1, 512)(value, at);
  if (dropBlanks(text) !== text) throw malformed(at, 'text without blanks', value);
  return text;
};

/**
 * The text after the anchor, which must occur exactly once, with any blanks between its letters. The text after it
 * keeps its blanks except the leading ones, so that the numbers of a row stay apart.
 */
export const skipTo: Operation<SkipToStep> = {
  op: 'skip_to',
  parse: object<SkipToStep>({ op: literal('skip_to'), text: parseAnchor }),
  run(step, input, { fill, work }) {
    const { text } = take('skip_to', input, 'text');
    const anchor = fill(step.text);
    let left = anchorIn(dropBlanks(text, work), anchor, work) + anchor.length;
    let at = 0;
    while (at < text.length && (left > 0 || isBlank(text.charCodeAt(at)))) {
      work.charge(1);
      if (!isBlank(text.charCodeAt(at))) left -= 1;
      at += 1;
    }
    return { type: 'text', text: text.slice(at) };
  },
};

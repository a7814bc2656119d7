import { literal, object, oneOf, string } from '../../wire/schema.ts';
import { compareDecimals, type Decimal, wholeDecimal } from '../numeral.ts';
import { type Operation, take } from '../operation.ts';
import { cellText, pointer, requireColumn } from '../pointer.ts';

const STYLES = ['text', 'plain'] as const;

export interface BetweenStep {
  readonly op: 'between';
  readonly ptr: string;
  /** `text`: by UTF-16 code units, which is the order of ISO times. `plain`: by number. */
  readonly style: (typeof STYLES)[number];
  /** Variables in both are filled in for the period. */
  readonly from: string;
  readonly to: string;
}

/** The rows whose text or number at `ptr` is at least `from` and below `to`. */
export const between: Operation<BetweenStep> = {
  op: 'between',
  parse: object<BetweenStep>({
    op: literal('between'),
    ptr: pointer,
    style: oneOf(STYLES),
    from: string(0, 256),
    to: string(0, 256),
  }),
  run({ ptr, style, ...step }, input, { fill, work }) {
    const { rows, columns } = take('between', input, 'rows');
    requireColumn(columns, ptr);
    const from = fill(step.from);
    const to = fill(step.to);
    const passes = style === 'text' ? textTest(from, to) : numberTest(from, to);
    return {
      type: 'rows',
      rows: rows.filter((row) => passes(cellText(row, ptr, work))),
      columns,
    };
  },
};

function textTest(from: string, to: string): (text: string) => boolean {
  return (text) => text >= from && text < to;
}

function numberTest(from: string, to: string): (text: string) => boolean {
  const number = (text: string): Decimal => wholeDecimal(text, 'plain');
  const least = number(from);
  const end = number(to);
  return (text) => {
    const each = number(text);
    return compareDecimals(each, least) >= 0 && compareDecimals(each, end) < 0;
  };
}

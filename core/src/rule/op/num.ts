import { literal, object, oneOf } from '../../wire/schema.ts';
import { NUMERAL_STYLES, type NumeralStyle, readNumeral, wholeNumeral } from '../numeral.ts';
import type { Operation } from '../operation.ts';
import { scalarText } from '../pointer.ts';
import { ReadStopped, type Value } from '../value.ts';

const TAKES = ['all', 'prefix'] as const;

export interface NumStep {
  readonly op: 'num';
  readonly style: NumeralStyle;
  /** `all`: the text is a number. `prefix`: it begins with one. */
  readonly take: (typeof TAKES)[number];
}

/** Turns text, or a JSON string or number, into a number. */
export const num: Operation<NumStep> = {
  op: 'num',
  parse: object<NumStep>({ op: literal('num'), style: oneOf(NUMERAL_STYLES), take: oneOf(TAKES) }),
  run(step, input) {
    const text = textOf(input);
    const number =
      step.take === 'all' ? wholeNumeral(text, step.style) : readNumeral(text, step.style)[0];
    return { type: 'number', number };
  },
};

function textOf(input: Value): string {
  if (input.type === 'text') return input.text;
  if (input.type === 'json') return scalarText(input.json, 'the input of num');
  throw new ReadStopped('malformed', `num takes text or json, not ${input.type}`);
}

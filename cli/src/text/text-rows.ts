import { count, TIE } from '@assay/verifier/summary/words';
import { printable } from '@assay/verifier/verdict/printable';
import { wrapped } from '../command/help.ts';
import { paint, type Terminal } from '../command/tty.ts';

export { count, grouped, TIE } from '@assay/verifier/summary/words';

export const INDENT = '  ';
const NAME_WIDTH = 13;

/**
 * A name and its text, whose further lines are indented to the text and by `hang`, at most `terminal.columns`
 * wide unless a word is longer.
 */
export function textRows(
  name: string,
  text: string,
  terminal: Terminal,
  colour?: Parameters<typeof paint>[1],
  hang = '',
): readonly string[] {
  const width = terminal.columns - INDENT.length - NAME_WIDTH - hang.length;
  return wrap(printable(text), width).map((line, i) => {
    const shown = colour === undefined ? line : paint(terminal, colour, line);
    return `${INDENT}${(i === 0 ? name : '').padEnd(NAME_WIDTH)}${i === 0 ? '' : hang}${shown}`;
  });
}

/** Lines of at most `width` characters, broken at spaces. A longer word has its own line. */
export function wrap(text: string, width: number): readonly string[] {
  return wrapped(text, width).map((each) => each.replaceAll(TIE, ' '));
}

/** Seconds in the largest unit of which there are at least two, such as `3 hours`. */
export function duration(seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const;
  const [unit, length] = units.find(([, each]) => seconds >= 2 * each) ?? (['second', 1] as const);
  return count(Math.floor(seconds / length), unit);
}

/** What stands for the rest of a line that differs each time, or alone on a line for any number of lines. */
const ANY = '…';

/** The pattern that the first lines of an output fit. */
function pattern(expected: readonly string[]): string {
  const lines = expected.map((line) =>
    line === ANY
      ? '(?:[^\\n]*\\n)*?'
      : `${line
          .split(ANY)
          .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('[^\\n]*')}\\n`,
  );
  return `^${lines.join('')}`;
}

/** Text that ends with a line feed unless it is empty, and has no spaces at the ends of its lines. */
function tidy(output: string): string {
  const text = output.replaceAll('\r', '').replaceAll(/ +$/gm, '').replace(/\n+$/, '');
  return text === '' ? '' : `${text}\n`;
}

/** Whether an output begins with the lines that a page shows. */
export function begins(expected: readonly string[], output: string): boolean {
  return new RegExp(pattern(expected)).test(tidy(output));
}

/** The first line that a page shows and the output does not have; undefined where all of both agree. */
export function differenceOf(expected: readonly string[], output: string): string | undefined {
  const text = tidy(output);
  if (new RegExp(`${pattern(expected)}$`).test(text)) return undefined;
  const found = expected.findIndex((_, i) => !begins(expected.slice(0, i + 1), text));
  return found < 0 ? 'no more lines' : (expected[found] as string);
}

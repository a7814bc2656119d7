import type { Page, Section } from './page.ts';

/** The most characters of a term that has its text on the same line. A longer one is above its text. */
const TERM_WIDTH = 24;
/** Below this width every term is above its text. */
const NARROW = 60;

/** The help of a command, in lines of at most `width` characters. A longer word has its own line. */
export function helpText(page: Page, width: number): string {
  const { usage, paragraphs, sections, isAligned } = page;
  const all = sections.flatMap(({ rows }) => rows);
  const parts = [
    wrapped(`Usage: ${usage}`, width, '', '       '),
    ...paragraphs.map((each) => wrapped(each, width)),
    ...sections.map((each) => sectionText(each, width, isAligned ? all : each.rows)),
  ];
  return parts.map((lines) => lines.join('\n')).join('\n\n');
}

/** `beside` contains the rows whose terms decide how wide the column of terms is. */
function sectionText(
  { title, kind, rows }: Section,
  width: number,
  beside: Section['rows'],
): readonly string[] {
  if (kind === 'examples') {
    const examples = rows.flatMap(([line, about]) => [
      ...wrapped(about, width, '  '),
      ...continued(wrapped(line, width - 2, '    ', '      ')),
    ]);
    return [`${title}:`, ...examples];
  }
  const longest = Math.max(...beside.map(([term]) => term.length));
  const column = width < NARROW ? 0 : Math.min(longest, TERM_WIDTH);
  const indent = ' '.repeat(column === 0 ? 6 : column + 4);
  const lines = rows.flatMap(([term, text]) => {
    if (term.length > column) {
      return [...wrapped(term, width, '  ', '    '), ...wrapped(text, width, indent)];
    }
    return wrapped(text, width, `  ${term.padEnd(column)}  `, indent);
  });
  return [`${title}:`, ...lines];
}

/** A command line over several lines, as a shell reads it. */
function continued(lines: readonly string[]): readonly string[] {
  return lines.map((line, i) => (i + 1 < lines.length ? `${line} \\` : line));
}

/**
 * Lines of at most `width` characters, broken at spaces. A longer word has its own line. The first line begins
 * with `first`, and each other line with `rest`.
 */
export function wrapped(
  text: string,
  width: number,
  first: string = '',
  rest: string = first,
): readonly string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    if (line === undefined) line = `${first}${word}`;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = `${rest}${word}`;
    }
  }
  return [...lines, line ?? ''];
}

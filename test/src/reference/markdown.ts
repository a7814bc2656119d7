/** Text of a table of the code as Markdown: what stands between backticks stays, and nothing else is markup. */
export function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/[<*]/g, escaped)))
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function escaped(character: string): string {
  return character === '<' ? '&lt;' : `\\${character}`;
}

export function code(text: string): string {
  return `\`${text}\``;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Lines of a shell or a terminal, as a block. */
export function block(lines: readonly string[]): string {
  return ['```', ...lines, '```'].join('\n');
}

/** Such as `a`, `b` and `c`. */
export function codes(words: readonly string[]): string {
  return words.map(code).join(', ');
}

/** A page that a program has written: its parts are paragraphs, tables and headings. */
export function page(title: string, parts: readonly string[]): string {
  const note =
    '*This page is generated: `npm run reference` writes it from the tables in the code, and a test compares the two. Change the table, not the page.*';
  return `${[`# ${title}`, note, ...parts].join('\n\n')}\n`;
}

/** A sentence of a table that ends without a full stop. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

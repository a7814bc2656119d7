import type { Page } from './page.ts';

/** The manual page of a command, for `man` (man(7)). */
export function manualText(
  { name, summary, usage, paragraphs, sections }: Page,
  version: string,
): string {
  const title = name.replaceAll(' ', '-');
  const lines = [
    `.TH ${quoted(title.toUpperCase())} 1 "" ${quoted(`assay ${version}`)} "Assay"`,
    '.SH NAME',
    `${escaped(title)} \\- ${escaped(summary.replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    `.B ${escaped(name)}`,
    ...(usage === name ? [] : [escaped(usage.slice(name.length + 1))]),
    '.SH DESCRIPTION',
    ...paragraphs.flatMap((each, i) => [...(i === 0 ? [] : ['.PP']), escaped(each)]),
  ];
  for (const section of sections) {
    lines.push(`.SH ${quoted(section.title.toUpperCase())}`);
    for (const [i, [term, text]] of section.rows.entries()) {
      if (section.kind === 'terms') lines.push('.TP', `.B ${escaped(term)}`, escaped(text));
      else {
        const before = i === 0 ? [] : ['.PP'];
        lines.push(...before, escaped(text), '.PP', '.RS 4', '.nf', escaped(term), '.fi', '.RE');
      }
    }
  }
  return lines.join('\n');
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\(dq')}"`;
}

const CHARACTERS: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Escapes text for a roff source, in which some characters are commands and others become typographic. */
function escaped(text: string): string {
  const shown = text.replaceAll(/[\\\-'`^~]/g, (each) => CHARACTERS[each] as string);
  return shown.startsWith('.') ? `\\&${shown}` : shown;
}

import type { Command, Group } from '@assay/cli/command/command';
import { pageOf, type Section } from '@assay/cli/command/page';
import { block, code, inline, page, table } from './markdown.ts';

/** All commands with their options, as `assay help` shows them. */
export function commandsPage(all: Group, nodes: readonly (Command | Group)[]): string {
  return page('Commands', [
    'What each command of `assay` takes. `assay help COMMAND` shows the same in a terminal, and `assay man COMMAND` as a manual page. Every command takes `-h` and `--help`, and `assay --version` shows the version. Where no exit codes are listed, they are those of [every command](errors.md#exit-codes).',
    ...overview(all),
    ...nodes.filter(({ name }) => name !== '').flatMap(partsOf),
  ]);
}

/** The commands under the headings of the help, without the options of `assay` itself. */
function overview(all: Group): readonly string[] {
  return pageOf(all)
    .sections.filter(({ title }) => title !== 'Options')
    .flatMap(({ title, rows }) => [
      `**${title}**`,
      table(
        ['command', 'what it does'],
        rows.map(([word, text]) => [`[\`assay ${word}\`](#assay-${word})`, inline(text)]),
      ),
    ]);
}

function partsOf(of: Command | Group): readonly string[] {
  const { name, summary, usage, paragraphs, sections } = pageOf(of);
  const level = of.name.includes(' ') ? '###' : '##';
  const shown =
    of.kind === 'group' ? sections.filter(({ title }) => title !== 'Options') : sections;
  return [
    `${level} ${name}`,
    inline(summary),
    block([usage]),
    ...paragraphs.map(inline),
    ...shown.flatMap((section) => sectionParts(section, of)),
  ];
}

function sectionParts({ title, kind, rows }: Section, of: Command | Group): readonly string[] {
  if (kind === 'examples') {
    return ['Examples:', block(rows.flatMap(([line, about]) => [`# ${about}`, line]))];
  }
  // What every command has is in errors.md and above.
  const own = rows.filter(([term]) => term !== '-h, --help');
  const isCommon = title === 'Exit codes' && of.kind === 'command' && of.exits === undefined;
  if (own.length === 0 || isCommon) return [];
  const link = (term: string): string =>
    of.kind === 'group' ? `[${code(term)}](#assay-${of.name}-${term})` : code(term);
  return [
    table(
      [title, ''],
      own.map(([term, text]) => [link(term), inline(text)]),
    ),
  ];
}

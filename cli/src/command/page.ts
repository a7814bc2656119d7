import type { Command, Group, Operand, Option } from './command.ts';
import { optionName } from './parse.ts';

/** A part of a command's help and manual: terms and what they mean, or command lines and what they do. */
export interface Section {
  readonly title: string;
  readonly kind: 'terms' | 'examples';
  readonly rows: readonly (readonly [string, string])[];
}

/** The content of a command's help and manual, before it is formatted. */
export interface Page {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly paragraphs: readonly string[];
  readonly sections: readonly Section[];
  /** Whether all terms are as wide as the widest of any section. */
  readonly isAligned?: boolean;
}

/** What an exit code means if a command does not say more. */
export const EXITS: Readonly<Record<number, string>> = {
  0: 'It is done.',
  2: 'The command line or a configuration cannot be understood.',
  3: 'It could not be completed.',
};

const HELP: Option = { about: 'Show this help.', short: 'h' };

export function pageOf(of: Command | Group): Page {
  const words = ['assay', ...(of.name === '' ? [] : [of.name])].join(' ');
  return {
    name: words,
    isAligned: of.kind === 'group',
    summary: of.summary,
    usage: of.kind === 'group' ? `${words} COMMAND [OPTION...]` : usageOf(words, of),
    paragraphs: of.about
      .trim()
      .split(/\n\s*\n/)
      .map((each) => each.replaceAll(/\s+/g, ' ').trim()),
    sections: (of.kind === 'group' ? groupSections(of) : commandSections(of)).filter(
      ({ rows }) => rows.length > 0,
    ),
  };
}

function usageOf(words: string, { operands, options, oneOf = [] }: Command): string {
  const alternatives = oneOf.map((keys) => {
    const each = keys.map((key) => termOf(key, { ...(options[key] as Option), short: '' }));
    return `(${each.join(' | ')})`;
  });
  const required = Object.entries(options).flatMap(([key, option]) =>
    option.required ? [termOf(key, { ...option, short: '' })] : [],
  );
  const needed = new Set(oneOf.flat());
  const hasMore = Object.entries(options).some(([key, each]) => !each.required && !needed.has(key));
  const places = Object.values(operands).map(operandUsage);
  const rest = hasMore ? ['[OPTION...]'] : [];
  return [words, ...places, ...required, ...alternatives, ...rest].join(' ');
}

function operandUsage({ value, many, optional }: Operand): string {
  const shown = many ? `${value}...` : value;
  return optional ? `[${shown}]` : shown;
}

/** Such as `-o, --output FILE`. */
function termOf(key: string, { short, value }: Option): string {
  const name = `${optionName(key)}${value === undefined ? '' : ` ${value}`}`;
  return short ? `-${short}, ${name}` : name;
}

function groupSections({ name, commands, headings = {} }: Group): readonly Section[] {
  const sections: { title: string; kind: 'terms'; rows: (readonly [string, string])[] }[] = [];
  for (const each of commands) {
    const word = each.name.slice(name === '' ? 0 : name.length + 1);
    const title = headings[word] ?? (sections.length === 0 ? 'Commands' : undefined);
    if (title !== undefined) sections.push({ title, kind: 'terms', rows: [] });
    sections.at(-1)?.rows.push([word, each.summary]);
  }
  const version = [['-V, --version', 'Show the version of assay.'] as const];
  const rows = [...(name === '' ? version : []), [termOf('help', HELP), HELP.about] as const];
  return [...sections, { title: 'Options', kind: 'terms', rows }];
}

function commandSections(of: Command): readonly Section[] {
  const { operands, options, variables = {}, exits = {}, examples } = of;
  const sections = new Map<string, (readonly [string, string])[]>();
  const add = (title: string, row: readonly [string, string]): void => {
    sections.set(title, [...(sections.get(title) ?? []), row]);
  };
  for (const { value, about } of Object.values(operands)) add('Arguments', [value, plain(about)]);
  for (const [key, option] of [...Object.entries(options), ['help', HELP] as const]) {
    add(option.section ?? 'Options', [termOf(key, option), optionAbout(option)]);
  }
  const codes = Object.entries({ ...EXITS, ...exits });
  return [
    ...[...sections].map(([title, rows]) => ({ title, kind: 'terms', rows }) as const),
    { title: 'Environment', kind: 'terms', rows: plainRows(Object.entries(variables)) },
    { title: 'Exit codes', kind: 'terms', rows: plainRows(codes) },
    {
      title: 'Examples',
      kind: 'examples',
      rows: Object.entries(examples).map(([line, about]) => [
        line,
        plain(about).replace(/\.$/, ':'),
      ]),
    },
  ];
}

function optionAbout({ about, many, fallback }: Option): string {
  const more = many ? ' It may be given more than once.' : '';
  const without = fallback === undefined ? '' : ` The default is ${String(fallback)}.`;
  return `${plain(about)}${more}${without}`;
}

function plainRows(
  rows: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  return rows.map(([term, about]) => [term, plain(about)]);
}

/** Removes the line ends of the source. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

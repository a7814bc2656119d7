import { Fault, messageOf } from '@assay/core/fault';
import { printable } from '@assay/verifier/verdict/printable';
import type { Command, Environment, Group, Table } from './command.ts';
import { EXIT, type ExitCode, UsageError } from './exit.ts';
import { helpText } from './help.ts';
import { pageOf } from './page.ts';
import { asksHelp, listed, shown, tokensOf } from './parse.ts';
import { didYouMean } from './suggestion.ts';
import type { Terminal } from './tty.ts';

/** Where commands come from, and what is known of the program itself. */
export interface Program {
  readonly table: Table;
  /** The headings of the list of commands, by the first command under each. */
  readonly headings?: Readonly<Record<string, string>>;
  /** Reads the version of the package. */
  readonly version: () => Promise<string>;
  /** The characters of a line of help. */
  readonly helpWidth: number;
}

/** All commands as one group, each loaded. */
export async function loadAll({ table, headings = {} }: Program): Promise<Group> {
  return {
    headings,
    kind: 'group',
    name: '',
    summary: 'Check numbers that money settles on, and publish them.',
    about: `Assay publishes index numbers that money settles on, and lets anybody check each of them without trusting the publisher.

      To check a number or a whole log, begin with assay verify.`,
    commands: await Promise.all(Object.values(table).map((load) => load())),
  };
}

/** Runs one command line and returns its exit code. Every error ends as a sentence on standard error. */
export async function dispatch(
  program: Program,
  argv: readonly string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  const { table, helpWidth } = program;
  const [name = '', ...args] = argv;
  const help = (of: Command | Group): string => helpText(pageOf(of), helpWidth);
  if (name === '--help' || name === '-h' || name === '') {
    (name === '' ? terminal.error : terminal.out)(help(await loadAll(program)));
    return name === '' ? EXIT.usage : EXIT.ok;
  }
  if (name === '--version' || name === '-V') {
    terminal.out(`assay ${await program.version()}`);
    return EXIT.ok;
  }
  let words = '';
  try {
    const { found, rest } = await findCommand(table, [name, ...args], (each) => (words = each));
    if (found.kind === 'group' || asksHelp(found.options, rest)) {
      terminal.out(help(found));
      return EXIT.ok;
    }
    return await found.run(rest, terminal, environment);
  } catch (error) {
    const line = ['assay', ...(words === '' ? [] : [words])].join(' ');
    const isUsage = error instanceof UsageError;
    const code = error instanceof Fault ? ` [${error.code}]` : '';
    terminal.error(`${line}: ${printable(messageOf(error))}${code}`);
    if (isUsage) terminal.error(`See '${line} --help'.`);
    const isConfig = error instanceof Fault && error.code === 'bad_config';
    return isUsage || isConfig ? EXIT.usage : EXIT.incomplete;
  }
}

/**
 * Finds the command that the arguments name, and the arguments after its name; a group if its help is
 * requested. `onName` is called with the part of the name that was understood so far. Throws `UsageError`.
 */
export async function findCommand(
  table: Table,
  words: readonly string[],
  onName: (name: string) => void = () => undefined,
): Promise<{ readonly found: Command | Group; readonly rest: readonly string[] }> {
  const [first = '', ...more] = words;
  const load = Object.hasOwn(table, first) ? table[first] : undefined;
  if (load === undefined) {
    const wrong = first.startsWith('-') ? `option ${first}` : `command${shown(first, ' ')}`;
    const options = ['--help', '--version'];
    const known = first.startsWith('-') ? options : [...Object.keys(table), '--version'];
    throw new UsageError(`there is no ${wrong}${didYouMean(first, known)}`);
  }
  let found = await load();
  let rest = more;
  onName(found.name);
  while (found.kind === 'group') {
    const { name, commands } = found;
    const at = placeOfCommand(found, rest);
    const named = commands.map((each) => each.name.slice(name.length + 1));
    if (at === undefined) {
      if (asksHelp({}, rest)) return { found, rest };
      throw new UsageError(`one of its commands must be named: ${listed(named, 'or')}`);
    }
    const word = rest[at] as string;
    const next = commands[named.indexOf(word)];
    if (next === undefined) {
      const known = didYouMean(word, named) || `; there is ${listed(named, 'and')}`;
      throw new UsageError(`there is no command${shown(word, ' ')}${known}`);
    }
    rest = rest.toSpliced(at, 1);
    found = next;
    onName(found.name);
  }
  return { found, rest };
}

/** The position of the name of a group's command. Options of its commands may come before it. */
function placeOfCommand({ commands }: Group, args: readonly string[]): number | undefined {
  const options = commands.map((each) => (each.kind === 'command' ? each.options : {}));
  const tokens = tokensOf(Object.assign({}, ...options) as Command['options'], args);
  return tokens.find(({ kind }) => kind === 'positional')?.index;
}

import type { ExitCode } from './exit.ts';
import { parseGiven } from './parse.ts';
import type { Terminal } from './tty.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** An option of a command. Its key in the declaration is its name: `chainRpc` is `--chain-rpc`. */
export interface Option {
  /** Whole sentences for the help. */
  readonly about: string;
  /** The name of its value in the help, such as FILE. An option without one is a flag. */
  readonly value?: string;
  /** One letter: `o` is `-o`. */
  readonly short?: string;
  /** It may be given more than once. */
  readonly many?: true;
  readonly required?: true;
  /** The value if the option is not given. */
  readonly fallback?: string | number | readonly string[];
  /** Parses the text of a value. `option` is its name in a `UsageError`. */
  readonly parse?: (text: string, option: string) => unknown;
  /** The heading under which the help lists it. */
  readonly section?: string;
}

/** An argument that is identified by its position. Operands come in the order of their declaration. */
export interface Operand {
  readonly about: string;
  readonly value: string;
  /**
   * Only for the last operand: it takes everything that is left, and at least one argument unless it is
   * optional.
   */
  readonly many?: true;
  readonly optional?: true;
  /**
   * What completion offers: some words, or at each word what the words before it leave of the names of commands.
   * Without it, completion offers files.
   */
  readonly choices?: readonly string[] | 'commands';
}

export type Options = Readonly<Record<string, Option>>;
export type Operands = Readonly<Record<string, Operand>>;

type One<O> = O extends { readonly parse: (text: string, option: string) => infer T } ? T : string;

type OptionValue<O> = O extends { readonly value: string }
  ? O extends { readonly many: true }
    ? readonly One<O>[]
    : O extends { readonly required: true } | { readonly fallback: unknown }
      ? One<O>
      : One<O> | undefined
  : boolean;

type OperandValue<P> = P extends { readonly many: true }
  ? readonly string[]
  : P extends { readonly optional: true }
    ? string | undefined
    : string;

/** The values of a command line, by the names of the declaration. */
export type Given<O, P = unknown> = { readonly [K in keyof O]: OptionValue<O[K]> } & {
  readonly [K in keyof P]: OperandValue<P[K]>;
};

/** What decides how a command line is parsed. */
export interface Syntax<O, P> {
  readonly options: O;
  readonly operands: P;
  /** Exactly one option of each of these lists must be given. */
  readonly oneOf?: readonly (readonly (keyof O & string)[])[];
  /** At most one option of each of these lists may be given. */
  readonly atMostOne?: readonly (readonly (keyof O & string)[])[];
}

interface Texts {
  /** The words of the command line without `assay`, such as `chain read`. */
  readonly name: string;
  /** One sentence, for lists of commands. */
  readonly summary: string;
  /** Paragraphs separated by empty lines. A line end inside a paragraph is a space. */
  readonly about: string;
}

interface Notes {
  /** Command lines that work, with what each is for. */
  readonly examples: Readonly<Record<string, string>>;
  /** What an exit code means, if this command can say more than all commands do. */
  readonly exits?: Readonly<Record<number, string>>;
  /** Environment variables that it reads. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface Command extends Texts, Notes, Syntax<Options, Operands> {
  readonly kind: 'command';
  /** Parses the arguments and does the work. Throws `UsageError` for invalid arguments. */
  readonly run: (
    args: readonly string[],
    terminal: Terminal,
    environment: Environment,
  ) => Promise<ExitCode>;
}

/** Commands that share their first word, such as `chain`. */
export interface Group extends Texts {
  readonly kind: 'group';
  readonly commands: readonly (Command | Group)[];
  /** The headings of its list of commands, by the name of the first command under each. */
  readonly headings?: Readonly<Record<string, string>>;
}

/**
 * Every command by its first word. A command is loaded when it is used, so that an auditor's commands load
 * nothing of a publisher's.
 */
export type Table = Readonly<Record<string, () => Promise<Command | Group>>>;

/** Makes a command from its one declaration, from which parsing, help, completion and manual follow. */
export function command<const O extends Options, const P extends Operands>(
  declaration: Texts &
    Notes &
    Syntax<O, P> & {
      readonly run: (
        given: Given<O, P>,
        terminal: Terminal,
        environment: Environment,
      ) => Promise<ExitCode>;
    },
): Command {
  const { run } = declaration;
  return {
    ...(declaration as unknown as Command),
    kind: 'command',
    run: async (args, terminal, environment) =>
      run(parseGiven(declaration, args), terminal, environment),
  };
}

export function group(declaration: Omit<Group, 'kind'>): Group {
  return { kind: 'group', ...declaration };
}

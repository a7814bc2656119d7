import { parseArgs } from 'node:util';
import type { Given, Operands, Option, Options, Syntax } from './command.ts';
import { UsageError } from './exit.ts';
import { didYouMean } from './suggestion.ts';

/** `chainRpc` as a command line writes it: `--chain-rpc`. */
export function optionName(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (each) => `-${each.toLowerCase()}`)}`;
}

interface Token {
  readonly kind: string;
  readonly index: number;
  /** Without hyphens; only for an option. */
  readonly name?: string;
  /** As it was written. */
  readonly rawName?: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** Splits the arguments into tokens. An option that is not declared counts as a flag. */
export function tokensOf(options: Options, args: readonly string[]): readonly Token[] {
  const declared = Object.entries(options).map(([key, { value, short }]) => [
    optionName(key).slice(2),
    { type: value === undefined ? 'boolean' : 'string', ...(short && { short }) } as const,
  ]);
  const { tokens } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean', short: 'h' }, ...Object.fromEntries(declared) },
    strict: false,
    tokens: true,
  });
  return tokens;
}

/**
 * Whether the arguments ask for help, at any position. Throws `UsageError` if `--help` has a value, as in
 * `--help=3`, or if `-h` is joined to a letter that is no option, as in `-hx`.
 */
export function asksHelp(options: Options, args: readonly string[]): boolean {
  const given = tokensOf(options, args).filter(({ kind }) => kind === 'option');
  const help = given.find(({ name }) => name === 'help');
  if (help === undefined) return false;
  if (help.value !== undefined) throw new UsageError('the option --help takes no value');
  const names = new Set(['--help', ...Object.keys(options).map(optionName)]);
  const wrong = given.find(({ index, name }) => index === help.index && !names.has(`--${name}`));
  if (wrong !== undefined) throw new UsageError(`there is no option ${wrong.rawName}`);
  return true;
}

/**
 * Parses the arguments of a command. Throws `UsageError`, a sentence that names the argument and what is wrong
 * with it.
 */
export function parseGiven<const O extends Options, const P extends Operands>(
  syntax: Syntax<O, P>,
  args: readonly string[],
): Given<O, P> {
  const { options } = syntax;
  const keys = new Map(Object.keys(options).map((key) => [optionName(key), key]));
  const values = new Map<string, unknown>();
  const words: string[] = [];
  for (const token of tokensOf(options, args)) {
    if (token.kind === 'positional') words.push(token.value ?? '');
    if (token.kind !== 'option') continue;
    const key = keys.get(`--${token.name}`);
    if (key === undefined) {
      const meant = didYouMean(token.rawName ?? '', [...keys.keys(), '--help']);
      throw new UsageError(`there is no option ${token.rawName}${meant}`);
    }
    const option = options[key] as Option;
    if (values.has(key) && !option.many) {
      throw new UsageError(`the option ${optionName(key)} may be given only once`);
    }
    const value = readValue(option, optionName(key), token);
    values.set(key, option.many ? [...((values.get(key) as unknown[]) ?? []), value] : value);
  }
  requireCounts(syntax, new Set(values.keys()));
  for (const [key, { value, many, required, fallback }] of Object.entries<Option>(options)) {
    if (values.has(key)) continue;
    if (required) throw new UsageError(`the option ${optionName(key)} ${value} is missing`);
    values.set(key, value === undefined ? false : many ? [] : fallback);
  }
  return Object.fromEntries([...values, ...operandValues(syntax.operands, words)]) as Given<O, P>;
}

function readValue({ value, parse }: Option, name: string, token: Token): unknown {
  if (value === undefined) {
    if (token.value === undefined) return true;
    throw new UsageError(`the option ${name} takes no value`);
  }
  if (token.value === undefined) {
    throw new UsageError(`the option ${name} needs a value: ${name} ${value}`);
  }
  // A script whose variable is not set gives an empty value, which must not be taken for an answer.
  if (token.value === '') {
    throw new UsageError(`the option ${name} has an empty value; it is ${name} ${value}`);
  }
  // It is more likely that the value was forgotten than that it begins with a hyphen.
  if (token.inlineValue !== true && /^-./s.test(token.value)) {
    throw new UsageError(
      `the option ${name} needs a value; one that begins with a hyphen is written ${name}=${value}`,
    );
  }
  return parse === undefined ? token.value : parse(token.value, name);
}

function requireCounts(
  { oneOf = [], atMostOne = [] }: Pick<Syntax<Options, Operands>, 'oneOf' | 'atMostOne'>,
  given: ReadonlySet<string>,
): void {
  for (const keys of [...oneOf, ...atMostOne]) {
    const both = keys.filter((key) => given.has(key));
    if (both.length < 2) continue;
    throw new UsageError(`only one of ${listed(both.map(optionName), 'and')} may be given`);
  }
  for (const keys of oneOf) {
    if (keys.some((key) => given.has(key))) continue;
    throw new UsageError(`one of ${listed(keys.map(optionName), 'and')} must be given`);
  }
}

function operandValues(
  operands: Operands,
  words: readonly string[],
): readonly (readonly [string, string | readonly string[] | undefined])[] {
  const left = [...words];
  const values = Object.entries(operands).map(([key, { value, many, optional }]) => {
    if (left.length === 0 && !optional) throw new UsageError(`${value} is missing`);
    if ((many ? left : left.slice(0, 1)).includes('')) throw new UsageError(`${value} is empty`);
    return [key, many ? left.splice(0) : left.shift()] as const;
  });
  if (left.length > 0) {
    throw new UsageError(`there is one argument too many${shown(left[0] as string, ': ')}`);
  }
  return values;
}

/** An argument in an error message. An address is not quoted, because it may contain a key or a password. */
export function shown(word: string, before: string): string {
  return word.includes('://') ? '' : `${before}${JSON.stringify(word)}`;
}

/** Such as `a, b and c`. */
export function listed(words: readonly string[], before: 'and' | 'or'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${before} ${words.at(-1)}`;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positive } from '@assay/cli/command/options';
import { asksHelp, listed, optionName, parseGiven } from '@assay/cli/command/parse';

const SYNTAX = {
  options: {
    output: { value: 'FILE', short: 'o', about: 'The file to write.' },
    chainRpc: { value: 'URL', about: 'A node.' },
    key: { value: 'KEY', many: true, about: 'A key.' },
    timeout: { value: 'S', parse: positive, fallback: 10, about: 'Seconds.' },
    json: { short: 'j', about: 'As JSON.' },
  },
  operands: {
    target: { value: 'TARGET', about: 'What is looked at.' },
    more: { value: 'MORE', about: 'And these.', many: true, optional: true },
  },
} as const;

const parsed = (...args: readonly string[]) => parseGiven(SYNTAX, args);

function refused(args: readonly string[], words: string): void {
  assert.throws(() => parsed(...args), { name: 'UsageError', message: words }, args.join(' '));
}

test('values by the names and types of the declaration', () => {
  const given = parsed(
    'a',
    '--chain-rpc',
    'u',
    '-j',
    '--key',
    '1',
    '--key=2',
    '--timeout',
    '7',
    'b',
    'c',
  );
  // What the compiler infers: a wrong type would not compile.
  const timeout: number = given.timeout;
  const keys: readonly string[] = given.key;
  const json: boolean = given.json;
  const output: string | undefined = given.output;
  const target: string = given.target;
  assert.deepEqual(
    { ...given },
    {
      target: 'a',
      more: ['b', 'c'],
      chainRpc: 'u',
      key: ['1', '2'],
      timeout: 7,
      json: true,
      output: undefined,
    },
  );
  assert.deepEqual([timeout, keys, json, output, target], [7, ['1', '2'], true, undefined, 'a']);
});

test('what is not given: nothing, no values, a fallback, or false', () => {
  assert.deepEqual(
    { ...parsed('a') },
    {
      target: 'a',
      more: [],
      chainRpc: undefined,
      key: [],
      timeout: 10,
      json: false,
      output: undefined,
    },
  );
});

test('a value in one word with its option, a hyphen, and words behind --', () => {
  assert.equal(parsed('a', '-ofile').output, 'file');
  assert.equal(parsed('a', '-jofile').output, 'file');
  assert.equal(parsed('a', '-o', '-').output, '-');
  assert.equal(parsed('a', '--output=--json').output, '--json');
  assert.deepEqual(parsed('--', 'a', '--json').more, ['--json']);
});

test('each mistake is one sentence that names what is wrong', () => {
  refused([], 'TARGET is missing');
  refused(['a', '--jsno'], 'there is no option --jsno; did you mean --json?');
  refused(['a', '--__proto__'], 'there is no option --__proto__');
  refused(['a', '--constructor=x'], 'there is no option --constructor');
  refused(['a', '-x'], 'there is no option -x');
  refused(['a', '--chain', 'u'], 'there is no option --chain; did you mean --chain-rpc?');
  refused(['a', '--json=yes'], 'the option --json takes no value');
  refused(['a', '--output'], 'the option --output needs a value: --output FILE');
  refused(
    ['a', '--output', '--json'],
    'the option --output needs a value; one that begins with a hyphen is written --output=FILE',
  );
  refused(['a', '--timeout', 'x'], '--timeout is a whole number above 0');
});

test('an empty value is a mistake, as of a variable that is not set', () => {
  const empty = 'the option --output has an empty value; it is --output FILE';
  refused(['a', '--output='], empty);
  refused(['a', '--output', ''], empty);
  refused(['a', '-o', ''], empty);
  refused(['a', '--key', '1', '--key', ''], 'the option --key has an empty value; it is --key KEY');
  refused([''], 'TARGET is empty');
  refused(['a', 'b', ''], 'MORE is empty');
});

test('an option that may be given once is a mistake if it is given twice', () => {
  const twice = 'the option --output may be given only once';
  refused(['a', '-o', '1', '-o', '2'], twice);
  refused(['a', '-o1', '--output=1'], twice);
  refused(['a', '--json', '-j'], 'the option --json may be given only once');
  assert.deepEqual(parsed('a', '--key', '1', '--key', '1').key, ['1', '1']);
});

test('help is asked for by --help and -h alone', () => {
  const asks = (...args: readonly string[]): boolean => asksHelp(SYNTAX.options, args);
  for (const each of ['--help', '-h', '-jh', '-hj']) assert.equal(asks('a', each), true, each);
  assert.equal(asks('a', '--nothing', '-h'), true);
  assert.equal(asks('a', '--', '-h'), false);
  assert.throws(() => asks('--help=3'), { message: 'the option --help takes no value' });
  assert.throws(() => asks('--help='), { message: 'the option --help takes no value' });
  assert.throws(() => asks('-hx'), { name: 'UsageError', message: 'there is no option -x' });
});

test('an address that has no place is not repeated: it may hold a password', () => {
  const syntax = { options: {}, operands: {} } as const;
  const wrong = (word: string) => () => parseGiven(syntax, [word]);
  assert.throws(wrong('b'), { message: 'there is one argument too many: "b"' });
  assert.throws(wrong('https://u:hush@host'), { message: 'there is one argument too many' });
  assert.throws(wrong('--rpc=https://u:hush@host'), { message: 'there is no option --rpc' });
});

test('required options, and how many of some may be given', () => {
  const text = { value: 'X', about: 'Something.' } as const;
  const syntax = {
    options: { must: { ...text, required: true }, a: text, b: text, c: text },
    operands: {},
    oneOf: [['a', 'b']],
    atMostOne: [['b', 'c']],
  } as const;
  const given = (line: string) => () => parseGiven(syntax, line.split(' '));
  assert.throws(given('--a=1'), { message: 'the option --must X is missing' });
  assert.throws(given('--must=1'), { message: 'one of --a and --b must be given' });
  assert.throws(given('--must=1 --a=1 --b=1'), { message: 'only one of --a and --b may be given' });
  assert.throws(given('--must=1 --b=1 --c=1'), { message: 'only one of --b and --c may be given' });
  assert.deepEqual(
    { ...given('--must=1 --a=1 --c=1')() },
    { must: '1', a: '1', b: undefined, c: '1' },
  );
});

test('names and lists as people write them', () => {
  assert.deepEqual(['json', 'witnessMaxAge'].map(optionName), ['--json', '--witness-max-age']);
  assert.deepEqual(
    [
      listed([], 'or'),
      listed(['a'], 'or'),
      listed(['a', 'b'], 'or'),
      listed(['a', 'b', 'c'], 'and'),
    ],
    ['', 'a', 'a or b', 'a, b and c'],
  );
});

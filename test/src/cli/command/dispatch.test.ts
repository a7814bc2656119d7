import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { command, group, type Table } from '@assay/cli/command/command';
import { dispatch, findCommand } from '@assay/cli/command/dispatch';
import type { Terminal } from '@assay/cli/command/tty';

const texts = { summary: 'It does it.', about: 'It does it.', operands: {}, examples: {} } as const;

const copy = command({
  ...texts,
  name: 'file copy',
  options: { to: { value: 'FOLDER', about: 'Where to.' }, json: { about: 'As JSON.' } },
  run: async ({ to, json }, terminal) => {
    terminal.out(`${to} ${json}`);
    return 0;
  },
});
const fail = command({
  ...texts,
  name: 'fail',
  options: { code: { value: 'CODE', about: 'The code.', fallback: 'bad_config' } },
  run: ({ code }) => Promise.reject(new Fault(code as 'bad_config', 'x')),
});

let loaded: string[] = [];
const table: Table = {
  file: async () => {
    loaded.push('file');
    return group({ name: 'file', summary: 'Files.', about: 'Files.', commands: [copy] });
  },
  fail: async () => {
    loaded.push('fail');
    return fail;
  },
};

async function ran(...argv: readonly string[]): Promise<readonly [number, string, string]> {
  loaded = [];
  const [out, err]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    out: (line) => void out.push(line),
    error: (line) => void err.push(line),
    colour: false,
    columns: 80,
    progress: undefined,
  };
  const program = { table, version: () => Promise.resolve('7.8.9'), helpWidth: 80 };
  const code = await dispatch(program, argv, terminal, {});
  return [code, out.join('\n'), err.join('\n')];
}

test('a command runs with its options, which may stand before its second word', async () => {
  assert.deepEqual(await ran('file', 'copy', '--to', 'x'), [0, 'x false', '']);
  assert.deepEqual(await ran('file', '--to', 'copy', 'copy', '--json'), [0, 'copy true', '']);
  assert.deepEqual(loaded, ['file']);
  assert.deepEqual(await ran('--version'), [0, 'assay 7.8.9', '']);
  assert.deepEqual(await ran('-V'), [0, 'assay 7.8.9', '']);
  assert.deepEqual(loaded, []);
});

test('help is of the command that is named, and nothing runs', async () => {
  for (const [argv, usage] of [
    [['--help'], 'Usage: assay COMMAND [OPTION...]'],
    [['file', '-h'], 'Usage: assay file COMMAND [OPTION...]'],
    [['file', 'copy', '--to', 'x', '--help'], 'Usage: assay file copy [OPTION...]'],
    [['file', '--help', 'copy'], 'Usage: assay file copy [OPTION...]'],
    [['fail', '--wrong', '-h'], 'Usage: assay fail [OPTION...]'],
  ] as const) {
    const [code, out, err] = await ran(...argv);
    assert.deepEqual([code, out.split('\n')[0], err], [0, usage, '']);
  }
});

test('a mistake is one line, then where the help is', async () => {
  for (const [argv, line, of] of [
    [['fial'], 'assay: there is no command "fial"; did you mean fail?', 'assay'],
    [['version'], 'assay: there is no command "version"; did you mean --version?', 'assay'],
    [['--verison'], 'assay: there is no option --verison; did you mean --version?', 'assay'],
    [['https://u:hush@host'], 'assay: there is no command', 'assay'],
    [['file'], 'assay file: one of its commands must be named: copy', 'assay file'],
    [['file', 'cop'], 'assay file: there is no command "cop"; did you mean copy?', 'assay file'],
    [
      ['file', 'x\u009b'],
      'assay file: there is no command "x\\u{9b}"; there is copy',
      'assay file',
    ],
    [['file', 'https://u:hush@h'], 'assay file: there is no command; there is copy', 'assay file'],
    [
      ['file', 'copy', '--too', 'x'],
      'assay file copy: there is no option --too; did you mean --to?',
      'assay file copy',
    ],
  ] as const) {
    assert.deepEqual(await ran(...argv), [2, '', `${line}\nSee '${of} --help'.`]);
  }
});

test('what fails behind the command line names its code, and a configuration is exit 2', async () => {
  assert.deepEqual(await ran('fail'), [2, '', 'assay fail: x [bad_config]']);
  const [code, , err] = await ran('fail', '--code', 'not_found');
  assert.deepEqual([code, err.endsWith(' [not_found]'), err.includes('See ')], [3, true, false]);
});

test('a command by its words, and what is left of them', async () => {
  const { found, rest } = await findCommand(table, ['file', '--json', 'copy', 'more']);
  assert.deepEqual([found.name, rest], ['file copy', ['--json', 'more']]);
  await assert.rejects(findCommand(table, []), { name: 'UsageError' });
});

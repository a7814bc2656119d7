import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dispatch } from '@assay/cli/command/dispatch';
import { nodes } from '../fixture/all-commands.ts';
import { program } from '../fixture/program.ts';

async function ran(...argv: readonly string[]): Promise<readonly [number, string, string]> {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    out: (line: string) => void out.push(line),
    error: (line: string) => void err.push(line),
    colour: false,
    columns: 80,
    progress: undefined,
  };
  const code = await dispatch(program, argv, terminal, {});
  return [code, out.join('\n'), err.join('\n')];
}

test('assay help X is assay X --help, for every command', async () => {
  for (const { name } of nodes) {
    const words = name === '' ? [] : name.split(' ');
    const asked = await ran(...words, '--help');
    assert.deepEqual(await ran('help', ...words), asked, name);
    assert.deepEqual([asked[0], asked[2]], [0, '']);
    assert.match(asked[1], new RegExp(`^Usage: assay ${name}`));
  }
});

test('help, manual and completion of what is not there', async () => {
  for (const [argv, words] of [
    [['help', 'verfiy'], 'assay help: there is no command "verfiy"; did you mean verify?'],
    [['help', 'verify', 'x'], 'assay help: there is no command "verify x"'],
    [['man', 'chain', 'raed'], 'assay man: there is no command "raed"; did you mean read?'],
    [
      ['completion', 'fsih'],
      'assay completion: there is no completion for "fsih"; did you mean fish?',
    ],
    [['completion'], 'assay completion: SHELL is missing'],
  ] as const) {
    const [code, out, err] = await ran(...argv);
    assert.deepEqual([code, out], [2, '']);
    assert.equal(err.split('\n')[0], words);
  }
});

test('a manual page for every command, and scripts for every shell', async () => {
  const [code, out] = await ran('man', 'chain', 'read');
  assert.equal(code, 0);
  assert.match(out, /^\.TH "ASSAY\\-CHAIN\\-READ" 1 "" "assay 0\.1\.0" "Assay"\n/);
  assert.match((await ran('man'))[1], /^\.TH "ASSAY" 1 /);
  assert.match((await ran('completion', 'bash'))[1], /complete -F _assay assay$/);
  assert.match((await ran('completion', 'zsh'))[1], /^#compdef assay\n/);
  assert.match((await ran('completion', 'fish'))[1], /\ncomplete -c assay /);
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { completionScript, SHELLS } from '@assay/cli/command/completion';
import { optionName } from '@assay/cli/command/parse';
import { scratch } from '../fixture/run.ts';
import { all, commands } from '../fixture/all-commands.ts';
import { program } from '../fixture/program.ts';

const isThere = (shell: string): boolean =>
  spawnSync(shell, ['-c', 'exit 0'], { encoding: 'utf8' }).error === undefined;

function ran(shell: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(shell, args, { cwd, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, ''], args.join(' '));
  return stdout;
}

/** A folder with a file and a folder, and the script in it. */
async function place(
  t: Parameters<typeof scratch>[0],
  shell: (typeof SHELLS)[number],
): Promise<string> {
  const folder = await scratch(t);
  await writeFile(join(folder, 'number one.json'), '');
  await mkdir(join(folder, 'new'));
  await writeFile(join(folder, 'script'), completionScript(shell, all));
  return folder;
}

/** What completing the last of some words gives; how each shell is asked. */
const ASK: Readonly<
  Record<string, (words: readonly string[], folder: string) => readonly string[]>
> = {
  bash: (words, folder) => {
    const code =
      'source ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; printf "%s\\n" "${COMPREPLY[@]}"';
    return lines(ran('bash', ['--norc', '-c', code, 'bash', ...words], folder));
  },
  fish: (words, folder) => {
    const quoted = words.map((word, i) => (i === 0 ? word : word.replaceAll(' ', '\\ '))).join(' ');
    const code = `source ./script; complete --do-complete '${quoted}'`;
    return lines(ran('fish', ['--no-config', '-c', code], folder)).map(
      (line) => line.split('\t')[0] as string,
    );
  },
};

function lines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

for (const [shell, ask] of Object.entries(ASK)) {
  test(`${shell} completes commands, options, and the values of options`, async (t) => {
    if (!isThere(shell)) return t.skip(`${shell} is not installed`);
    const folder = await place(t, shell as 'bash');
    const asked = (...words: readonly string[]): readonly string[] =>
      ask(['assay', ...words], folder);
    assert.deepEqual(asked('ver'), ['verify']);
    assert.deepEqual(asked('chain', 're'), ['read']);
    assert.deepEqual(asked('help', 'rec').toSorted(), ['receipts', 'recount', 'recover']);
    assert.deepEqual(asked('help', 'chain', 're'), ['read']);
    assert.deepEqual(asked('man', 'release', 'ch'), ['check']);
    assert.deepEqual(asked('help', 'verify', 'n'), []);
    assert.deepEqual(asked('help', 'chain', 'read', 're'), []);
    assert.deepEqual(asked('--help', 'n'), []);
    assert.deepEqual(asked('completion', '').toSorted(), SHELLS.toSorted());
    assert.deepEqual(asked('verify', '--chain').toSorted(), ['--chain-accounts', '--chain-rpc']);
    assert.deepEqual(asked('chain', 'read', '--chain'), []);
    assert.deepEqual(asked('ots', 'verify', '--fil'), ['--file']);
    assert.ok(asked('verify', 'n').some((each) => /number(\\)? one\.json/.test(each)));
    assert.ok(asked('verify', '--policy', 'n').some((each) => /number(\\)? one\.json/.test(each)));
    assert.deepEqual(
      asked('export', 'new', '-o', 'n').map((each) => each.replace(/\/$/, '')),
      ['new'],
    );
    assert.deepEqual(asked('verify', '--timeout', 'n'), []);
    return undefined;
  });
}

test('bash knows every command and every option', async (t) => {
  if (!isThere('bash')) return t.skip('bash is not installed');
  const folder = await place(t, 'bash');
  const ask = ASK['bash'] as (words: readonly string[], folder: string) => readonly string[];
  assert.deepEqual(ask(['assay', ''], folder), [
    ...Object.keys(program.table),
    '--help',
    '--version',
  ]);
  for (const { name, options } of commands) {
    const known = ask(['assay', ...name.split(' '), '--'], folder);
    assert.deepEqual(known, [...Object.keys(options).map(optionName), '--help'], name);
  }
  return undefined;
});

test('zsh reads the script, and describes every command and option in it', async (t) => {
  const script = completionScript('zsh', all);
  for (const { name, options } of commands) {
    assert.ok(script.includes(`'${name} '*)`), name);
    for (const key of Object.keys(options)) assert.ok(script.includes(`${optionName(key)}[`), key);
  }
  assert.match(script, /^ {4}'help chain '\) commands=\('status:/m);
  assert.match(script, /^ {4}'man release '\) commands=\('check:/m);
  if (!isThere('zsh')) return t.skip('zsh is not installed');
  const folder = await place(t, 'zsh');
  ran(
    'zsh',
    ['-f', '-c', 'autoload -U compinit; compinit -D; source ./script; whence -w _assay'],
    folder,
  );
  return undefined;
});

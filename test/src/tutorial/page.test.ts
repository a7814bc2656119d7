import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stepsOf } from '../../tutorial/page.ts';
import { ROOT } from '../core/fixture/fixture.ts';

const FOLDER = join(ROOT, 'docs', 'tutorials');
const page = (...lines: readonly string[]): string => lines.join('\n');

test('tutorial: a console block has commands, what goes on with them, and what they print', () => {
  const text = page(
    '# Title',
    '```console',
    '$ a \\',
    '> b',
    'one',
    '> two',
    '$ c',
    '```',
    '```console another terminal',
    '$ serve',
    'ready',
    '```',
    '```js final.mjs',
    'x();',
    '```',
    '```json',
    '{}',
    '```',
  );
  assert.deepEqual(stepsOf(text), [
    { kind: 'command', line: 3, command: 'a \\\nb', expected: ['one', '> two'] },
    { kind: 'command', line: 7, command: 'c', expected: [] },
    { kind: 'service', line: 10, command: 'serve', expected: ['ready'] },
    { kind: 'file', line: 14, name: 'final.mjs', text: 'x();\n' },
  ]);
});

test('tutorial: a block that nobody would run as it is meant is refused with its line', () => {
  for (const [lines, message] of [
    [['```console', 'ls', '```'], /^line 2: a console block begins with a command$/],
    [['```console', '```'], /^line 2: a console block without a command$/],
    [['', '```console', '$ ls'], /^line 2: a block that never ends$/],
    [['```console later', '$ ls', '```'], /^line 1: console later is no kind of block$/],
  ] as const)
    assert.throws(
      () => stepsOf(page(...lines)),
      (error: Error) => message.test(error.message),
      lines.join(' '),
    );
});

test('tutorial: each page is in the index, and has a command and what it prints', () => {
  const index = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  const names = readdirSync(FOLDER);
  assert.ok(names.length > 1);
  for (const name of names) {
    const steps = stepsOf(readFileSync(join(FOLDER, name), 'utf8'));
    assert.ok(
      steps.some((step) => step.kind === 'command' && step.expected.length > 0),
      name,
    );
    if (name !== 'README.md') assert.ok(index.includes(`](${name})`), name);
  }
});

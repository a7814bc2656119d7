import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../verifier/fixture/sample-log.ts';
import { assay, scratch } from './fixture/run.ts';

const COMMANDS = [
  'verify',
  'watch',
  'bundle',
  'chain',
  'evidence',
  'stamp',
  'ots',
  'headers',
  'demo',
  'init',
  'node',
  'recount',
  'rules',
  'correct',
  'export',
  'replay',
  'receipts',
  'rebuild',
  'keys',
  'recover',
  'backup',
  'restore',
];

test('no command: what there is, on standard error, exit 2', async (t) => {
  const { code, out, err } = await assay(await scratch(t), []);
  assert.equal(code, 2);
  assert.equal(out, '');
  assert.match(err, /^assay <command>\n/);
  for (const name of COMMANDS) assert.match(err, new RegExp(`\\n  ${name} +\\w`));
});

test('--help: the same on standard output, exit 0', async (t) => {
  const folder = await scratch(t);
  for (const word of ['--help', '-h', 'help']) {
    const { code, out, err } = await assay(folder, [word]);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^assay <command>\n/);
  }
});

test('an unknown command: named, exit 2', async (t) => {
  const folder = await scratch(t);
  for (const word of ['verfiy', 'constructor', '__proto__', '\u001b[2J']) {
    const { code, out, err } = await assay(folder, [word]);
    assert.deepEqual([code, out], [2, '']);
    assert.equal(
      err.startsWith(`assay: no command ${JSON.stringify(word)}\n\nassay <command>`),
      true,
    );
    assert.equal(err.includes('\u001b'), false);
  }
});

test('every command explains itself, and a mistyped option is a usage error', async (t) => {
  const folder = await scratch(t);
  const files = await readdir(join(ROOT, 'cli', 'src', 'command'));
  assert.deepEqual(files.sort(), COMMANDS.map((name) => `${name}.ts`).sort());
  for (const name of COMMANDS) {
    const help = await assay(folder, [name, '--help']);
    assert.deepEqual([help.code, help.err], [0, ''], name);
    assert.match(help.out, new RegExp(`^assay ${name}\\b`));
    const wrong = await assay(folder, [name, '--no-such-option']);
    assert.deepEqual([wrong.code, wrong.out], [2, ''], name);
    assert.match(wrong.err, /^assay \w+: .*--no-such-option/);
    assert.equal(wrong.err.includes(help.out.trimEnd()), true, name);
  }
});

test('lines of help fit a terminal', async (t) => {
  const folder = await scratch(t);
  for (const name of COMMANDS) {
    const { out } = await assay(folder, [name, '--help']);
    for (const line of out.split('\n')) assert.equal(line.length <= 100, true, line);
  }
});

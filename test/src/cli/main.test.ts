import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assay, assayProcess, scratch } from './fixture/run.ts';
import { program } from './fixture/program.ts';

const COMMANDS = Object.keys(program.table);

test('no command: what there is, on standard error, exit 2', async (t) => {
  const { code, out, err } = await assayProcess(await scratch(t), []);
  assert.equal(code, 2);
  assert.equal(out, '');
  assert.match(err, /^Usage: assay COMMAND /);
  for (const name of COMMANDS) assert.match(err, new RegExp(`\\n  ${name} +\\w`));
});

test('--help: the same on standard output, exit 0', async (t) => {
  const folder = await scratch(t);
  for (const word of ['--help', '-h', 'help']) {
    const { code, out, err } = await assayProcess(folder, [word]);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^Usage: assay COMMAND /);
  }
});

test('--version: the version of the package', async (t) => {
  const { code, out, err } = await assayProcess(await scratch(t), ['--version']);
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^assay \d+\.\d+\.\d+\n$/);
});

test('an unknown command: named in one line, exit 2', async (t) => {
  const folder = await scratch(t);
  for (const [word, meant] of [
    ['verfiy', '; did you mean verify?'],
    ['constructor', ''],
    ['__proto__', ''],
    ['\u001b[2J', ''],
    ['\u009b2J', ''],
  ] as const) {
    const { code, out, err } = await assayProcess(folder, [word]);
    assert.deepEqual([code, out], [2, '']);
    const [line, ...rest] = err.split('\n');
    assert.equal(line?.startsWith('assay: there is no command "'), true, line);
    assert.equal(line?.endsWith(`"${meant}`), true, line);
    assert.deepEqual(rest, ["See 'assay --help'.", '']);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(err, /[\u001b\u009b]/);
  }
});

test('every command explains itself, and a mistyped option is a usage error', async (t) => {
  const folder = await scratch(t);
  for (const name of COMMANDS) {
    const help = await assay(folder, [name, '--help']);
    assert.deepEqual([help.code, help.err], [0, ''], name);
    assert.match(help.out, new RegExp(`^Usage: assay ${name}\\b`));
    const wrong = await assay(folder, [name, '--no-such-option']);
    assert.deepEqual([wrong.code, wrong.out], [2, ''], name);
    const isGroup = /^Usage: assay \w+ COMMAND \[OPTION/.test(help.out);
    const words = isGroup
      ? 'one of its commands must be named'
      : 'there is no option --no-such-option';
    assert.match(
      wrong.err,
      new RegExp(`^assay ${name}: ${words}[^\\n]*\nSee 'assay ${name} --help'\\.\n$`),
    );
  }
});

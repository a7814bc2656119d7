import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../src/core/fixture/fixture.ts';

const PROGRAM = join(ROOT, 'test', 'interop', 'terminal-twin', 'quantiles.py');
const run = (command: string) =>
  spawnSync('python3', ['-E', '-s', '-B', PROGRAM, command], { encoding: 'utf8' });
const skip = spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not here';

test("terminal quantiles: Student's table is made again to the last byte", { skip }, () => {
  const { status, stdout, stderr } = run('table');
  assert.equal(status, 0, stderr);
  assert.equal(stdout, readFileSync(join(ROOT, 'vectors/base-rate/quantiles.json'), 'utf8'));
});

test('terminal quantiles: a second method gives the same thousandths', { skip }, (t) => {
  const { status, stdout, stderr } = run('check');
  assert.equal(status, 0, stderr);
  t.diagnostic(stdout.trim());
});

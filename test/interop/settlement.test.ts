// history.csv and settlement files a second time, in Python from the pages of the specification: every vector, to the byte.
import assert from 'node:assert/strict';
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratch } from '../src/cli/fixture/run.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';

const PROGRAM = join(ROOT, 'test', 'interop', 'settlement.py');
const VECTORS = join(ROOT, 'vectors');

function python(vectors: string): SpawnSyncReturns<string> {
  return spawnSync('python3', ['-I', '-B', PROGRAM, vectors], { encoding: 'utf8' });
}

test('settlement: the vectors come out the same in Python, written from the specification', async (t) => {
  if (spawnSync('python3', ['--version']).status !== 0) return t.skip('python3 is not here');
  const { status, stdout, stderr } = python(VECTORS);
  assert.deepEqual([status, stdout, stderr], [0, '26 compared, 0 differ\n', '']);
  // One character of one file, and it is found.
  const folder = await scratch(t);
  for (const name of ['history/logs.json', 'settlement/files.json']) {
    const text = await readFile(join(VECTORS, name), 'utf8');
    await mkdir(join(folder, name, '..'), { recursive: true });
    const changed = text.replace('\\"settleable\\": true', '\\"settleable\\": false');
    assert.equal(changed === text, name !== 'settlement/files.json');
    await writeFile(join(folder, name), changed);
  }
  const other = python(folder);
  assert.equal(other.status, 1);
  assert.match(other.stderr, /"settleable": true,' is '/);
});

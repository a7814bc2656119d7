import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { grow } from '../../node/restore/restore-world.ts';
import { ownData } from '../data-folder.ts';
import { assay, scratch } from '../run.ts';

test('backup: a second run writes what is new alone; neither head guard nor keys are in it', async (t) => {
  const folder = await ownData(t);
  const first = await assay(folder, ['backup', 'data', '-o', 'copy', '--json']);
  assert.deepEqual([first.code, first.err], [0, '']);
  const one = JSON.parse(first.out);
  assert.deepEqual([one.size, one.kept, one.lacking], [277, 0, []]);
  await grow(join(folder, 'data'), 'more');
  const second = await assay(folder, ['backup', 'data', '-o', 'copy', '--json']);
  const two = JSON.parse(second.out);
  // The last bundle and the tiles at the right edge.
  assert.deepEqual([two.size, two.written, two.kept], [278, 2, one.written - 2]);
  const names = await readdir(join(folder, 'copy'), { recursive: true });
  const files = names.filter((name) => !name.startsWith('blob') && !name.startsWith('tile'));
  assert.deepEqual(files.toSorted(), ['.assay-backup', 'assay-backup.json']);
  const keys = await readdir(join(folder, 'data', 'keys'));
  const secret = JSON.parse(
    await readFile(join(folder, 'data', 'keys', keys[0] as string), 'utf8'),
  );
  for (const name of names) {
    const path = join(folder, 'copy', name);
    if (!(await stat(path)).isFile()) continue;
    assert.equal((await readFile(path)).includes(secret.private_key), false, name);
  }
});

test('backup: not into the data folder, nor over anything else', async (t) => {
  const folder = await ownData(t);
  assert.equal((await assay(folder, ['backup', 'data', '-o', 'data/copy'])).code, 2);
  assert.equal((await assay(folder, ['backup', 'data', '-o', 'data'])).code, 2);
  const over = await assay(folder, ['backup', 'data', '-o', '.']);
  assert.deepEqual([over.code, over.out], [3, '']);
  assert.match(over.err, /\[not_empty\]\n$/);
});

test('backup: usage, and a folder without a log', async (t) => {
  const folder = await scratch(t);
  for (const args of [[], ['data'], ['data', 'more', '-o', 'x']]) {
    assert.equal((await assay(folder, ['backup', ...args])).code, 2, args.join(' '));
  }
  const none = await assay(folder, ['backup', 'nowhere', '-o', 'copy']);
  assert.deepEqual([none.code, none.out], [3, '']);
  assert.match(none.err, /\[not_found\]\n$/);
});

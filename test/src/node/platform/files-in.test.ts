import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesIn } from '@assay/node/platform/files-in';

test('files in: those at any depth, no folders, and none where there is no folder', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  assert.equal(await filesIn(folder), 0);
  await mkdir(join(folder, 'a', 'b'), { recursive: true });
  assert.equal(await filesIn(folder), 0);
  await writeFile(join(folder, 'a', 'b', 'c'), 'c');
  await writeFile(join(folder, 'd'), 'd');
  assert.equal(await filesIn(folder), 2);
  assert.equal(await filesIn(join(folder, 'e')), 0);
});

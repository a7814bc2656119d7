import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockFolder } from '@assay/cli/process/folder-lock';
import { scratch } from '../fixture/run.ts';

test('a folder of a running process is refused, and that of one that is gone taken over', async (t) => {
  const folder = await scratch(t);
  const first = await lockFolder(folder);
  await assert.rejects(
    lockFolder(folder),
    new RegExp(`process ${process.pid} uses .*one watch at a time`),
  );
  const [name = ''] = await readdir(join(folder, 'lock'));
  await first();
  // Larger than any process number of Linux.
  await mkdir(join(folder, 'lock'));
  await writeFile(join(folder, 'lock', name.replace(/^[0-9]+/, '4194305')), '');
  const release = await lockFolder(folder);
  await release();
  await (
    await lockFolder(folder)
  )();
});

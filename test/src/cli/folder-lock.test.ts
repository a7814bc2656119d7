import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockFolder } from '@assay/cli/folder-lock';
import { scratch } from './run.ts';

test('a folder of a running process is refused, and that of one that is gone taken over', async (t) => {
  const folder = await scratch(t);
  await writeFile(join(folder, 'lock'), `${process.ppid}\n`);
  await assert.rejects(lockFolder(folder), /one watch at a time/);
  // Larger than any process number of Linux.
  await writeFile(join(folder, 'lock'), '4194305\n');
  const release = await lockFolder(folder);
  await release();
  await (
    await lockFolder(folder)
  )();
});

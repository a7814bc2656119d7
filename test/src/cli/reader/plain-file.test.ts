import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readPlainFile } from '@assay/cli/reader/plain-file';
import { scratch } from '../fixture/run.ts';

test('a plain file up to its limit, and nothing else', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'file');
  await writeFile(path, 'hello');
  assert.deepEqual(await readPlainFile(path, 5), new TextEncoder().encode('hello'));
  await assert.rejects(readPlainFile(path, 4), { code: 'too_large' });
  await symlink(path, join(folder, 'link'));
  assert.equal((await readPlainFile(join(folder, 'link'), 5))?.length, 5);
});

test(
  'what is no plain file is not there, and is not waited for',
  { timeout: 60_000 },
  async (t) => {
    const folder = await scratch(t);
    await mkdir(join(folder, 'folder'));
    await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
    await symlink('/dev/zero', join(folder, 'endless'));
    await symlink('nowhere', join(folder, 'dangling'));
    await writeFile(join(folder, 'file'), '');
    for (const name of ['none', 'folder', 'pipe', 'endless', 'dangling', 'file/below']) {
      assert.equal(await readPlainFile(join(folder, name), 1_000_000), undefined, name);
    }
  },
);

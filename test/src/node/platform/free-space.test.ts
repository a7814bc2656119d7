import assert from 'node:assert/strict';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { freeSpace } from '@assay/node/platform/free-space';

test('free space: what the file system has, and the least of several', async () => {
  const { bsize, blocks } = await statfs(tmpdir());
  const one = await freeSpace(tmpdir());
  assert.ok(one.bytes > 0 && one.bytes <= bsize * blocks);
  assert.ok(one.files === undefined || one.files > 0);
  // /proc has no bytes and counts no files.
  const both = await freeSpace(tmpdir(), '/proc');
  assert.equal(both.bytes, 0);
  assert.equal(typeof both.files, typeof one.files);
  await assert.rejects(freeSpace(tmpdir(), '/nowhere/at/all'), { code: 'ENOENT' });
});

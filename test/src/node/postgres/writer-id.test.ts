import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writerId } from '@assay/node/postgres/writer-id';

test('writer id: it is made once, and another folder has another', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-writer-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'writer');
  const id = await writerId(path);
  assert.equal(await writerId(path), id);
  assert.notEqual(await writerId(join(folder, 'other')), id);
  await writeFile(path, 'somebody');
  await assert.rejects(writerId(path), { code: 'guard_corrupt' });
});

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/commitment';
import { nodeSha256 } from '@assay/node/node-sha256';
import { FileOpenings, MemoryOpenings, type Openings } from '@assay/node/openings';
import { SOME_HASH } from '../core/fixture.ts';

const SALT = new Uint8Array(32).fill(9);
const VALUE = -7n;
const COMMITMENT = commitmentOf(nodeSha256, SALT, VALUE);

async function folder(t: { after(done: () => Promise<void>): void }): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'assay-openings-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return join(path, 'openings');
}

test('openings: what was put is there, in memory and on disk', async (t) => {
  const path = await folder(t);
  const all: Openings[] = [new MemoryOpenings(), await FileOpenings.open(path, nodeSha256)];
  for (const openings of all) {
    assert.equal(openings.get(COMMITMENT), undefined);
    await openings.put(COMMITMENT, { value: VALUE, salt: SALT });
    assert.deepEqual(openings.get(COMMITMENT), { value: VALUE, salt: SALT });
    assert.equal(openings.get(SOME_HASH), undefined);
  }
  const again = await FileOpenings.open(path, nodeSha256);
  assert.equal(again.get(COMMITMENT)?.value, VALUE);
  assert.deepEqual(Buffer.from(again.get(COMMITMENT)?.salt ?? ''), Buffer.from(SALT));
});

test('openings: only their owner may read them', async (t) => {
  const path = await folder(t);
  const openings = await FileOpenings.open(path, nodeSha256);
  await openings.put(COMMITMENT, { value: VALUE, salt: SALT });
  assert.equal((await stat(path)).mode & 0o077, 0);
  assert.equal((await stat(join(path, COMMITMENT))).mode & 0o077, 0);
  assert.deepEqual(await readdir(path), [COMMITMENT]);
});

test('openings: a file that opens nothing is said at once', async (t) => {
  const path = await folder(t);
  await FileOpenings.open(path, nodeSha256);
  await writeFile(join(path, SOME_HASH), `${'00'.repeat(40)}\n`);
  await assert.rejects(FileOpenings.open(path, nodeSha256), { code: 'ledger_corrupt' });
  await writeFile(join(path, SOME_HASH), 'x');
  await assert.rejects(FileOpenings.open(path, nodeSha256), { code: 'ledger_corrupt' });
});

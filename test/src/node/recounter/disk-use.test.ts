import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { diskUse } from '@assay/node/recounter/disk-use';
import { recounterFolder } from '@assay/node/recounter/recounter-folder';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

test('disk use: every file of each part, and nothing for what is not there yet', async (t) => {
  const root = await temporaryFolder(t);
  const folder = recounterFolder(root);
  const { free, ...none } = await diskUse(folder);
  assert.deepEqual(none, { own: 0, publisher: 0, peers: 0 });
  assert.ok(free > 0);
  for (const [path, bytes] of [
    [join(folder.blobs, 'ab', 'file'), 1000],
    [join(folder.blobs, 'cd', 'file'), 200],
    [join(folder.reads, 'CLAIMS', '2026-09-19.json'), 30],
    [join(folder.kept, 'ab', 'file'), 4],
    [join(folder.mirror, '000005.ldb'), 50],
    [join(folder.peers, 'one', 'log', '000001.ldb'), 600],
    [join(folder.keys, 'next.json'), 7000],
  ] as const) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.alloc(bytes));
  }
  const use = await diskUse(folder);
  assert.deepEqual([use.own, use.publisher, use.peers], [1230, 54, 600]);
});

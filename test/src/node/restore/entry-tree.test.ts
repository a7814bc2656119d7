import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leafHash } from '@assay/core/hash/hash';
import { formatHashTile, tilesOf } from '@assay/core/log/tile';
import { EntryTree } from '@assay/node/restore/entry-tree';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { filledLedger, memoryPlace } from '../ledger/ledger-fixture.ts';

test('entry tree: its tiles and its root are those of the log, at every size', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 66_000);
  const { store } = place;
  const tree = new EntryTree(nodeSha256, store);
  for await (const entry of store.entries(0, 66_001)) tree.append(leafHash(nodeSha256, entry));
  assert.equal(tree.size, 66_001);
  assert.deepEqual(tree.root(), ledger.published?.root);
  let full = 0;
  for (const { level, index, width } of tilesOf(tree.size)) {
    if (level === 'entries') continue;
    const hashes = await tree.hashes(level, index);
    assert.equal(hashes.length, width, `${level}/${index}`);
    if (width < 256) continue;
    assert.deepEqual(formatHashTile(hashes), await store.tile(level, index), `${level}/${index}`);
    full += 1;
  }
  assert.equal(full, 257 + 1);
  for (const [level, index] of [
    [0, 258],
    [1, 2],
    [3, 1],
  ] as const) {
    await assert.rejects(async () => tree.hashes(level, index), { code: 'not_found' });
  }
});

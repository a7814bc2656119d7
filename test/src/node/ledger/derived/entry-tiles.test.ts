import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryTiles } from '@assay/node/ledger/derived/entry-tiles';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { filledLedger, memoryPlace } from '../ledger-fixture.ts';

test('entry tiles: those that commits wrote as the log grew, and none of what lies behind the size', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 600);
  const { store } = place;
  for (const [size, full] of [
    [255, 0],
    [256, 1],
    [511, 1],
    [600, 2],
  ] as const) {
    let found = 0;
    for await (const { level, index, bytes } of entryTiles(nodeSha256, store, size)) {
      assert.deepEqual(bytes, await store.tile(level, index), `${level}/${index} at ${size}`);
      found += 1;
    }
    assert.equal(found, full, `${size} entries`);
  }
});

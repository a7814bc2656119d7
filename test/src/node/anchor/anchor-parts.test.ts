import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_TIMING, lookEveryMs } from '@assay/node/anchor/anchor-parts';
import { ANCHOR_LIMITS } from '@assay/node/health/concern';

test('anchor parts: two calendars, a stamp well within the hour, and time for a block', () => {
  const { required, stampEveryS, beaconEveryS, upgradeAfterS, expireAfterS } = DEFAULT_TIMING;
  assert.equal(required, 2);
  assert.ok(2 * stampEveryS < ANCHOR_LIMITS.unstampedAfterS);
  assert.equal(beaconEveryS, 3600);
  assert.ok(upgradeAfterS < expireAfterS);
  assert.ok(ANCHOR_LIMITS.pendingAfterS < expireAfterS);
});

test('anchor parts: the time between polls is short against the time between two batches', () => {
  const every = (stampEveryS: number): number => lookEveryMs({ ...DEFAULT_TIMING, stampEveryS });
  assert.deepEqual([0, 60, 600, 3600].map(every), [1000, 3000, 30_000, 30_000]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slices } from '@assay/node/ledger/store/slices';

test('slices: others have their turn when a slice is used up, and only then', async () => {
  let now = 0;
  const once = slices(() => now, 10);
  /** As many steps as lie between two looks at the clock: all but the last are never cut. */
  const step = (): Promise<void> | undefined => {
    for (let i = 0; i < 63; i += 1) assert.equal(once(), undefined);
    return once();
  };
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (turns < 3) setImmediate(turn);
  };
  assert.equal(step(), undefined);
  now = 9;
  assert.equal(step(), undefined);
  now = 10;
  setImmediate(turn);
  const waiting = step();
  assert.ok(waiting !== undefined);
  assert.equal(turns, 0);
  await waiting;
  assert.ok(turns > 0);
  assert.equal(step(), undefined, 'the next slice has begun');
  now = 20;
  assert.ok(step() !== undefined);
});

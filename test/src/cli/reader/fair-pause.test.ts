import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fairPause } from '@assay/cli/reader/fair-pause';

test('fair pause: as long as a long stretch of work, and a turn after a short one', async () => {
  let used = 5000;
  const slept: number[] = [];
  const pause = fairPause(
    () => used,
    (ms) => Promise.resolve(slept.push(ms)),
  );
  await pause();
  used += 200;
  await pause();
  assert.deepEqual(slept, []);
  used += 12_000;
  await pause();
  assert.deepEqual(slept, [12_000]);
  await pause();
  assert.deepEqual(slept, [12_000], 'what was paid for is paid');
  used += 80_000;
  await pause();
  assert.deepEqual(slept, [12_000, 30_000]);
});

test('fair pause: work that goes on beside it is measured from its own beginning', async () => {
  let used = 0;
  const slept: number[] = [];
  let wake = (): void => undefined;
  const pause = fairPause(
    () => used,
    (ms) => {
      slept.push(ms);
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
  );
  used += 9000;
  const heavy = pause();
  used += 10;
  await pause();
  assert.deepEqual(slept, [9000]);
  wake();
  await heavy;
});

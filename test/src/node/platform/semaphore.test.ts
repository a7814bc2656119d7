import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Semaphore } from '@assay/node/platform/semaphore';

test('semaphore: so many at once, the others in their order, whether or not one fails', async () => {
  const semaphore = new Semaphore(2);
  let atOnce = 0;
  let most = 0;
  const begun: number[] = [];
  const all = Array.from({ length: 7 }, (_, index) =>
    semaphore.run(async () => {
      begun.push(index);
      atOnce += 1;
      most = Math.max(most, atOnce);
      await setImmediate();
      atOnce -= 1;
      if (index % 3 === 0) throw new Error(`number ${index}`);
      return index;
    }),
  );
  const ended = await Promise.allSettled(all);
  assert.equal(most, 2);
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(
    ended.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))),
    ['Error: number 0', 1, 2, 'Error: number 3', 4, 5, 'Error: number 6'],
  );
  assert.equal(await semaphore.run(async () => 'again'), 'again');
});

test('semaphore: it says how many wait', async () => {
  const semaphore = new Semaphore(1);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const runs = [1, 2, 3].map(() => semaphore.run(() => held));
  assert.equal(semaphore.waiting, 2, 'the first one runs');
  release();
  await Promise.all(runs);
  assert.equal(semaphore.waiting, 0);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyedLock } from '@assay/node/payment/record/keyed-lock';

test('keyed lock: whoever holds several keys excludes whoever wants one of them', async () => {
  const lock = new KeyedLock();
  const order: string[] = [];
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const first = lock.runAll(['b', 'a', 'b'], async () => {
    begin();
    await held;
    order.push('first');
  });
  await begun;
  const second = lock.run('a', () => Promise.resolve(order.push('second')));
  const third = lock.run('b', () => Promise.resolve(order.push('third')));
  const free = lock.run('c', () => Promise.resolve(order.push('free')));
  await free;
  assert.deepEqual(order, ['free']);
  release();
  await Promise.all([first, second, third]);
  assert.equal(order[1], 'first');
  assert.equal(order.length, 4);
});

test('keyed lock: two calls that want the same keys in another order do not wait for each other', async () => {
  const lock = new KeyedLock();
  const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const all = Array.from({ length: 20 }, (_, i) =>
    lock.runAll(i % 2 === 0 ? ['x', 'y'] : ['y', 'x'], pause),
  );
  await Promise.all(all);
});

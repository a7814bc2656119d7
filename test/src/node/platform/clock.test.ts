import assert from 'node:assert/strict';
import { test } from 'node:test';
import { monotone, systemClock } from '@assay/node/platform/clock';

test('clock: a step back is not taken, a step forward is', () => {
  const times = [100, 99, 50, 101, 100];
  const clock = monotone(() => times.shift() ?? 0);
  assert.deepEqual([clock(), clock(), clock(), clock(), clock()], [100, 100, 100, 101, 101]);
});

test('clock: the system gives whole seconds since 1970', () => {
  const now = systemClock();
  assert.ok(Number.isInteger(now));
  assert.ok(Math.abs(now - Date.now() / 1000) < 2);
});

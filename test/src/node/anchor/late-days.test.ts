import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LateDays } from '@assay/node/anchor/late-days';

test('late days: three days with an answer, or thirty without one, whatever is asked within a day', () => {
  for (const [answered, most] of [
    [true, 3],
    [false, 30],
  ] as const) {
    let now = 0;
    const days = new LateDays(() => now, 100);
    let first: number | undefined;
    for (; now < 4000; now += 10) {
      days.asked(1, 'a', answered);
      if (days.enough(1, 'a')) first ??= now;
    }
    assert.equal(first, (most - 1) * 100);
    assert.equal(days.enough(1, 'b'), false);
    assert.equal(days.enough(2, 'a'), false);
    days.forget(1);
    assert.equal(days.enough(1, 'a'), false);
  }
});

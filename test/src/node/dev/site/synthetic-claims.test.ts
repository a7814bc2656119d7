import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDate } from '@assay/core/time/time';
import {
  syntheticFirstPrint,
  syntheticRevised,
  syntheticWeeks,
} from '@assay/node/dev/site/synthetic-claims';

const FIRST = parseDate('2026-08-01');

test('synthetic claims: the same for the same week, always', () => {
  // Written down once: a demo that is started again must not change its past.
  const weeks = Array.from({ length: 6 }, (_, i) => FIRST + 7 * i);
  assert.deepEqual(
    weeks.map((week) => [syntheticFirstPrint(week), syntheticRevised(week)]),
    [
      [229_000, 230_000],
      [199_000, 199_000],
      [200_000, 201_000],
      [236_000, 239_000],
      [220_000, 220_000],
      [231_000, 232_000],
    ],
  );
});

test('synthetic claims: whole thousands around 215,000, revised up a little or not at all', () => {
  const seen = new Set<number>();
  for (let i = 0; i < 2000; i += 1) {
    const first = syntheticFirstPrint(FIRST + 7 * i);
    assert.ok(first >= 191_000 && first <= 239_000 && first % 1000 === 0, `${first}`);
    const up = syntheticRevised(FIRST + 7 * i) - first;
    assert.ok(up >= 0 && up <= 3000 && up % 1000 === 0);
    seen.add(up);
  }
  assert.equal(seen.size, 4);
});

test('synthetic claims: the newest week is as first printed, the ones before it revised', () => {
  assert.deepEqual(syntheticWeeks(FIRST, FIRST - 7), []);
  const newest = FIRST + 7 * 20;
  const weeks = syntheticWeeks(FIRST, newest);
  assert.equal(weeks.length, 21);
  for (const { period, claims } of weeks) {
    const expected = period === newest ? syntheticFirstPrint(period) : syntheticRevised(period);
    assert.equal(claims, expected);
  }
});

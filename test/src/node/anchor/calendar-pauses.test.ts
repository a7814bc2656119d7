import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CalendarPauses } from '@assay/node/anchor/calendar-pauses';

const A = 'http://a.example';

test('calendar pauses: a minute, then twice as long each time, at most an hour', () => {
  let now = 1000;
  const pauses = new CalendarPauses(() => now);
  assert.equal(pauses.until(A), undefined);
  const lengths: number[] = [];
  for (let i = 0; i < 9; i += 1) {
    pauses.failed(A);
    lengths.push((pauses.until(A) ?? 0) - now);
    now = pauses.until(A) ?? now;
    assert.equal(pauses.until(A), undefined);
  }
  assert.deepEqual(lengths, [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]);
  pauses.answered(A);
  pauses.failed(A);
  assert.equal(pauses.until(A), now + 60);
});

test('calendar pauses: failures that were under way together are one', () => {
  const pauses = new CalendarPauses(() => 1000);
  for (let i = 0; i < 8; i += 1) pauses.failed(A);
  assert.equal(pauses.until(A), 1060);
  assert.equal(pauses.until('http://b.example'), undefined);
});

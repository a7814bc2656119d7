import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Split } from '@assay/core/kind/split';
import { toTime } from '@assay/core/time/time';
import { SplitDays } from '@assay/verifier/terminal/split-days';
import { executedBlocks } from '../../executed-blocks.ts';

function split(at: string, symbol = 'NVDA'): Split {
  return { symbol, effective_at: toTime(at), numerator: 2, denominator: 1 } as Split;
}

test('split days: two of one asset are a day or more apart, on either side of midnight', () => {
  const days = new SplitDays();
  const first = split('2026-03-02T12:00:00Z');
  assert.equal(days.add(first), undefined);
  assert.equal(days.add(split('2026-03-03T12:00:00Z')), undefined);
  assert.equal(days.add(split('2026-03-01T12:00:00Z')), undefined);
  assert.equal(days.add(split('2026-03-02T12:00:00Z', 'AAPL')), undefined);
  assert.equal(days.add(split('2026-03-02T12:00:01Z')), first);
  assert.deepEqual(days.add(split('2026-03-04T11:59:59Z')), split('2026-03-03T12:00:00Z'));
  assert.deepEqual(days.add(split('2026-02-28T12:00:01Z')), split('2026-03-01T12:00:00Z'));
});

test('split days: one more costs about the same, however many an asset has', () => {
  const cost = (many: number): number => {
    const days = new SplitDays();
    const at = (day: number): string =>
      new Date(day * 86_400_000).toISOString().replace('.000', '');
    for (let day = 0; day < many; day += 1) days.add(split(at(day)));
    return executedBlocks(() => days.add(split(at(many))));
  };
  cost(1);
  assert.ok(cost(1000) < 2 * cost(10));
});

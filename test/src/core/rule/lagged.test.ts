import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rational, subtract } from '@assay/core/number/rational';
import { againstBase, MAX_LAG } from '@assay/core/rule/lagged';

test('lagged: each against its base, null against anything null, nothing without a base', () => {
  const series = new Map([
    [0, rational(5n)],
    [1, rational(7n)],
    [2, null],
    [3, rational(1n)],
    [5, rational(2n)],
  ]);
  assert.deepEqual(againstBase('diff', { type: 'series', series }, 'utc_day', 1, subtract), {
    type: 'series',
    series: new Map([
      [1, rational(2n)],
      [2, null],
      [3, null],
    ]),
  });
  assert.equal(MAX_LAG, 1000);
  assert.throws(() => againstBase('diff', { type: 'text', text: '' }, 'utc_day', 1, subtract), {
    message: 'diff takes series, not text',
  });
});

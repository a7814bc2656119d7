import assert from 'node:assert/strict';
import { test } from 'node:test';
import { houseForecasts, houseHandles, houseName } from '@assay/core/arena/forecast/house';
import { sha256 } from '../../fixture/fixture.ts';

test('house: the last value, and the median', () => {
  const values = (last: bigint, prints: readonly bigint[]): readonly string[] =>
    houseForecasts(sha256, last, prints).map(({ value }) => value);
  assert.deepEqual(values(5n, [5n, 1n, 9n]), ['5', '5']);
  // The lower of the middle two, so that it is a print.
  assert.deepEqual(values(9n, [9n, 1n, 3n, 7n]), ['9', '3']);
  assert.deepEqual(values(-10n, [-10n, 2n]), ['-10', '-10']);
  // As numbers, not as text.
  assert.deepEqual(values(10n, [10n, 9n, 100n]), ['10', '10']);
});

test('house: the forecasters have names that nobody else can take', () => {
  const [last, median] = houseHandles(sha256);
  assert.equal(houseName(sha256, last ?? ''), 'house-last');
  assert.equal(houseName(sha256, median ?? ''), 'house-median');
  assert.equal(houseName(sha256, '00'.repeat(16)), undefined);
  const handles = houseForecasts(sha256, 1n, [1n]).map(({ handle }) => handle);
  assert.deepEqual(handles, [last, median]);
});

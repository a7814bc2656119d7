import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staleAt } from '@assay/core/terminal/freshness';
import { utcGrid } from '@assay/core/terminal/grid';

test('freshness: half an hour day and night; over a closed market until the next tick and a quarter', () => {
  assert.equal(staleAt(utcGrid, 900 * 1000), 900 * 1000 + 1800);
  // A grid of one tick a day, at noon.
  const noon = {
    indexOf: (ts: number) => (ts % 86_400 === 43_200 ? (ts - 43_200) / 86_400 : undefined),
    timeOf: (index: number) => index * 86_400 + 43_200,
  };
  assert.equal(staleAt(noon, 43_200), 43_200 + 86_400 + 900);
  // A tick that is not of the grid: as one of every quarter of an hour.
  assert.equal(staleAt(noon, 44_100), 44_100 + 1800);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_HEADERS, MAX_HEIGHT, requireRange } from '@assay/node/bitcoin/header-source';

test('header source: what a caller may ask for', () => {
  requireRange(0, 1);
  requireRange(MAX_HEIGHT, MAX_HEADERS);
  for (const [from, count] of [
    [-1, 1],
    [0.5, 1],
    [MAX_HEIGHT + 1, 1],
    [Number.NaN, 1],
    [0, 0],
    [0, MAX_HEADERS + 1],
    [0, 1.5],
  ] as const) {
    assert.throws(() => requireRange(from, count), TypeError, `${from} ${count}`);
  }
});

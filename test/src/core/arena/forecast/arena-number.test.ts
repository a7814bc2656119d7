import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arenaNumber, NO_ARENA_NUMBER } from '@assay/core/arena/forecast/arena-number';

const of = (values: Readonly<Record<string, bigint>>): ReadonlyMap<string, bigint> =>
  new Map(Object.entries(values));
const TOP = [
  { handle: 'a', weight: 9000 },
  { handle: 'b', weight: 3000 },
  { handle: 'c', weight: 0 },
];

test('arena number: weighted as frozen, and rounded half away from zero', () => {
  assert.deepEqual(arenaNumber(TOP, of({ a: 100n, b: 200n })), { value: '125', n: 2 });
  assert.deepEqual(arenaNumber(TOP, of({ a: 1n, b: 3n })), { value: '2', n: 2 });
  assert.deepEqual(arenaNumber(TOP, of({ a: -1n, b: -3n })), { value: '-2', n: 2 });
  assert.deepEqual(arenaNumber(TOP, of({ a: 100n, b: 200n, z: 9n })), { value: '125', n: 2 });
});

test('arena number: whoever did not open has no part in it', () => {
  assert.deepEqual(arenaNumber(TOP, of({ b: 200n })), { value: '200', n: 1 });
  assert.deepEqual(arenaNumber(TOP, of({ b: 200n, c: 1n })), { value: '200', n: 2 });
  assert.deepEqual(arenaNumber(TOP, of({ c: 1n })), { value: null, n: 1 });
  assert.deepEqual(arenaNumber(TOP, of({})), NO_ARENA_NUMBER);
  assert.deepEqual(arenaNumber([], of({ a: 1n })), NO_ARENA_NUMBER);
});

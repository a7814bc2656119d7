import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standings } from '@assay/core/arena/standing';
import { vectors } from '../fixture/fixture.ts';
import { ARENA } from './arena-log.ts';
import { type ArenaCase, resultOf } from './arena-cases.ts';
import { exampleArena } from './example-arena.ts';

// Made by another program, from the page of the specification alone (test/interop/arena.py).

test('arena cases: points, order, means, arena numbers, names, ids and messages', () => {
  const cases =
    vectors<readonly { readonly case: ArenaCase; readonly result: unknown }[]>('arena/cases');
  const types = new Set(cases.map((each) => each.case.type));
  assert.deepEqual(
    types,
    new Set(['points', 'order', 'mean', 'arena', 'name', 'handle', 'message']),
  );
  for (const { case: each, result } of cases) {
    assert.deepEqual(resultOf(each), result, JSON.stringify(each));
  }
});

test('arena cases: the standings of the example', () => {
  assert.deepEqual(standings(exampleArena().views, ARENA), vectors('arena/standings'));
});

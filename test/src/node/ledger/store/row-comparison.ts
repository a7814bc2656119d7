import assert from 'node:assert/strict';
import type { ViewState } from '@assay/core/view/view';

/** The tables of rows that tests make. */
export const ROW_TABLES = ['a', 'b', 'a/b'] as const;

/** Compares rows by their keys, and in listings up and down. */
export function requireSameRows(state: ViewState, model: ViewState): void {
  for (const table of ROW_TABLES) {
    assert.deepEqual([...state.list(table)], [...model.list(table)]);
    assert.deepEqual([...state.descend(table)], [...model.descend(table)]);
    for (const key of ['0', '3', '5', '9']) {
      assert.deepEqual([...state.descend(table, key)], [...model.descend(table, key)]);
      assert.deepEqual(state.get(table, key), model.get(table, key));
    }
  }
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ViewWrite } from '@assay/core/view/view';
import { ChangedRows } from '@assay/verifier/log/changed-rows';

const row = (table: string, key: string, value: number): ViewWrite => ({ table, key, value });

test('changed rows: those that were written after a load, as they are now', () => {
  const rows = new ChangedRows();
  rows.load([row('a', '1', 1), row('a', '2', 2)]);
  rows.load([row('b', '1', 3)]);
  assert.deepEqual([...(rows.changed ?? [])], []);
  rows.write([row('a', '2', 5)]);
  rows.write([row('a', '3', 6), row('a', '2', 7)]);
  assert.deepEqual([...(rows.changed ?? [])], [row('a', '2', 7), row('a', '3', 6)]);
  const all = [row('a', '1', 1), row('a', '2', 7), row('a', '3', 6), row('b', '1', 3)];
  assert.deepEqual([...rows.all()], all);
});

test('changed rows: without a load nobody knows which have changed', () => {
  const rows = new ChangedRows();
  rows.write([row('a', '1', 1)]);
  assert.equal(rows.changed, undefined);
  assert.deepEqual([...rows.all()], [row('a', '1', 1)]);
});

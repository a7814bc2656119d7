import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sumOf } from '@assay/node/ledger/store/sealed-row';
import type { SealedRow } from '@assay/node/ledger/store/store';
import { checkRows } from '@assay/node/ledger/store/stored-rows';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { sealed } from '../ledger-fixture.ts';

const row = (table: string, key: string, text: string): SealedRow =>
  sealed({ table, key, value: Buffer.from(text) });

const ROWS = [row('own', 'x', '"mine"'), row('t', 'a', '{"n":1}'), row('t', 'b', '{"n":2}')];

const storeOf = (rows: readonly SealedRow[]) => ({
  async *views() {
    yield* rows;
  },
});

test('stored rows: those of the caller’s own table are returned', async () => {
  const own = await checkRows(nodeSha256, storeOf(ROWS), sumOf(ROWS), 'own');
  assert.deepEqual(own, [ROWS[0]]);
  assert.deepEqual(await checkRows(nodeSha256, storeOf(ROWS), sumOf(ROWS)), []);
});

test('stored rows: others than those of the head are corrupt', async () => {
  const corrupt = { name: 'Fault', code: 'ledger_corrupt' };
  const [own, a, b] = ROWS as [SealedRow, SealedRow, SealedRow];
  for (const rows of [
    [],
    [own, a],
    [own, a, a],
    [own, a, row('t', 'b', '{"n":3}')],
    [own, a, b, row('t', 'c', '1')],
    [own, a, { ...b, value: Buffer.from('{"n":3}') }],
    [{ ...own, digest: a.digest }, a, b],
  ]) {
    await assert.rejects(checkRows(nodeSha256, storeOf(rows), sumOf(ROWS), 'own'), corrupt);
  }
  const fewer = { ...sumOf(ROWS), rows: 2 };
  await assert.rejects(checkRows(nodeSha256, storeOf(ROWS), fewer, 'own'), corrupt);
});

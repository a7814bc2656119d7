import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewWrite } from '@assay/core/view/view';
import {
  openRow,
  RowSealer,
  sealedRows,
  sealRow,
  sumOf,
} from '@assay/node/ledger/store/sealed-row';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const VALUE = Buffer.from('{"a":1}');
const ROW = sealRow(nodeSha256, { table: 't', key: 'k', value: VALUE });

test('sealed row: it opens as what was sealed', () => {
  assert.deepEqual(openRow(nodeSha256, ROW), { table: 't', key: 'k', value: { a: 1 } });
});

test('sealed row: a bit of value or digest, another table or key, and no JSON are corrupt', () => {
  const corrupt = { name: 'Fault', code: 'ledger_corrupt', message: /view row/ };
  for (let at = 0; at < VALUE.length; at += 1) {
    const value = Uint8Array.from(VALUE);
    value[at] = (value[at] as number) ^ 1;
    assert.throws(() => openRow(nodeSha256, { ...ROW, value }), corrupt);
  }
  for (let at = 0; at < 32; at += 1) {
    const digest = Uint8Array.from(ROW.digest);
    digest[at] = (digest[at] as number) ^ 1;
    assert.throws(() => openRow(nodeSha256, { ...ROW, digest }), corrupt);
  }
  for (const change of [{ table: 'u' }, { key: 'l' }, { digest: new Uint8Array(0) }]) {
    assert.throws(() => openRow(nodeSha256, { ...ROW, ...change }), corrupt);
  }
  const spaced = sealRow(nodeSha256, { ...ROW, value: Buffer.from('{"a": 1}') });
  assert.throws(() => openRow(nodeSha256, spaced), corrupt);
});

test('sealed row: the sum follows what is written, whether a row is new or in the place of another', () => {
  const views = new MemoryViews();
  const sealer = new RowSealer(nodeSha256);
  const writes: readonly ViewWrite[] = [
    { table: 't', key: 'a', value: { n: 1 } },
    { table: 't', key: 'b', value: { n: 1 } },
    { table: 't', key: 'a', value: { n: 2 } },
    { table: 'u', key: 'a', value: 'x' },
    { table: 't', key: 'a', value: { n: 2 } },
    { table: 'u', key: 'a', value: null },
    { table: 'u', key: 'a', value: 'y' },
  ];
  for (const write of writes) {
    sealer.seal(write, views.get(write.table, write.key));
    views.write([write]);
    assert.deepEqual(sealer.sum, sumOf(sealedRows(nodeSha256, views)));
  }
  const on = new RowSealer(nodeSha256, sealer.sum);
  const first = on.sealBytes({ table: 'v', key: 'a', value: VALUE }, undefined);
  const second = on.sealBytes({ table: 'v', key: 'a', value: Buffer.from('1') }, first.digest);
  assert.deepEqual(on.sum, sumOf([...sealedRows(nodeSha256, views), second]));
});

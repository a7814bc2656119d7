import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetInstructions, limitFor } from '@assay/chain/client/compute-budget';
import { formatHex } from '@assay/core/bytes/hex';

test('compute budget: the two instructions, byte by byte', () => {
  const [limit, price] = budgetInstructions({ units: 0x01_02_03, price: 0x0a_0b_0c_0d_0en });
  assert.equal(formatHex(limit?.data as Uint8Array), '0203020100');
  assert.equal(formatHex(price?.data as Uint8Array), '030e0d0c0b0a000000');
  for (const each of [limit, price]) {
    assert.equal(each?.programAddress, 'ComputeBudget111111111111111111111111111111');
  }
});

test('compute budget: a fifth more than was used, rounded up, at most what there is', () => {
  assert.equal(limitFor(1000n), 1200);
  assert.equal(limitFor(1001n), 1202);
  assert.equal(limitFor(1_399_999n), 1_400_000);
});

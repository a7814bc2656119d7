import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Hash } from '@assay/core/hash/hash';
import { isSameSum, RowsRoot } from '@assay/core/view/rows-root';

const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }) as fc.Arbitrary<Hash>;
const MODULUS = 2n ** 256n;

/** A digest as the integer that it is. */
function integerOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function hexOf(integer: bigint): string {
  const big = integer.toString(16).padStart(64, '0');
  return Buffer.from(big, 'hex').reverse().toString('hex');
}

test('rows root: the sum of the digests modulo 2^256, and their number', () => {
  fc.assert(
    fc.property(fc.array(digest), (digests) => {
      const root = new RowsRoot();
      for (const each of digests) root.add(each);
      const sum = digests.reduce((all, each) => all + integerOf(each), 0n) % MODULUS;
      assert.deepEqual(root.sum(), { rows: digests.length, rows_root: hexOf(sum) });
    }),
  );
  const ones = new Uint8Array(32).fill(255) as Hash;
  const root = new RowsRoot();
  root.add(ones);
  root.add(ones);
  assert.deepEqual(root.sum(), { rows: 2, rows_root: `fe${'ff'.repeat(31)}` });
});

test('rows root: in whatever order, and what is taken out was never there', () => {
  fc.assert(
    fc.property(fc.array(digest), fc.array(digest), (stay, go) => {
      const root = new RowsRoot();
      for (const each of [...go, ...stay]) root.add(each);
      for (const each of go.toReversed()) root.remove(each);
      const plain = new RowsRoot();
      for (const each of stay.toReversed()) plain.add(each);
      assert.ok(isSameSum(root.sum(), plain.sum()));
      const on = new RowsRoot(plain.sum());
      for (const each of go) on.add(each);
      for (const each of go) root.add(each);
      assert.ok(isSameSum(on.sum(), root.sum()));
    }),
  );
});

test('rows root: one bit, one row more, one less or another number of them is another sum', () => {
  const one = new Uint8Array(32).fill(7) as Hash;
  const root = new RowsRoot();
  root.add(one);
  for (let at = 0; at < 256; at += 1) {
    const flipped = Uint8Array.from(one) as Hash;
    flipped[at >> 3] = (flipped[at >> 3] as number) ^ (1 << (at & 7));
    const other = new RowsRoot();
    other.add(flipped);
    assert.equal(isSameSum(root.sum(), other.sum()), false, `bit ${at}`);
  }
  assert.equal(isSameSum(root.sum(), new RowsRoot().sum()), false);
  assert.equal(isSameSum(root.sum(), { ...root.sum(), rows: 2 }), false);
});

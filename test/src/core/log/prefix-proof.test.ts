import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { type Hash, leafHash, toHash } from '@assay/core/hash/hash';
import { prefixRanges, prefixRoots } from '@assay/core/log/prefix-proof';
import { consistencyRanges, rootOf } from '@assay/core/log/tree';
import { sha256 } from '../fixture/fixture.ts';

const LEAVES: readonly Hash[] = Array.from({ length: 40 }, (_, i) =>
  leafHash(sha256, Uint8Array.of(i)),
);

function hashesOf(oldSize: number, newSize: number): Hash[] {
  return prefixRanges(oldSize, newSize).map(({ start, end }) =>
    rootOf(sha256, LEAVES.slice(start, end)),
  );
}

test('prefix proof: gives both roots, for every pair of sizes', () => {
  for (let newSize = 2; newSize <= LEAVES.length; newSize += 1) {
    for (let oldSize = 1; oldSize < newSize; oldSize += 1) {
      const roots = prefixRoots(sha256, oldSize, newSize, hashesOf(oldSize, newSize));
      assert.deepEqual(roots.old, rootOf(sha256, LEAVES.slice(0, oldSize)));
      assert.deepEqual(roots.new, rootOf(sha256, LEAVES.slice(0, newSize)));
    }
  }
});

test('prefix proof: one more hash than RFC 6962 at a power of two, the same otherwise', () => {
  for (let newSize = 2; newSize <= LEAVES.length; newSize += 1) {
    for (let oldSize = 1; oldSize < newSize; oldSize += 1) {
      const own = prefixRanges(oldSize, newSize);
      const rfc = consistencyRanges(oldSize, newSize);
      const power = Number.isInteger(Math.log2(oldSize));
      assert.deepEqual(own, power ? [{ start: 0, end: oldSize }, ...rfc] : rfc);
    }
  }
});

test('prefix proof: no other hashes lead to the new root', () => {
  const proof = hashesOf(6, 11);
  const expected = prefixRoots(sha256, 6, 11, proof);
  for (const [i, hash] of proof.entries()) {
    const other = Uint8Array.from(hash);
    other[7] = (other[7] as number) ^ 1;
    const roots = prefixRoots(sha256, 6, 11, proof.with(i, toHash(other)));
    assert.notDeepEqual(roots.new, expected.new);
  }
});

test('prefix proof: sizes and lengths that are none', () => {
  const refusal = (run: () => unknown): string => {
    try {
      run();
      return 'taken';
    } catch (error) {
      return faultCode(error) ?? String(error);
    }
  };
  for (const [oldSize, newSize] of [
    [0, 4],
    [4, 4],
    [5, 4],
    [-1, 4],
    [1.5, 4],
    [1, Number.NaN],
  ] as const) {
    assert.equal(
      refusal(() => prefixRanges(oldSize, newSize)),
      'out_of_range',
    );
  }
  const proof = hashesOf(3, 7);
  assert.equal(
    refusal(() => prefixRoots(sha256, 3, 7, proof.slice(1))),
    'bad_proof',
  );
  assert.equal(
    refusal(() => prefixRoots(sha256, 3, 7, [])),
    'bad_proof',
  );
  assert.equal(
    refusal(() => prefixRoots(sha256, 3, 7, [...proof, ...proof.slice(1)])),
    'bad_proof',
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import { hashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import {
  type BatchLeaf,
  batchTree,
  formatLeafProof,
  nonceOf,
  proofOf,
} from '@assay/core/ots/batch';
import { evaluate } from '@assay/core/ots/evaluate';
import { apply } from '@assay/core/ots/operation';
import { formatProof, parseProof } from '@assay/core/ots/proof';
import { formatTimestamp, parseTimestamp } from '@assay/core/ots/timestamp';
import fc from 'fast-check';
import { sha256, vectors } from '../fixture/fixture.ts';
import { chainOf, DIGEST, HASHES, timestamps } from './fixture.ts';

const SALT = new Uint8Array(32).fill(7);

function leavesOf(count: number): readonly BatchLeaf[] {
  return Array.from({ length: count }, (_, i) => ({
    digest: sha256(Uint8Array.of(i, i >> 8)),
    nonce: nonceOf(sha256, SALT, i),
  }));
}

test('batch: the vectors, their nonces, tip and files', () => {
  interface Case {
    readonly name: string;
    readonly salt: string;
    readonly digests: readonly string[];
    readonly nonces: readonly string[];
    readonly tip: string;
    readonly timestamp: string;
    readonly files: readonly string[];
  }
  const cases = vectors<readonly Case[]>('ots/batch');
  assert.ok(cases.length >= 7);
  for (const { name, salt, digests, nonces, tip, timestamp, files } of cases) {
    const leaves = digests.map((digest, i) => ({
      digest: parseHex(digest),
      nonce: nonceOf(sha256, parseHex(salt), i),
    }));
    assert.deepEqual(
      leaves.map(({ nonce }) => formatHex(nonce)),
      nonces,
      name,
    );
    const tree = batchTree(sha256, leaves);
    assert.equal(hashHex(tree.tip), tip, name);
    assert.deepEqual(
      leaves.map(({ digest }, i) =>
        formatHex(formatLeafProof(digest, tree.pathOf(i), parseHex(timestamp))),
      ),
      files,
      name,
    );
  }
});

test('batch: every path leads to the tip, for every number of leaves', () => {
  for (const count of [...Array.from({ length: 40 }, (_, i) => i + 1), 255, 256, 257, 1000]) {
    const leaves = leavesOf(count);
    const { tip, pathOf } = batchTree(sha256, leaves);
    for (const [i, { digest }] of leaves.entries()) {
      let message: Uint8Array = digest;
      for (const operation of pathOf(i)) message = apply(operation, message, HASHES);
      assert.deepEqual(new Uint8Array(message), new Uint8Array(tip), `leaf ${i} of ${count}`);
    }
    for (const index of [-1, count, 0.5]) assert.throws(() => pathOf(index), TypeError);
  }
});

test('batch: one leaf is its own tip, and a leaf is no node', () => {
  const [leaf] = leavesOf(1) as [BatchLeaf];
  const { tip, pathOf } = batchTree(sha256, [leaf]);
  assert.deepEqual(tip, sha256(concatBytes(leaf.digest, leaf.nonce)));
  assert.equal(pathOf(0).length, 2);
  assert.throws(() => batchTree(sha256, []), TypeError);
});

test('batch: a leaf’s file is that of its proof, and reads back to the tip', () => {
  const leaves = leavesOf(21);
  const { tip, pathOf } = batchTree(sha256, leaves);
  fc.assert(
    fc.property(timestamps, fc.nat({ max: 20 }), (timestamp, i) => {
      const { digest } = leaves[i] as BatchLeaf;
      const bytes = formatLeafProof(digest, pathOf(i), formatTimestamp(timestamp));
      assert.deepEqual(bytes, formatProof(proofOf(digest, pathOf(i), timestamp)));
      const proof = parseProof(bytes);
      assert.deepEqual(
        evaluate(proof.timestamp, proof.digest, HASHES),
        evaluate(parseTimestamp(formatTimestamp(timestamp), 32), tip, HASHES),
      );
    }),
  );
});

test('batch: a tip as deep as its path leaves room for', () => {
  const [leaf] = leavesOf(1) as [BatchLeaf];
  const path = batchTree(sha256, [leaf]).pathOf(0);
  const file = (depth: number): Uint8Array =>
    formatLeafProof(leaf.digest, path, formatTimestamp(chainOf(depth)));
  assert.doesNotThrow(() => parseProof(file(253)));
  assert.throws(() => parseProof(file(254)), { code: 'bad_proof' });
  assert.throws(() => formatProof(proofOf(leaf.digest, path, chainOf(254))), { code: 'bad_proof' });
});

test('batch: digests of 32 bytes, nonces of 16, salts of 32', () => {
  const nonce = new Uint8Array(16);
  const tip = formatTimestamp(chainOf(0));
  for (const length of [0, 31, 33]) {
    const bad = new Uint8Array(length);
    assert.throws(() => batchTree(sha256, [{ digest: bad, nonce }]), { code: 'bad_length' });
    assert.throws(() => formatLeafProof(bad, [], tip), { code: 'bad_length' });
    assert.throws(() => nonceOf(sha256, bad, 0), { code: 'bad_length' });
  }
  for (const length of [0, 15, 17]) {
    const leaf = { digest: DIGEST, nonce: new Uint8Array(length) };
    assert.throws(() => batchTree(sha256, [leaf]), { code: 'bad_length' });
  }
});

test('batch: a nonce is 16 bytes of its own, of an index that is a u32', () => {
  const first = nonceOf(sha256, SALT, 0);
  assert.equal(first.buffer.byteLength, 16);
  const input = (place: readonly number[]): Uint8Array =>
    concatBytes(Buffer.from('assay/nonce/v1\0'), SALT, Uint8Array.from(place));
  for (const [index, place] of [
    [0, [0, 0, 0, 0]],
    [0x01_02_03_04, [4, 3, 2, 1]],
    [0xffff_ffff, [0xff, 0xff, 0xff, 0xff]],
  ] as const) {
    const whole = new Uint8Array(sha256(input(place)));
    assert.deepEqual(nonceOf(sha256, SALT, index), whole.slice(0, 16));
  }
  for (const index of [-1, 0.5, 2 ** 32]) {
    assert.throws(() => nonceOf(sha256, SALT, index), TypeError);
  }
});

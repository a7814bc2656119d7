import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import {
  contentHash,
  hashHex,
  leafHash,
  nodeHash,
  taggedBytes,
  toHash,
  toHashHex,
  ZERO_HASH_HEX,
} from '@assay/core/hash/hash';
import fc from 'fast-check';
import { sha256 } from '../fixture/fixture.ts';

test('hash: leaf, node and content are distinguished by their first byte', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array({ minLength: 64, maxLength: 64 }), (bytes, pair) => {
      const left = pair.subarray(0, 32);
      const right = pair.subarray(32);
      assert.deepEqual(leafHash(sha256, bytes), sha256(concatBytes(Uint8Array.of(0), bytes)));
      assert.deepEqual(nodeHash(sha256, left, right), sha256(concatBytes(Uint8Array.of(1), pair)));
      assert.deepEqual(contentHash(sha256, bytes), sha256(bytes));
    }),
  );
});

test('hash: a leaf of any length, whatever was hashed before it', () => {
  for (const length of [65_535, 65_536, 65_537, 3, 0]) {
    const bytes = new Uint8Array(length).fill(length % 251);
    assert.deepEqual(leafHash(sha256, bytes), sha256(concatBytes(Uint8Array.of(0), bytes)));
  }
});

test('hash: a node takes hashes of 32 bytes', () => {
  const good = new Uint8Array(32);
  for (const length of [0, 31, 33]) {
    const bad = new Uint8Array(length);
    assert.throws(() => nodeHash(sha256, bad, good), { code: 'bad_length' });
    assert.throws(() => nodeHash(sha256, good, bad), { code: 'bad_length' });
    assert.throws(() => toHash(bad), { code: 'bad_length' });
  }
});

test('hash: hex is 64 lower-case digits', () => {
  const hash = toHash(sha256(new Uint8Array(0)));
  const text = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  assert.equal(hashHex(hash), text);
  assert.equal(toHashHex(text), text);
  assert.equal(ZERO_HASH_HEX, '0'.repeat(64));
  for (const bad of ['', text.slice(1), `${text}0`, text.toUpperCase(), `0x${text.slice(2)}`]) {
    assert.throws(() => toHashHex(bad), { code: 'bad_hex' }, bad);
  }
});

test('hash: a tagged string is its tag, a zero and its parts', () => {
  const bytes = taggedBytes('assay/series/v1', Uint8Array.of(1), Uint8Array.of(2, 3));
  assert.deepEqual(Buffer.from(bytes), Buffer.from('assay/series/v1\0\u0001\u0002\u0003'));
});

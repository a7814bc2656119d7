import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { HASH_BYTES, type OtsHashName, otsHashes } from '@assay/core/ots/hashes';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { sha256 } from '../fixture/fixture.ts';
import { HASHES } from './fixture.ts';

test('hashes: each of "abc", as its publication has it', () => {
  // FIPS 180 for SHA, the RIPEMD-160 page of its authors, and Keccak before the padding of SHA-3.
  const expected: Readonly<Record<OtsHashName, string>> = {
    sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
    ripemd160: '8eb208f7e05d987a9b044a8e98c6b087f15a0bfc',
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    keccak256: '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
  };
  for (const name of Object.keys(HASH_BYTES) as OtsHashName[]) {
    const digest = HASHES[name](formatUtf8('abc'));
    assert.equal(formatHex(digest), expected[name], name);
    assert.equal(digest.length, HASH_BYTES[name], name);
  }
});

test('hashes: SHA-256 is the caller’s', () => {
  assert.equal(otsHashes(sha256).sha256, sha256);
});

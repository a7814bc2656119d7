import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/hash/commitment';
import { sampleReport, sha256 } from '../fixture/fixture.ts';

test('commitment: the one of the withheld report, made by another program', () => {
  const { commitment } = sampleReport('withheld');
  assert.equal(commitmentOf(sha256, new Uint8Array(32).fill(0x11), 218_000n), commitment);
});

test('commitment: salt and sign count, and the salt has 32 bytes', () => {
  const salt = new Uint8Array(32);
  const all = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)].map((value) =>
    commitmentOf(sha256, salt, value),
  );
  assert.equal(new Set(all).size, all.length);
  assert.notEqual(commitmentOf(sha256, new Uint8Array(32).fill(1), 0n), all[0]);
  assert.throws(() => commitmentOf(sha256, new Uint8Array(31), 0n), { code: 'bad_length' });
});

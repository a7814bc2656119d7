import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HashHex, toHashHex } from '@assay/core/hash/hash';
import { BlobsAhead } from '@assay/verifier/terminal/blobs-ahead';

const hashOf = (n: number): HashHex => toHashHex(n.toString(16).padStart(64, '0'));

test('blobs ahead: each is read once, a few at a time, and given to whoever asks', async () => {
  const asked: string[] = [];
  const blobs = new BlobsAhead((hash, place) => {
    asked.push(`${place} ${Number.parseInt(hash, 16)}`);
    return Promise.resolve(Uint8Array.of(Number.parseInt(hash, 16)));
  });
  for (let n = 0; n < 20; n += 1) blobs.prefetch(hashOf(n), `entry ${n}`);
  assert.equal(asked.length, 8);
  for (let n = 0; n < 20; n += 1) {
    assert.deepEqual(await blobs.take(hashOf(n), `entry ${n}`), Uint8Array.of(n));
    assert.equal(asked.length, Math.min(20, n + 9));
  }
  assert.equal(new Set(asked).size, 20);
  // What nobody announced is read when it is asked for, and read again when it is asked for again.
  for (const _ of [0, 1]) await blobs.take(hashOf(3), 'entry 30');
  assert.deepEqual(asked.slice(20), ['entry 30 3', 'entry 30 3']);
});

test('blobs ahead: what could not be read is thrown at whoever asks', async () => {
  const blobs = new BlobsAhead(() => Promise.reject(new Error('gone')));
  blobs.prefetch(hashOf(1), 'entry 1');
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(blobs.take(hashOf(1), 'entry 1'), /gone/);
});

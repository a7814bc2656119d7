import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobIndex } from '@assay/node/blob/blob-index';

/** A hash whose first bytes are those of a number: some of them have the same. */
function hashOf(number: number): Uint8Array {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(0, number % 5000, true);
  return hash;
}

test('blob index: every place is found again, and places of the same beginning in their order', () => {
  const index = new BlobIndex();
  const most = 20_000;
  for (let i = 0; i < most; i += 1) index.add(hashOf(i), { pack: i % 7, at: i });
  assert.equal(index.count, most);
  for (let i = 0; i < 5000; i += 1) {
    const expected = [i, i + 5000, i + 10_000, i + 15_000].map((at) => ({ pack: at % 7, at }));
    assert.deepEqual(index.places(hashOf(i)), expected);
  }
  const none = new Uint8Array(32).fill(255);
  assert.deepEqual(index.places(none), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LevelBytes } from '@assay/node/ledger/store/level-bytes';

test('level bytes: numbers of seven bits a byte, and strings behind their length', () => {
  const bytes = new LevelBytes(Uint8Array.of(0x00, 0x7f, 0x80, 0x01, 0xac, 0x02, 2, 65, 66));
  assert.deepEqual(
    Array.from({ length: 4 }, () => bytes.varint()),
    [0, 127, 128, 300],
  );
  assert.deepEqual([...bytes.string()], [65, 66]);
  assert.ok(bytes.isAtEnd);
});

test('level bytes: what ends too early or is too large is refused', () => {
  assert.throws(() => new LevelBytes(Uint8Array.of(0x80)).varint(), RangeError);
  assert.throws(() => new LevelBytes(Uint8Array.of(3, 65)).string(), RangeError);
  assert.throws(() => new LevelBytes(new Uint8Array(12).fill(0xff)).varint(), RangeError);
  const largest = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f);
  assert.equal(new LevelBytes(largest).varint(), Number.MAX_SAFE_INTEGER);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex, isHex, parseHex } from '@assay/core/bytes/hex';
import fc from 'fast-check';

test('hex: every byte string survives the round trip', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = formatHex(bytes);
      assert.equal(text, Buffer.from(bytes).toString('hex'));
      assert.deepEqual(parseHex(text), bytes);
      assert.ok(isHex(text, bytes.length));
    }),
  );
});

test('hex: only lower-case pairs are taken', () => {
  for (const text of ['0', 'AB', '0g', ' 0', '0x00']) {
    assert.throws(() => parseHex(text), { code: 'bad_hex' }, text);
    assert.equal(isHex(text, Math.floor(text.length / 2)), false, text);
  }
  assert.throws(() => parseHex('00', 2), { code: 'bad_length' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32c, maskedCrc32c } from '@assay/node/ledger/store/crc32c';

test('crc32c: the examples of RFC 3720, appendix B.4, and the check value of the catalogue', () => {
  const ascending = Uint8Array.from({ length: 32 }, (_, i) => i);
  assert.equal(crc32c(new Uint8Array(32)), 0x8a9136aa);
  assert.equal(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43);
  assert.equal(crc32c(ascending), 0x46dd794e);
  assert.equal(crc32c(ascending.toReversed()), 0x113fdb5c);
  assert.equal(crc32c(new TextEncoder().encode('123456789')), 0xe3069283);
  assert.equal(crc32c(new Uint8Array()), 0);
});

test('crc32c: a part of the bytes, wherever it begins, has the checksum of that part', () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, i) => (i * 37) & 0xff);
  for (let start = 0; start < 9; start += 1) {
    for (let end = start; end < 40; end += 1) {
      assert.equal(crc32c(bytes, start, end), crc32c(bytes.slice(start, end)));
    }
  }
});

test('crc32c: the masked one can be turned back', () => {
  const masked = maskedCrc32c(new TextEncoder().encode('123456789'));
  const rotated = (masked - 0xa282ead8) >>> 0;
  assert.equal(((rotated >>> 17) | (rotated << 15)) >>> 0, 0xe3069283);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUuid8, uuidBytes } from '@assay/core/bytes/uuid';

test('uuid: version and variant replace six bits, whatever they were', () => {
  assert.equal(formatUuid8(new Uint8Array(16)), '00000000-0000-8000-8000-000000000000');
  assert.equal(formatUuid8(new Uint8Array(16).fill(255)), 'ffffffff-ffff-8fff-bfff-ffffffffffff');
  assert.throws(() => formatUuid8(new Uint8Array(15)), { code: 'bad_length' });
});

test('uuid: the bytes of its text, and nothing else', () => {
  const bytes = Uint8Array.from({ length: 16 }, (_, i) => i);
  const own = bytes.slice();
  const text = formatUuid8(bytes);
  assert.deepEqual(bytes, own, 'the argument is not written to');
  assert.equal(formatUuid8(uuidBytes(text)), text);
  assert.equal(uuidBytes(text)[6], 0x86);
  assert.throws(() => uuidBytes(text.toUpperCase().replace('0', 'G')), { code: 'bad_hex' });
  assert.throws(() => uuidBytes(text.slice(1)));
});

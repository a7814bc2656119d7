import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hexAt, requireExact, viewOf } from '@assay/core/feed/account-bytes';
import { faultCode } from '@assay/core/fault';

test('account bytes: views begin where their bytes do', () => {
  const bytes = Uint8Array.of(9, 1, 2, 3, 4).subarray(1);
  assert.equal(viewOf(bytes).getUint32(0, true), 0x04030201);
  assert.equal(
    hexAt(
      Uint8Array.from({ length: 40 }, (_, i) => i),
      8,
    ).slice(0, 6),
    '08090a',
  );
});

test('account bytes: a byte that the format does not write is found', () => {
  const format = (value: number): Uint8Array => Uint8Array.of(value, 0);
  assert.equal(requireExact('x', Uint8Array.of(5, 0), 5, format), 5);
  assert.throws(
    () => requireExact('x', Uint8Array.of(5, 7), 5, format),
    (error) => faultCode(error) === 'malformed' && String(error).includes('byte 1'),
  );
});

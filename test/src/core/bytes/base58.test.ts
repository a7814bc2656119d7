import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBase58, parseBase58 } from '@assay/core/bytes/base58';
import { faultCode } from '@assay/core/fault';
import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';

test('as another library writes it, and back', () => {
  const decoder = getBase58Decoder();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const text = formatBase58(bytes);
      assert.equal(text, decoder.decode(bytes));
      assert.deepEqual(parseBase58(text, bytes.length), bytes);
    }),
  );
});

test('a zero is a 1, and each counts by itself', () => {
  assert.equal(formatBase58(new Uint8Array(32)), '1'.repeat(32));
  assert.deepEqual(parseBase58('1'.repeat(32), 32), new Uint8Array(32));
});

test('what is no address is refused', () => {
  for (const [text, code] of [
    ['0'.repeat(32), 'malformed'],
    ['1'.repeat(31), 'bad_length'],
    ['1'.repeat(33), 'bad_length'],
    ['z'.repeat(44), 'bad_length'],
    ['z'.repeat(100_000), 'bad_length'],
    ['', 'bad_length'],
  ] as const) {
    assert.throws(
      () => parseBase58(text, 32),
      (error) => faultCode(error) === code,
      text.slice(0, 50),
    );
  }
  assert.throws(() => formatBase58(new Uint8Array(65)), TypeError);
});

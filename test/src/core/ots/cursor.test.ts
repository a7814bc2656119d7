import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHex } from '@assay/core/bytes/hex';
import { cursorOf, readByte, readBytes, readVarbytes, readVaruint } from '@assay/core/ots/cursor';
import { emptyOutput, writeVaruint, written } from '@assay/core/ots/output';
import fc from 'fast-check';

const read = (hex: string): number => readVaruint(cursorOf(parseHex(hex)));

test('cursor: a number of any size comes back', () => {
  const edges = [0, 0x7f, 0x80, 0x3fff, 0x4000, 2 ** 32 - 1, 2 ** 32, 2 ** 49, 2 ** 53 - 1];
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...edges), fc.maxSafeNat()), (value) => {
      const output = emptyOutput(1);
      writeVaruint(output, value);
      const bytes = written(output);
      const cursor = cursorOf(bytes);
      assert.equal(readVaruint(cursor), value);
      assert.equal(cursor.at, bytes.length);
      assert.throws(() => readVaruint(cursorOf(bytes.subarray(0, -1))), { code: 'bad_proof' });
    }),
  );
});

test('cursor: a number is written in one way, below 2^53', () => {
  assert.equal(read('ffffffffffffff0f'), 2 ** 53 - 1);
  for (const hex of [
    '8000',
    'ff00',
    '808000',
    'ffffffffffffff10',
    'ffffffffffffff7f',
    '808080808080808001',
    '808080808080808000',
    'ff'.repeat(1000),
  ]) {
    assert.throws(() => read(hex), { code: 'bad_proof', at: 'byte 0' }, hex);
  }
});

test('cursor: nothing is read at or after the end', () => {
  const cursor = cursorOf(Uint8Array.of(2, 8, 9, 7));
  cursor.end = 3;
  assert.deepEqual(readVarbytes(cursor, 0, 2), Uint8Array.of(8, 9));
  assert.throws(() => readByte(cursor), { code: 'bad_proof', at: 'byte 3' });
  assert.throws(() => readBytes(cursor, 1), { code: 'bad_proof', at: 'byte 3' });
  assert.deepEqual(readBytes(cursor, 0), new Uint8Array(0));
  cursor.at = 0;
  assert.throws(() => readVarbytes(cursor, 3, 9), { code: 'bad_proof', at: 'byte 0' });
  cursor.at = 0;
  assert.throws(() => readVarbytes(cursor, 0, 1), { code: 'bad_proof', at: 'byte 0' });
});

test('cursor: a refusal names the place, what was expected and what was there', () => {
  const cursor = cursorOf(Uint8Array.of(0, 2, 8));
  cursor.at = 1;
  const says = (words: string): object => ({ message: `OpenTimestamps proof at byte ${words}` });
  assert.throws(() => readVarbytes(cursor, 0, 1), says('1: expected a length of 0 to 1, found 2'));
  assert.throws(() => readBytes(cursor, 3), says('2: expected 3 more bytes, found 1'));
  cursor.at = 3;
  assert.throws(() => readByte(cursor), says('3: expected one more byte, found 0'));
  assert.throws(() => read('8000'), says('0: expected a number in as few bytes as it takes'));
});

test('cursor: what is read of a Buffer is plain bytes', () => {
  const cursor = cursorOf(Buffer.from('abcd').subarray(1));
  const bytes = readBytes(cursor, 2);
  assert.equal(bytes.constructor, Uint8Array);
  assert.deepEqual(bytes, Uint8Array.of(0x62, 0x63));
});

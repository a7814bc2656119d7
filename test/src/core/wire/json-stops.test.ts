import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonStops } from '@assay/core/wire/json-stops';
import fc from 'fast-check';

/** Where the first of four bytes is that a JSON string cannot hold as it is; 4 if there is none. */
function firstStop(bytes: readonly number[]): number {
  const at = bytes.findIndex((byte) => byte < 0x20 || byte === 0x22 || byte === 0x5c);
  return at < 0 ? 4 : at;
}

function found(bytes: readonly number[]): number {
  const four = new DataView(Uint8Array.from(bytes).buffer).getInt32(0, true);
  const stops = jsonStops(four);
  return stops === 0 ? 4 : (31 - Math.clz32(stops & -stops)) >> 3;
}

test('json stops: each byte alone, at each of four places', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    for (let at = 0; at < 4; at += 1) {
      const bytes = [0x61, 0x80, 0x21, 0x5b];
      bytes[at] = byte;
      assert.equal(found(bytes), firstStop(bytes), `${byte} at ${at}`);
    }
  }
});

test('json stops: the first of any four bytes', () => {
  const byte = fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0x00, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x80, 0xa2, 0xdc),
  );
  fc.assert(
    fc.property(fc.array(byte, { minLength: 4, maxLength: 4 }), (bytes) => {
      assert.equal(found(bytes), firstStop(bytes));
    }),
    { numRuns: 5000 },
  );
});

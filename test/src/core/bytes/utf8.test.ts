import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareUtf8,
  formatUtf8,
  isWellFormed,
  MAX_UNIT_BYTES,
  parseUtf8,
  writeUtf8,
} from '@assay/core/bytes/utf8';
import fc from 'fast-check';

test('utf8: text survives the round trip, byte order marks included', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = formatUtf8(text);
      assert.deepEqual(Buffer.from(bytes), Buffer.from(text, 'utf8'));
      assert.equal(parseUtf8(bytes), text);
    }),
  );
  assert.equal(parseUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31)), '\ufeff1');
});

test('utf8: texts of any length, and each in bytes of its own', () => {
  for (const length of [0, 1, 65_535, 65_536, 65_537, 200_000]) {
    for (const unit of ['a', 'é', '€']) {
      const text = unit.repeat(length);
      assert.ok(Buffer.from(text).equals(formatUtf8(text)), `${length} of ${unit}`);
    }
  }
  const first = formatUtf8('first');
  formatUtf8('other');
  assert.equal(parseUtf8(first), 'first');
});

test('utf8: written where there is room for any text of that length, and nowhere else', () => {
  const room = new Uint8Array(20).fill(0x2e);
  assert.equal(writeUtf8('a€', room.subarray(2, 8)), 4);
  assert.equal(parseUtf8(room), '..a€..............');
  assert.equal(writeUtf8('', room.subarray(20)), 0);
  assert.equal(MAX_UNIT_BYTES, 3);
  assert.throws(() => writeUtf8('ab', room.subarray(0, 5)), TypeError);
  assert.throws(() => writeUtf8('\ud800', room), { code: 'bad_utf8' });
});

test('utf8: bytes are taken only if they are the UTF-8 of their text', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
      let text: string;
      try {
        text = parseUtf8(bytes);
      } catch (error) {
        assert.equal((error as { code: string }).code, 'bad_utf8');
        assert.notDeepEqual(Buffer.from(Buffer.from(bytes).toString('utf8')), Buffer.from(bytes));
        return;
      }
      assert.deepEqual(formatUtf8(text), bytes);
    }),
    { numRuns: 1000 },
  );
});

test('utf8: surrogates need their partners', () => {
  for (const text of ['\ud800', '\udc00', 'a\ud83d', '\ude02\ud83d', '\ud83d\ud83d\ude02']) {
    assert.equal(isWellFormed(text), false);
    assert.throws(() => formatUtf8(text), { code: 'bad_utf8' });
  }
  assert.equal(isWellFormed('\ud83d\ude02 \ufffd'), true);
  fc.assert(
    fc.property(
      fc
        .array(fc.integer({ min: 0xd7ff, max: 0xe000 }))
        .map((units) => String.fromCharCode(...units)),
      (text) => {
        // The engine's own encoder writes U+FFFD for a lone surrogate.
        const whole = Buffer.from(text, 'utf8').toString('utf8') === text;
        assert.equal(isWellFormed(text), whole);
      },
    ),
  );
});

test('utf8: two texts have the order of their bytes', () => {
  const text = fc.string({
    unit: fc.constantFrom(
      'a',
      'b',
      '\0',
      '\u00e9',
      '\ud7ff',
      '\ue000',
      '\uffee',
      '\u{10000}',
      '\u{1f600}',
    ),
    maxLength: 4,
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
      assert.equal(Math.sign(compareUtf8(a, b)), expected);
    }),
    { numRuns: 2000 },
  );
});

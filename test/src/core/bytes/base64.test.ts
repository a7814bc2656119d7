import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBase64, parseBase64 } from '@assay/core/bytes/base64';
import fc from 'fast-check';

test('base64: every byte string survives the round trip', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const text = formatBase64(bytes);
      assert.equal(text, Buffer.from(bytes).toString('base64'));
      assert.deepEqual(parseBase64(text), bytes);
    }),
  );
});

test('base64: a text is taken only if it is the one that is written', () => {
  const odd = fc.string({
    unit: fc.constantFrom('A', 'Q', 'g', 'w', '9', '/', '+', '-', '_', '=', ' ', '\n', 'é'),
    maxLength: 9,
  });
  fc.assert(
    fc.property(odd, (text) => {
      const engine = Buffer.from(text, 'base64');
      if (engine.toString('base64') === text)
        assert.deepEqual(Buffer.from(parseBase64(text)), engine);
      else assert.throws(() => parseBase64(text), { code: 'bad_base64' }, text);
    }),
    { numRuns: 5000 },
  );
});

test('base64: lenient forms are refused', () => {
  const cases = [
    'A',
    'AA',
    'AAA',
    'AA=',
    'A===',
    '====',
    '=AAA',
    'AA=A',
    'AB==',
    'AAB=',
    'AAA=AAAA',
  ];
  for (const text of [...cases, 'AA A', 'AAA\n', 'AA-_', 'AAAÁ']) {
    assert.throws(() => parseBase64(text), { code: 'bad_base64' }, text);
  }
});

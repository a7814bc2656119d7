import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes, equalBytes, requireLength } from '@assay/core/bytes/bytes';
import fc from 'fast-check';

test('bytes: parts come one after the other in new memory', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 5 }), (parts) => {
      const whole = concatBytes(...parts);
      assert.deepEqual(Buffer.from(whole), Buffer.concat(parts));
      for (const part of parts) part.fill(7);
      assert.equal(
        whole.length,
        parts.reduce((sum, { length }) => sum + length, 0),
      );
    }),
  );
  const one = Uint8Array.of(1);
  const copy = concatBytes(one);
  one[0] = 2;
  assert.equal(copy[0], 1);
});

test('bytes: equal means the same length and the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3 }), fc.uint8Array({ maxLength: 3 }), (a, b) => {
      assert.equal(equalBytes(a, b), Buffer.from(a).equals(b));
      assert.equal(equalBytes(a, a.slice()), true);
    }),
  );
  assert.equal(equalBytes(Uint8Array.of(1), Uint8Array.of(1, 0)), false);
});

test('bytes: a wrong length says what was expected', () => {
  const three = new Uint8Array(3);
  assert.equal(requireLength(three, 3, 'thing'), three);
  assert.throws(() => requireLength(three, 4, 'thing'), {
    code: 'bad_length',
    message: 'thing: expected 4 bytes, found 3 bytes',
  });
});

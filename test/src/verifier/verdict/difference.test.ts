import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstDifference } from '@assay/verifier/verdict/difference';

test('the same values have no difference', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal(firstDifference(value, structuredClone(value)), undefined);
    }),
  );
});

test('different values have one', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const same = JSON.stringify(a) === JSON.stringify(b);
      fc.pre(!same);
      // Members in another order are the same value.
      const found = firstDifference(a, b);
      if (found === undefined) assert.deepEqual(a, b);
    }),
  );
});

test('a difference has its place and both values', () => {
  assert.deepEqual(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }), {
    path: '/a/1/b',
    expected: '2',
    found: '3',
  });
  assert.deepEqual(firstDifference(1, '1'), { path: '/', expected: '1', found: '"1"' });
  assert.deepEqual(firstDifference({}, { more: null }), {
    path: '/more',
    expected: 'nothing',
    found: 'null',
  });
  assert.deepEqual(firstDifference([1], [1, 2]), { path: '/1', expected: 'nothing', found: '2' });
  assert.deepEqual(firstDifference({}, []), { path: '/', expected: '{}', found: '[]' });
});

test("a member that every object inherits is none of the value's own", () => {
  const value = JSON.parse('{"__proto__":1}') as unknown;
  assert.equal(firstDifference({}, value)?.path, '/__proto__');
  assert.equal(firstDifference({ toString: 1 }, {})?.path, '/toString');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  array,
  boolean,
  date,
  decimal,
  hashHex,
  hex,
  i64,
  integer,
  isI64,
  literal,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
  time,
} from '@assay/core/wire/schema';
import type { WireValue } from '@assay/core/wire/wire';
import fc from 'fast-check';

const thing = object<{ a: number; b: { c: string | null } }>({
  a: integer(0, 9),
  b: object<{ c: string | null }>({ c: nullable(string(1, 3)) }),
});

function refused(parse: Parse<unknown>, value: WireValue, at: string): void {
  assert.throws(() => parse(value, 'it'), { code: 'malformed', at }, JSON.stringify(value));
}

test('schema: an object has exactly its members', () => {
  assert.deepEqual(thing({ a: 1, b: { c: null } }, 'it'), { a: 1, b: { c: null } });
  refused(thing, { a: 1 }, 'it');
  refused(thing, { a: 1, b: { c: 'x' }, d: 1 }, 'it');
  refused(thing, { a: 1, b: {} }, 'it.b');
  refused(thing, { a: 1, b: { c: '' } }, 'it.b.c');
  refused(thing, { a: 10, b: { c: 'x' } }, 'it.a');
  refused(thing, JSON.parse('{"a":1,"b":{"c":"x"},"__proto__":{}}') as WireValue, 'it');
  refused(thing, { b: { c: 'x' }, toString: 1 }, 'it');
  for (const value of [null, [], 'a', 1, true]) refused(thing, value, 'it');
});

test('schema: an inherited member is no member', () => {
  const inherited = Object.assign(Object.create({ a: 1 }) as object, { b: { c: 'x' } });
  refused(thing, inherited as WireValue, 'it');
});

test('schema: arrays have a least and a most', () => {
  const few = array(integer(0, 9), 1, 2);
  assert.deepEqual(few([1, 2], 'it'), [1, 2]);
  refused(few, [], 'it');
  refused(few, [1, 2, 3], 'it');
  refused(few, [1, 'x'], 'it[1]');
  refused(few, { 0: 1, length: 1 }, 'it');
});

test('schema: each scalar takes its own kind alone', () => {
  const cases: readonly (readonly [Parse<unknown>, readonly WireValue[], readonly WireValue[]])[] =
    [
      [literal('x'), ['x'], ['y', 1, null]],
      [literal(1), [1], ['1', 2]],
      [oneOf(['a', 'b']), ['a', 'b'], ['c', '', null, 1]],
      [integer(-1, 1), [-1, 0, 1], [2, -2, 0.5, '1', null, true]],
      [boolean, [true, false], [0, 'true', null]],
      [string(1, 2), ['a', 'é'], ['', 'abc', 1, null]],
      [string(1, 9, /^[ab]+$/), ['abba'], ['abc', 'ab\n']],
      [nullable(boolean), [null, true], [0]],
      [hashHex, ['a'.repeat(64)], ['A'.repeat(64), 'a'.repeat(63), 1]],
      [hex(2), ['00ff'], ['00FF', '00f', '', 0]],
      [date, ['2026-07-25'], ['2026-07-32', 20260725]],
      [time, ['2026-07-25T00:00:00Z'], ['2026-07-25', 0]],
      [decimal, ['0.5', '-1', '9'.repeat(100)], ['1e5', 0.5, '9'.repeat(101)]],
      [
        i64,
        ['0', '-9223372036854775808', '9223372036854775807'],
        [
          '9223372036854775808',
          '-9223372036854775809',
          '-0',
          '00',
          '+1',
          '1.0',
          '',
          1,
          '9'.repeat(40),
        ],
      ],
    ];
  for (const [parse, good, bad] of cases) {
    for (const value of good) assert.equal(parse(value, 'it'), value);
    for (const value of bad) refused(parse, value, 'it');
  }
});

test('schema: i64 takes every signed 64-bit integer in one form', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), (value) => {
      const fits = BigInt.asIntN(64, value) === value;
      assert.equal(isI64(value), fits);
      if (fits) assert.equal(i64(value.toString(), 'it'), value.toString());
      else refused(i64, value.toString(), 'it');
    }),
  );
});

test('schema: a long value is cut in the message', () => {
  assert.throws(
    () => boolean('x'.repeat(1000), 'it'),
    (error: { message: string }) => error.message.length < 200 && error.message.endsWith('...'),
  );
});

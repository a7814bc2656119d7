import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  absolute,
  add,
  compare,
  divide,
  formatScaled,
  isDecimal,
  median,
  multiply,
  parseDecimal,
  type Rational,
  rational,
  type Rounding,
  ROUNDINGS,
  roundScaled,
  subtract,
} from '@assay/core/number/rational';
import fc from 'fast-check';
import { vectors } from '../fixture/fixture.ts';

const big = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const fraction = fc
  .tuple(
    big,
    big.filter((d) => d !== 0n),
  )
  .map(([n, d]) => rational(n, d));

test('rational: lowest terms, the sign above', () => {
  assert.deepEqual(rational(6n, -4n), { n: -3n, d: 2n });
  assert.deepEqual(rational(0n, -5n), { n: 0n, d: 1n });
  assert.throws(() => rational(1n, 0n), { code: 'out_of_range' });
  assert.throws(() => divide(rational(1n), rational(0n)), { code: 'out_of_range' });
});

test('rational: arithmetic holds the laws of fractions', () => {
  fc.assert(
    fc.property(fraction, fraction, fraction, (a, b, c) => {
      assert.deepEqual(add(a, b), add(b, a));
      assert.deepEqual(multiply(a, add(b, c)), add(multiply(a, b), multiply(a, c)));
      assert.deepEqual(subtract(add(a, b), b), a);
      if (b.n !== 0n) assert.deepEqual(multiply(divide(a, b), b), a);
      assert.equal(Math.sign(compare(a, b)), -Math.sign(compare(b, a)) + 0);
      assert.equal(compare(a, b) < 0, subtract(a, b).n < 0n);
      assert.ok(absolute(a).n >= 0n);
    }),
  );
});

test('rational: roundings by example', () => {
  interface Case {
    n: string;
    d: string;
    decimals: number;
    rounding: Rounding;
    gives: string;
  }
  for (const { n, d, decimals, rounding, gives } of vectors<Case[]>('rational/roundings')) {
    const found = roundScaled(rational(BigInt(n), BigInt(d)), decimals, rounding);
    assert.equal(found.toString(), gives, `${n}/${d} ${rounding}`);
  }
});

test('rational: a rounded value is the nearest of its kind', () => {
  fc.assert(
    fc.property(
      fraction,
      fc.integer({ min: 0, max: 18 }),
      fc.constantFrom(...ROUNDINGS),
      (a, decimals, rounding) => {
        const exact = multiply(a, rational(10n ** BigInt(decimals)));
        const rounded = rational(roundScaled(a, decimals, rounding));
        const off = subtract(rounded, exact);
        assert.ok(compare(absolute(off), rational(1n)) < 0);
        if (rounding.startsWith('half')) assert.ok(compare(absolute(off), rational(1n, 2n)) <= 0);
        if (rounding === 'floor') assert.ok(off.n <= 0n);
        if (rounding === 'ceil') assert.ok(off.n >= 0n);
        if (rounding === 'trunc') assert.ok(compare(absolute(rounded), absolute(exact)) <= 0);
        const opposite = roundScaled({ n: -a.n, d: a.d }, decimals, rounding);
        if (rounding !== 'floor' && rounding !== 'ceil') assert.equal(opposite, -rounded.n);
      },
    ),
  );
});

test('rational: decimals in their plain form', () => {
  for (const text of ['0', '-0', '1', '-12.50', '0.001', '100', '9'.repeat(90)]) {
    assert.equal(isDecimal(text), true, text);
  }
  for (const text of [
    '',
    '-',
    '+1',
    '01',
    '.5',
    '5.',
    '1e5',
    '1,000',
    ' 1',
    '1\n',
    '0x1',
    '--1',
    '١',
  ]) {
    assert.equal(isDecimal(text), false, text);
    assert.throws(() => parseDecimal(text), { code: 'malformed' }, text);
  }
  assert.deepEqual(parseDecimal('-0.50'), rational(-1n, 2n));
});

test('rational: a scaled integer reads back as itself', () => {
  fc.assert(
    fc.property(big, fc.integer({ min: 0, max: 18 }), (value, decimals) => {
      const text = formatScaled(value, decimals);
      assert.deepEqual(parseDecimal(text), rational(value, 10n ** BigInt(decimals)));
      assert.equal((text.split('.')[1] ?? '').length, decimals);
    }),
  );
  assert.equal(formatScaled(-14n, 1), '-1.4');
  assert.equal(formatScaled(-4n, 2), '-0.04');
  assert.equal(formatScaled(0n, 1), '0.0');
});

function whole(...values: number[]): Rational[] {
  return values.map((value) => rational(BigInt(value)));
}

test('rational: the median has as many below as above', () => {
  assert.deepEqual(median(whole(10, 2, 33)), rational(10n));
  assert.deepEqual(median(whole(4, 1, 2, 100)), rational(3n));
  assert.deepEqual(median(whole(7)), rational(7n));
  assert.throws(() => median([]), { code: 'out_of_range' });
  fc.assert(
    fc.property(fc.array(fraction, { minLength: 1, maxLength: 9 }), (values) => {
      const before = [...values];
      const middle = median(values);
      const below = values.filter((each) => compare(each, middle) < 0).length;
      const above = values.filter((each) => compare(each, middle) > 0).length;
      assert.ok(below <= values.length / 2 && above <= values.length / 2);
      assert.deepEqual(values, before);
    }),
  );
});

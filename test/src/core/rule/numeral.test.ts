import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, parseDecimal, rational } from '@assay/core/number/rational';
import {
  compareDecimals,
  fractionOf,
  NUMERAL_STYLES,
  readNumeral,
  wholeNumeral,
  requireSize,
  wholeDecimal,
} from '@assay/core/rule/numeral';
import { ReadStopped } from '@assay/core/rule/value';
import fc from 'fast-check';

test('numeral: a formatted number reads back, in either style', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(999), (whole, part) => {
      const plain = `${whole}.${part}`;
      const grouped = plain.replace(/^-?\d+/, (digits) =>
        digits.replaceAll(/\B(?=(\d{3})+$)/g, ','),
      );
      assert.deepEqual(wholeNumeral(plain, 'plain'), parseDecimal(plain));
      assert.deepEqual(wholeNumeral(grouped, 'us_grouped'), parseDecimal(plain));
      assert.deepEqual(readNumeral(`${grouped}, next`, 'us_grouped'), [
        parseDecimal(plain),
        grouped.length,
      ]);
    }),
  );
});

test('numeral: any text gives a number that its text spells, or stops as malformed', () => {
  const piece = fc.constantFrom('-', '0', '1', '23', '456', ',', '.', 'e', 'x', ' ');
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 7 }),
      fc.constantFrom(...NUMERAL_STYLES),
      (pieces, style) => {
        const text = pieces.join('');
        try {
          const [value, length] = readNumeral(text, style);
          const read = text.slice(0, length);
          assert.deepEqual(value, parseDecimal(read.replaceAll(',', '')));
          assert.ok(style === 'us_grouped' || !read.includes(','));
          // Groups of three but the first, and nothing behind that makes it another number.
          if (read.includes(',')) assert.match(read, /^-?\d{1,3}(,\d{3})+(\.\d+)?$/);
          assert.doesNotMatch(text.slice(length), /^([0-9eE]|[.,][0-9])/);
        } catch (error) {
          assert.ok(error instanceof ReadStopped && error.reason === 'malformed', String(error));
        }
      },
    ),
    { numRuns: 5000 },
  );
});

test('numeral: digits and places are the number, in any order of size', () => {
  assert.deepEqual(wholeDecimal('-1,234.50', 'us_grouped'), { units: -123_450n, places: 2 });
  assert.deepEqual(wholeDecimal('7', 'plain'), { units: 7n, places: 0 });
  assert.throws(() => wholeDecimal('7 ', 'plain'), { reason: 'malformed' });
  const sorted = ['-2', '-1.50', '-1.5', '0', '0.09', '0.1', '10.0', '10'].map((text) =>
    wholeDecimal(text, 'plain'),
  );
  for (const [i, a] of sorted.entries()) {
    for (const [j, b] of sorted.entries()) {
      const same = compare(fractionOf(a), fractionOf(b));
      assert.equal(compareDecimals(a, b), same);
      assert.ok(i < j ? same <= 0 : same >= 0);
    }
  }
});

test('numeral: a fraction of a hundred digits, and of one more', () => {
  const hundred = 10n ** 100n - 1n;
  for (const inside of [rational(hundred), rational(-hundred), rational(1n, hundred)]) {
    assert.equal(requireSize(inside), inside);
  }
  for (const outside of [
    rational(hundred + 1n),
    rational(-hundred - 1n),
    rational(1n, hundred + 1n),
  ]) {
    assert.throws(() => requireSize(outside), { reason: 'out_of_range' });
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, compare, median, parseDecimal, rational } from '@assay/core/number/rational';
import { columnOf, productsOf, sumDecimals } from '@assay/core/rule/column';
import { fractionOf } from '@assay/core/rule/numeral';
import type { Value } from '@assay/core/rule/value';
import { runStep } from '@assay/core/rule/vocabulary';
import fc from 'fast-check';
import { NO_LIMIT } from '@assay/core/work-budget';

function rowsOf(texts: readonly string[]): Value {
  return { type: 'rows', rows: texts.map((text) => new Map([['a', text]])), columns: null };
}

test('column: numbers over one power of ten', () => {
  assert.deepEqual(
    columnOf('min', rowsOf(['1', '-0.25', '3.0']), '/a', 'plain', { work: NO_LIMIT }),
    {
      units: [100n, -25n, 300n],
      places: 2,
    },
  );
  assert.throws(() => columnOf('min', rowsOf([]), '/a', 'plain', { work: NO_LIMIT }), {
    reason: 'no_source',
  });
  assert.deepEqual(
    [...productsOf('sum', rowsOf(['0.5', '2']), ['/a', '/a'], 'plain', { work: NO_LIMIT })],
    [
      { units: 25n, places: 2 },
      { units: 4n, places: 0 },
    ],
  );
  assert.deepEqual(sumDecimals([]), { units: 0n, places: 0 });
});

test('column: sums and medians are those of the fractions', () => {
  const decimal = fc
    .tuple(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.stringMatching(/^[0-9]{0,9}$/))
    .map(([whole, part]) => (part === '' ? `${whole}` : `${whole}.${part}`));
  const context = {
    period: 0,
    kind: 'utc_day',
    fill: (text: string) => text,
    work: NO_LIMIT,
  } as const;
  fc.assert(
    fc.property(fc.array(decimal, { minLength: 1, maxLength: 12 }), (texts) => {
      const fractions = texts.map(parseDecimal);
      const sum = fractionOf(
        sumDecimals(productsOf('sum', rowsOf(texts), ['/a'], 'plain', { work: NO_LIMIT })),
      );
      assert.deepEqual(sum, fractions.reduce(add, rational(0n)));
      const sorted = fractions.toSorted(compare);
      for (const [op, expected] of [
        ['median', median(fractions)],
        ['min', sorted[0]],
        ['max', sorted.at(-1)],
      ] as const) {
        const found = runStep({ op, ptr: '/a', style: 'plain' }, rowsOf(texts), context);
        assert.deepEqual(found, { type: 'number', number: expected }, op);
      }
    }),
  );
});

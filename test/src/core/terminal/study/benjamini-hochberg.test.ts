import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rational } from '@assay/core/number/rational';
import { discoveries } from '@assay/core/terminal/study/benjamini-hochberg';
import fc from 'fast-check';
import { vectors } from '../../fixture/fixture.ts';

test('benjamini-hochberg: computed apart', () => {
  interface Case {
    readonly draws: readonly number[];
    readonly of: number;
    readonly found: readonly boolean[];
  }
  for (const { draws, of, found } of vectors<Case[]>('base-rate/discoveries')) {
    const shares = draws.map((each) => rational(BigInt(each), BigInt(of)));
    assert.deepEqual(discoveries(shares, rational(1n, 10n)), found, draws.join(' '));
  }
});

test('benjamini-hochberg: the largest number of them that hold together', () => {
  const draws = fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 18 });
  fc.assert(
    fc.property(draws, (values) => {
      // By its definition: the largest k with k values of at most k * 200 / (10 m).
      const m = values.length;
      let most = 0;
      for (let k = 1; k <= m; k += 1) {
        if (values.filter((each) => each * 10 * m <= 200 * k).length >= k) most = k;
      }
      const limit = values.toSorted((a, b) => a - b)[most - 1] ?? -1;
      assert.deepEqual(
        discoveries(
          values.map((each) => rational(BigInt(each), 200n)),
          rational(1n, 10n),
        ),
        values.map((each) => each <= limit),
      );
    }),
  );
});

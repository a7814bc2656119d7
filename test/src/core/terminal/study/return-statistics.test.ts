import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, rational, roundScaled } from '@assay/core/number/rational';
import {
  excessOf,
  type HorizonReturn,
  ReturnTally,
  returnStatistics,
} from '@assay/core/terminal/study/return-statistics';
import fc from 'fast-check';
import { resumed } from '../../fixture/resumed.ts';

const MAX = Number.MAX_SAFE_INTEGER;

test('return statistics: none, one, and a return of exactly 0 is not up', () => {
  const empty = { n: 0, up_share: null, median_ret: null, median_excess: null };
  assert.deepEqual(returnStatistics([]), empty);
  assert.deepEqual(returnStatistics([{ ret: null, benchmark: 5 }]), empty);
  assert.deepEqual(returnStatistics([{ ret: 0, benchmark: null }]), {
    n: 1,
    up_share: 0,
    median_ret: 0,
    median_excess: null,
  });
});

test('return statistics: an excess beyond 2^53-1 is that', () => {
  assert.equal(excessOf({ ret: MAX, benchmark: 0 }), MAX);
  assert.equal(excessOf({ ret: MAX, benchmark: -1 }), MAX);
  assert.equal(excessOf({ ret: -10_000, benchmark: MAX }), -MAX);
  assert.equal(excessOf({ ret: -7, benchmark: -10 }), 3);
});

const whole = fc.oneof(fc.integer({ min: -30, max: 30 }), fc.maxSafeInteger());
const row: fc.Arbitrary<HorizonReturn> = fc.record({
  ret: fc.option(whole),
  benchmark: fc.option(whole),
});

test('return statistics: as by exact fractions', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      const returns = rows.flatMap(({ ret }) => (ret === null ? [] : [BigInt(ret)]));
      const excesses = rows
        .flatMap(({ ret, benchmark }) =>
          ret === null || benchmark === null ? [] : [BigInt(ret) - BigInt(benchmark)],
        )
        .map((excess) => (excess > MAX ? BigInt(MAX) : excess < -MAX ? -BigInt(MAX) : excess));
      const middle = (values: readonly bigint[]): number | null =>
        values.length === 0
          ? null
          : Number(roundScaled(median(values.map((each) => rational(each))), 0, 'half_away'));
      const up = returns.filter((each) => each > 0n).length;
      assert.deepEqual(returnStatistics(rows), {
        n: returns.length,
        up_share:
          returns.length === 0
            ? null
            : Number(roundScaled(rational(BigInt(up), BigInt(returns.length)), 4, 'half_away')),
        median_ret: middle(returns),
        median_excess: middle(excesses),
      });
    }),
  );
});

test('return statistics: a tally that is interrupted before every row is one that never was', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
      const plain = new ReturnTally();
      let cut = new ReturnTally();
      for (const each of rows) {
        plain.add(each);
        cut = resumed(cut, new ReturnTally());
        cut.add(each);
      }
      assert.deepEqual(
        [cut.statistics, cut.counts, cut.excess],
        [plain.statistics, plain.counts, plain.excess],
      );
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HorizonReturns } from '@assay/core/terminal/study/base-rate';
import { OrdinaryTally } from '@assay/core/terminal/study/ordinary-tally';
import type { Ordinary, StudyHorizon } from '@assay/core/terminal/study/study-blob';
import { Findings } from '@assay/verifier/verdict/finding';
import { checkOrdinary } from '@assay/verifier/terminal/ordinary-check';
import fc from 'fast-check';

const MAX = Number.MAX_SAFE_INTEGER;

const some = fc.oneof(fc.integer({ min: -40, max: 40 }), fc.integer({ min: -10_000, max: MAX }));
const each = fc.record({ ret: fc.option(some), benchmark: fc.option(some) });
const rows: fc.Arbitrary<readonly HorizonReturns[]> = fc.array(
  fc.record({ '1d': each, '7d': each, '30d': each }),
  { maxLength: 30 },
);

function tallied(all: readonly HorizonReturns[]): OrdinaryTally {
  const tally = new OrdinaryTally();
  for (const row of all) tally.add(row);
  return tally;
}

function found(ordinary: Ordinary, { counts }: OrdinaryTally): readonly string[] {
  const findings = new Findings();
  checkOrdinary(ordinary, counts, 'study', findings);
  return findings.list.map(({ code, place }) => `${code} ${place}`);
}

test('ordinary check: nothing is reported of what moments can give', () => {
  fc.assert(
    fc.property(rows, (all) => {
      const tally = tallied(all);
      assert.deepEqual(found(tally.ordinary, tally), []);
    }),
    { numRuns: 2000 },
  );
});

test('ordinary check: one of it more or less, or one number that is there and should not be', () => {
  fc.assert(
    fc.property(rows, fc.constantFrom<StudyHorizon>('1d', '7d', '30d'), fc.nat(3), (all, h, i) => {
      const tally = tallied(all);
      const { horizons, excess_7d } = tally.ordinary;
      const said = horizons[h];
      const name = (['up_share', 'median_ret', 'median_excess', 'n'] as const)[i] as 'n';
      const change = name === 'n' ? said.n + 1 : (said[name] as number | null) === null ? 3 : null;
      const bent = { ...horizons, [h]: { ...said, [name]: change } };
      const place = `study_differs study/horizons/${h}/${name}`;
      assert.ok(found({ horizons: bent, excess_7d }, tally).includes(place));
      const more = { ...excess_7d, n: excess_7d.n + 1 };
      assert.deepEqual(found({ horizons, excess_7d: more }, tally), [
        'study_differs study/excess_7d/n',
      ]);
    }),
  );
});

test('ordinary check: numbers that no moments have together', () => {
  const one = (ret: number): HorizonReturns => {
    const row = { ret, benchmark: 0 };
    return { '1d': row, '7d': row, '30d': row };
  };
  const tally = tallied([one(-20), one(-5), one(7), one(30), one(40)]);
  const { ordinary } = tally;
  const of = (change: Partial<Ordinary['horizons']['7d']>): readonly string[] => {
    const week = { ...ordinary.horizons['7d'], ...change };
    return found({ ...ordinary, horizons: { ...ordinary.horizons, '7d': week } }, tally);
  };
  assert.deepEqual(of({}), []);
  assert.deepEqual(of({ median_ret: 8 }), []);
  // Three of five rose.
  assert.deepEqual(of({ up_share: 6001 }), ['study_differs study/horizons/7d/up_share']);
  assert.deepEqual(of({ median_ret: 0 }), ['study_differs study/horizons/7d/median_ret']);
  assert.deepEqual(of({ up_share: 4000 }), ['study_differs study/horizons/7d/median_ret']);
  assert.deepEqual(of({ up_share: 4000, median_ret: -10_001 }), [
    'study_differs study/horizons/7d/median_ret',
  ]);
  const summed = (sum: string, from = tally): readonly string[] =>
    found({ ...from.ordinary, excess_7d: { ...from.ordinary.excess_7d, sum } }, from);
  assert.deepEqual(summed(String(5n * BigInt(MAX))), ['study_differs study/excess_7d/sum']);
  assert.deepEqual(summed(String(19n - 2n * BigInt(MAX))), []);
  assert.deepEqual(summed('1', tallied([])), ['study_differs study/excess_7d/sum']);
  assert.deepEqual(summed('8', tallied([one(7)])), ['study_differs study/excess_7d/sum']);
  // Of two, and of no more, the median fixes the sum.
  const two = tallied([one(-20), one(31)]);
  const sum = (value: string): readonly string[] =>
    found({ ...two.ordinary, excess_7d: { ...two.ordinary.excess_7d, sum: value } }, two);
  assert.deepEqual(sum('11'), []);
  assert.deepEqual(sum('-900000'), ['study_differs study/excess_7d/sum']);
});

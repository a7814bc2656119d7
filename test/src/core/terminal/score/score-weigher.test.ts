import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, type Rational, rational, roundScaled } from '@assay/core/number/rational';
import type { ScorePart } from '@assay/core/terminal/rule/score-rule';
import { scoreWeigher } from '@assay/core/terminal/score/score-weigher';
import { Random } from '../random.ts';
import { scoreRule } from '../score-rule-fixture.ts';

test('score weigher: none up to from, all from to on, half a point away from zero', () => {
  const weigh = scoreWeigher(scoreRule('crypto').parts);
  assert.equal(weigh(0, 0, 0), 0);
  assert.equal(weigh(1000, 100, 1000), 0);
  assert.equal(weigh(5000, 420, 6600), 100);
  assert.equal(weigh(Number.MAX_SAFE_INTEGER, 100, 0), 45);
  assert.equal(weigh(0, Number.MAX_SAFE_INTEGER, 0), 40);
  assert.equal(weigh(0, 0, Number.MAX_SAFE_INTEGER), 15);
  assert.equal(weigh(0, 104, 0), 1, '0.5');
  assert.equal(weigh(0, 103, 0), 0, '0.375');
  assert.equal(weigh(1040, 100, 1018), 0, '0.45 and 0.048');
  assert.equal(weigh(1040, 100, 1019), 1, '0.45 and 0.051');
});

test('score weigher: the same as exact fractions, also where a common denominator leaves a double', () => {
  const random = new Random(41);
  for (let round = 0; round < 3000; round += 1) {
    const most = round % 2 === 0 ? 1_000_000 : 1000;
    const weights = [40, 35, 25] as const;
    const [long, volume, short] = weights.map((weight) => {
      const from = random.below(most);
      return { weight, from, to: from + 1 + random.below(most - from) };
    }) as [ScorePart, ScorePart, ScorePart];
    const values = [long, volume, short].map(({ to }) => random.below(to + 10));
    const [a = 0, b = 0, c = 0] = values;
    const exact = [long, volume, short].reduce<Rational>((sum, { weight, from, to }, i) => {
      const inside = Math.min(Math.max((values[i] as number) - from, 0), to - from);
      return add(sum, rational(BigInt(weight * inside), BigInt(to - from)));
    }, rational(0n));
    const found = scoreWeigher({ long, volume, short })(a, b, c);
    assert.equal(found, Number(roundScaled(exact, 0, 'half_away')), JSON.stringify(values));
  }
});

test('score weigher: half a point is half a point, where doubles of a common denominator say less', () => {
  const weigh = scoreWeigher({
    long: { weight: 40, from: 0, to: 999_979 },
    volume: { weight: 35, from: 0, to: 999_975 },
    short: { weight: 25, from: 0, to: 950_100 },
  });
  // 25 * 57006 / 950100 is 1.5.
  assert.equal(weigh(0, 0, 57_006), 2);
  assert.equal(weigh(0, 0, 57_005), 1);
});

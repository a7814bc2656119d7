import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScoreSeries } from '@assay/core/terminal/score/score';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { LeafHistory } from '@assay/verifier/terminal/leaf-history';
import { Random } from '../../core/terminal/random.ts';
import { shortRule } from '../../core/terminal/score-rule-fixture.ts';

/** What a history says of each good tick: where its long return begins, and why there is no score. */
function histories(rule: ScoreRule, indexes: readonly number[]) {
  const history = new LeafHistory(rule);
  return indexes.map((index) => {
    history.add(index);
    const said = { from: history.longFrom, lack: history.lack };
    history.settle();
    return said;
  });
}

/** Counts that rise: rows of neighbours, gaps of a few ticks, and gaps beyond every window. */
function rising(seed: number, count: number): readonly number[] {
  const random = new Random(seed);
  let index = random.oneIn(2) ? random.below(40) : 1_965_000 + random.below(5000);
  return Array.from({ length: count }, () => {
    const at = index;
    const gap = random.oneIn(60) ? 400 : random.oneIn(12) ? 60 : 3;
    index += random.oneIn(6) ? 1 + random.below(gap) : 1;
    return at;
  });
}

test('leaf history: a score can be where the formula itself gives one for a steady price and volume', () => {
  const base = shortRule();
  const rules = [
    base,
    shortRule({
      returns: { long: 5, short: 3, tolerance: 2, sample: 3, window: 33, min_samples: 11 },
      volume: { day: 2, days: 31, min_days: 28 },
    }),
    shortRule({
      returns: { long: 1, short: 1, tolerance: 0, sample: 1, window: 7, min_samples: 7 },
      volume: { day: 1, days: 1, min_days: 1 },
    }),
  ];
  let [scored, without] = [0, 0];
  for (const rule of rules) {
    for (let seed = 1; seed <= 12; seed += 1) {
      const indexes = rising(seed, 700);
      const series = new ScoreSeries(rule);
      const said = histories(rule, indexes);
      for (const [i, index] of indexes.entries()) {
        const { score, move } = series.add(index, { price: 100, volume: 100 });
        const { from, lack } = said[i] as (typeof said)[number];
        const at = `seed ${seed}, reading ${i} at ${index}: ${lack}`;
        assert.equal(lack === undefined, score !== null, at);
        assert.equal(from !== undefined, move !== null, at);
        if (score === null) without += 1;
        else scored += 1;
      }
    }
  }
  assert.ok(scored > 1000 && without > 1000, `${scored} with a score, ${without} without`);
});

test('leaf history: what is not enough is named', () => {
  const rule = shortRule();
  const steady = histories(
    rule,
    Array.from({ length: 40 }, (_, i) => i),
  );
  assert.deepEqual(
    [0, 7, 9, 18, 23, 24].map((i) => steady[i]?.lack),
    [
      'no long return',
      '0 samples of the long return',
      '1 samples of the long return',
      '5 samples of the long return',
      '2 days of volume',
      undefined,
    ],
  );
  // A return begins at the tick before where its own is not good, else at the one after.
  const from = (indexes: readonly number[]) => histories(rule, indexes).at(-1)?.from;
  assert.equal(from([11, 12, 13, 20]), 12);
  assert.equal(from([11, 13, 20]), 11);
  assert.equal(from([13, 20]), 13);
  assert.equal(from([10, 14, 20]), undefined);
});

test('leaf history: under a later version it says what one says that was under that from the start', () => {
  const [short, long] = [
    shortRule(),
    shortRule({
      returns: { long: 31, short: 5, tolerance: 2, sample: 3, window: 333, min_samples: 40 },
      volume: { day: 6, days: 31, min_days: 15 },
    }),
  ];
  for (const [before, after] of [
    [short, long],
    [long, short],
  ] as const) {
    for (let seed = 1; seed <= 12; seed += 1) {
      const indexes = rising(seed, 700);
      const whole = histories(after, indexes);
      const history = new LeafHistory(before);
      const cut = 200 + 29 * seed;
      const said = indexes.map((index, i) => {
        history.under(i < cut ? before : after);
        history.add(index);
        const each = { from: history.longFrom, lack: history.lack };
        history.settle();
        return each;
      });
      assert.deepEqual(said.slice(cut), whole.slice(cut), `seed ${seed}`);
      assert.notDeepEqual(said.slice(0, cut), whole.slice(0, cut));
    }
  }
});

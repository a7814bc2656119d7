import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScoreSeries, type Scored } from '@assay/core/terminal/score/score';
import { scoreReach } from '@assay/core/terminal/rule/score-rule';
import { ScoreCoverage } from '@assay/node/terminal/check/score-coverage';
import { Random } from '../../../core/terminal/random.ts';
import { shortRule } from '../../../core/terminal/score-rule-fixture.ts';

const RULE = shortRule();
const FIRST = 2_000_000;

interface Tick {
  readonly index: number;
  readonly price: number;
  readonly volume: number;
  readonly open: boolean;
}

/** Ticks with holes, of which one in `shut` is not open. */
function made(seed: number, shut: number): readonly Tick[] {
  const draws = new Random(seed);
  return Array.from({ length: 900 }, (_, i) => ({
    index: FIRST + i,
    price: 1000 + draws.below(300),
    volume: 100 + draws.below(900),
    open: !draws.oneIn(shut),
  })).filter(() => !draws.oneIn(9));
}

test('score coverage: what it says to follow is what all readings make', () => {
  let [covered, shut] = [0, 0];
  for (const [seed, rate] of [
    [1, 60],
    [2, 200],
    [3, 12],
    [4, 500],
  ] as const) {
    const [whole, part] = [new ScoreSeries(RULE), new ScoreSeries(RULE)];
    const coverage = new ScoreCoverage(RULE);
    let last = 0;
    for (const { index, open, ...reading } of made(seed, rate)) {
      const right = whole.add(index, reading);
      const said = coverage.take(index, open);
      if (!open) {
        assert.deepEqual(said, { move: false, volume: false, score: false });
        last = index;
        continue;
      }
      const found: Scored = part.add(index, reading);
      if (said.move) assert.equal(found.move, right.move);
      if (said.volume) assert.equal(found.volMult, right.volMult);
      if (said.score) assert.deepEqual(found, right);
      // Where everything within reach is open, everything follows.
      if (index - last > scoreReach(RULE))
        assert.deepEqual(Object.values(said), [true, true, true]);
      if (said.score) covered += 1;
      else shut += 1;
    }
  }
  assert.ok(covered > 500 && shut > 500, `${covered} ${shut}`);
});

test('score coverage: a reading that is not open takes away what rests on it, and no more', () => {
  const { long, short, window } = RULE.returns;
  const after = (from: number, to: number): ReturnType<ScoreCoverage['take']> => {
    const coverage = new ScoreCoverage(RULE);
    for (let index = FIRST; index < to; index += 1) coverage.take(index, index !== from);
    return coverage.take(to, true);
  };
  const at = FIRST + 100;
  const all = { move: true, volume: true, score: true };
  assert.deepEqual(after(at, at + long), { move: false, volume: false, score: false });
  // An odd tick is no sample: only returns that begin there are gone, which is no sample of an even width.
  const odd = at + 1;
  assert.deepEqual(after(odd, odd + short), { move: true, volume: true, score: false });
  assert.deepEqual(after(odd, odd + 7), all);
  // An even one is, and so are the returns that begin there.
  assert.deepEqual(after(at, at + 3), { move: true, volume: true, score: false });
  assert.deepEqual(after(at, at + long + window), { move: true, volume: true, score: false });
  assert.deepEqual(after(at, at + long + window + 1), all);
  assert.deepEqual(after(at, at + RULE.volume.day * 5).volume, false);
});

test('score coverage: after a long silence nothing of before is in the way', () => {
  for (const gap of [1, 2, 3].map((k) => k * (RULE.volume.day * RULE.volume.days + 1))) {
    const coverage = new ScoreCoverage(RULE);
    for (let i = 0; i < 60; i += 1) coverage.take(FIRST + i, false);
    const said = coverage.take(FIRST + 59 + gap + RULE.returns.window, true);
    assert.deepEqual(said, { move: true, volume: true, score: true });
  }
});

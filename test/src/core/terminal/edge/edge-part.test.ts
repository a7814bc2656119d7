import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clipped,
  excess7d,
  excessesOf,
  jointInterval,
  measurePart,
  passes,
  signOf,
} from '@assay/core/terminal/edge/edge-part';
import { meanError } from '@assay/core/terminal/edge/jackknife';
import { momentOf } from './edge-fixture.ts';

const WEEK = 604_800;

/** One moment in each of five weeks and assets, which are not neighbours. */
const moments = [100, 200, 300, 400, 1000].map((excess, i) =>
  momentOf(`A${i}`, 2 * i * WEEK + 900, excess),
);

test('edge: mean, interval and t by hand', () => {
  const { part } = measurePart(excessesOf(moments));
  // Mean 400 and error 158.1138831 (the root of 125000 / 5), rounded up; Student's quantile of 4 degrees is 2.777.
  const edge = { mean: 400, ci: [-40, 840], t: 2530 };
  assert.deepEqual(part, { n: 5, n_weeks: 5, n_assets: 5, low: edge, high: edge });
});

test('edge: the bounds are opposite corners of what was lost', () => {
  const gone = momentOf('A0', 900, 250, { gone: true });
  const after = gone.returns['7d'];
  assert.ok(after !== null);
  const both = {
    ...gone,
    returns: { ...gone.returns, '7d': { ...after, base: 30, base_lost: -400 } },
  };
  // All was lost in the asset, and the last prices were paid for the controls; then the other way round.
  assert.equal(excess7d(both, 'low'), -10_030);
  assert.equal(excess7d(both, 'high'), 650);
  const week = { week: 0, asset: 'A0', low: -10_030, high: 650 };
  assert.deepEqual(excessesOf([both]), [week]);
  assert.throws(() => excess7d({ ...gone, returns: { ...gone.returns, '7d': null } }, 'low'));
});

test('edge: a part passes on the side of the sign alone, at the level that is asked for', () => {
  const measured = measurePart(excessesOf(moments));
  // t is 2.530: beyond 2.132 (10 %), within 2.777 (5 %).
  assert.ok(passes(measured, 'part', 1));
  assert.ok(!passes(measured, 'part', -1));
  assert.ok(!passes(measured, 'part', 0));
  assert.ok(!passes(measured, 'interval', 1));
  assert.ok(!passes(measurePart(excessesOf(moments.slice(1))), 'part', 1));
  assert.ok(!passes(measurePart([]), 'part', 1));
});

test('edge: one bound that does not pass is enough to fail', () => {
  const lost = moments.map((each, i) =>
    i === 0 ? momentOf(each.symbol, each.entered_at, 100, { gone: true }) : each,
  );
  const measured = measurePart(excessesOf(lost));
  assert.equal(measured.part.high.t, 2530);
  assert.ok(!passes(measured, 'part', 1));
});

test('edge: signs and limits', () => {
  const signs = [-3, 0, 5].map((value) => signOf(meanError([{ week: 1, asset: 'A', value }])));
  assert.deepEqual(signs, [-1, 0, 1]);
  assert.equal(signOf(meanError([])), 0);
  assert.equal(clipped(2 ** 60), Number.MAX_SAFE_INTEGER);
  assert.equal(clipped(-(2 ** 60)), -Number.MAX_SAFE_INTEGER);
});

test('edge: the interval of both bounds has both intervals in it, whichever is the wider', () => {
  const low = { mean: 300, ci: [100, 500] as const, t: 3000 };
  const high = { mean: 400, ci: [-150, 450] as const, t: 900 };
  assert.deepEqual(jointInterval({ low, high }), [-150, 500]);
  assert.deepEqual(jointInterval({ low: high, high: low }), [-150, 500]);
  assert.equal(jointInterval({ low, high: { ...high, ci: null } }), null);
});

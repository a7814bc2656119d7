import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseStatistics, momentStatistics } from '@assay/core/terminal/edge/moment-statistics';
import { momentOf } from './edge-fixture.ts';

const moments = [400, -300, 0, 250, -100, 900].map((excess, i) => {
  const moment = momentOf(`A${i}`, 1_000_000_800 + i, excess, { gone: i === 1 });
  const after = moment.returns['7d'];
  assert.ok(after !== null);
  // The return is the excess and 50, the controls' return is 50.
  const returned = { ...after, ret: excess + 50, base: 50 };
  return { ...moment, returns: { '1d': returned, '7d': returned, '30d': null } };
});

test('statistics: middle, quarters and share by hand', () => {
  assert.deepEqual(momentStatistics(moments, '7d'), {
    n: 6,
    gone: 1,
    // 450, 50, 300 and 950 of six are above 0.
    up_share: 6667,
    // -250, -50, 50, 300, 450, 950: (50 + 300) / 2.
    median_ret: 175,
    // 1150 / 6 = 191.67.
    mean_excess: 192,
    // -300, -100, 0, 250, 400, 900: ranks 2 and 5, and (0 + 250) / 2.
    quarter_excess: -100,
    median_excess: 125,
    three_quarter_excess: 400,
  });
  assert.deepEqual(baseStatistics(moments, '7d'), { up_share: 10_000, median_ret: 50 });
});

test('statistics: only of moments whose horizon is over', () => {
  const { n, ...rest } = momentStatistics(moments, '30d');
  assert.equal(n, 0);
  assert.deepEqual(rest, {
    gone: 0,
    up_share: null,
    median_ret: null,
    mean_excess: null,
    quarter_excess: null,
    median_excess: null,
    three_quarter_excess: null,
  });
  assert.deepEqual(baseStatistics(moments, '30d'), { up_share: null, median_ret: null });
});

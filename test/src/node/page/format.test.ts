import assert from 'node:assert/strict';
import { test } from 'node:test';
import { briefDuration, duration, scaled } from '@assay/node/page/format';

test('format: a length of time has its two largest units, and no unit is passed over', () => {
  const cases = [
    [0, '0 seconds', '0 s'],
    [1, '1 second', '1 s'],
    [59, '59 seconds', '59 s'],
    [60, '1 minute', '1 min'],
    [3599, '59 minutes 59 seconds', '59 min 59 s'],
    [7200, '2 hours', '2 h'],
    [86_400, '1 day', '1 d'],
    [86_430, '1 day', '1 d'],
    [262_800, '3 days 1 hour', '3 d 1 h'],
    [-1800, '30 minutes', '−30 min'],
  ] as const;
  for (const [seconds, words, brief] of cases) {
    assert.equal(duration(seconds), words);
    assert.equal(briefDuration(seconds), brief);
  }
});

test('format: a scaled integer has its decimals, its groups and its sign', () => {
  assert.equal(scaled('197000', 0, 'count'), '197,000');
  assert.equal(scaled('-14', 1, 'percent'), '−1.4 %');
  assert.equal(scaled(null, 1, 'percent'), '—');
});

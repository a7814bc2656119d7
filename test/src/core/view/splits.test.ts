import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitsOf } from '@assay/core/view/splits';
import { GENESIS, SampleLog } from '../fixture.ts';

test('splits view: every split of an asset, in the order of the log', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  const split = {
    symbol: 'NVDA',
    effective_at: '2026-09-01T13:30:00Z',
    numerator: 10,
    denominator: 1,
  };
  log.append('split/1', split);
  log.append('split/1', { ...split, symbol: 'TSLA' });
  log.append('split/1', split);
  assert.deepEqual(splitsOf(log.views, 'NVDA'), [
    { ...split, seq: 1 },
    { ...split, seq: 3 },
  ]);
  assert.deepEqual(splitsOf(log.views, 'SPY'), []);
});

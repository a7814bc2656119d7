import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTime } from '@assay/core/time/time';
import { isBeside, splitBeside, splitsOf } from '@assay/core/view/splits';
import { GENESIS, SampleLog } from '../fixture/fixture.ts';

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

test('splits view: of an asset there is one a day', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  const at = (effective_at: string, symbol = 'NVDA') => ({
    symbol,
    effective_at: toTime(effective_at),
  });
  log.append('split/1', { ...at('2026-09-02T13:30:00Z'), numerator: 10, denominator: 1 });
  const beside = (split: ReturnType<typeof at>): number | undefined =>
    splitBeside(log.views, split)?.seq;
  assert.equal(beside(at('2026-09-02T13:30:00Z')), 1);
  assert.equal(beside(at('2026-09-01T13:30:01Z')), 1);
  assert.equal(beside(at('2026-09-03T13:29:59Z')), 1);
  assert.equal(beside(at('2026-09-03T13:30:00Z')), undefined);
  assert.equal(beside(at('2026-09-02T13:30:00Z', 'TSLA')), undefined);
  assert.equal(isBeside(at('2026-09-02T13:30:00Z'), at('2026-09-02T13:30:00Z', 'TSLA')), false);
});

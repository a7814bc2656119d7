import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STOCK_RULE } from '@assay/core/terminal/rule/score-rules';
import { EventGrounds } from '@assay/node/terminal/tick/event-grounds';
import { scoreRule } from '../../../core/terminal/score-rule-fixture.ts';

const always = (): boolean => true;
const OPENED = 100_001;

test('event grounds: both ends of the long return of all assets, and what an own score rests on', () => {
  const rule = scoreRule('crypto');
  const grounds = new EventGrounds(rule, [{ symbol: 'SOL', index: OPENED }]);
  const counts = (symbol: string, isGood = always): readonly number[] =>
    Array.from({ length: 4000 }, (_, i) => i - 3500)
      .filter((away) => grounds.has(OPENED + away, symbol, isGood))
      .reverse();
  assert.deepEqual(counts('BTC'), [0, -96]);
  const own = counts('SOL');
  // The opening, the short return, 30 volumes (one of them begins the long return), and an hourly row of samples.
  const odd = own.filter((away) => (OPENED + away) % 4 !== 0);
  assert.deepEqual(odd, [0, -4, ...Array.from({ length: 30 }, (_, i) => -96 * (i + 1))]);
  const hours = own.filter((away) => (OPENED + away) % 4 === 0);
  assert.equal(hours.length, 720 + 24);
  assert.deepEqual([hours[0], hours.at(-1)], [-1, -2973]);
});

test('event grounds: where a return may begin beside its place, only if that is not good', () => {
  const rule = scoreRule('crypto');
  const grounds = new EventGrounds(rule, [{ symbol: 'SOL', index: OPENED }]);
  const start = OPENED - 96;
  const bad =
    (...places: readonly number[]) =>
    (index: number): boolean =>
      !places.includes(index);
  for (const beside of [start - 1, start + 1]) {
    assert.equal(grounds.has(beside, 'BTC', always), false);
    assert.equal(grounds.has(beside, 'BTC', bad(start)), true);
    assert.equal(grounds.has(beside, 'BTC', bad(beside)), false);
  }
  assert.equal(grounds.has(start + 2, 'BTC', bad(start)), false);
  // A sample's own beginnings, of the event's asset alone.
  const sample = OPENED - 1 - 40;
  for (const place of [sample - 96, sample - 4]) {
    assert.equal(grounds.has(place - 1, 'SOL', bad(place)), true);
    assert.equal(grounds.has(place - 1, 'BTC', bad(place)), false);
  }
});

test('event grounds: samples of stocks are at no full hour, and are kept all the same', () => {
  const grounds = new EventGrounds(STOCK_RULE, [{ symbol: 'KO', index: 20_001 }]);
  const samples = Array.from({ length: 390 }, (_, i) => 20_000 - 2 * i);
  assert.ok(samples.every((index) => grounds.has(index, 'KO', always)));
  assert.equal(grounds.has(20_000 - 780 - 26 - 2, 'KO', always), false);
  assert.equal(grounds.has(20_002, 'KO', always), false);
  assert.equal(grounds.has(20_000, 'SPY', always), false);
});

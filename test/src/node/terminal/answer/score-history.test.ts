import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  HISTORY_SECONDS,
  type ReadLeaf,
  ScoreHistory,
} from '@assay/node/terminal/answer/score-history';

const START = 1_787_788_800;
const QUARTER = 900;

const leaf = (symbol: string, score: number | null, good = true): ReadLeaf => ({
  symbol,
  score,
  good,
});

test('score history: latest, an hour before, and full hours, oldest first', () => {
  const history = new ScoreHistory();
  assert.equal(history.newest, undefined);
  assert.equal(history.latest('BTC'), undefined);
  assert.equal(history.anHourBefore('BTC', START), null);
  for (let i = 0; i <= 9; i += 1) {
    const leaves = [leaf('BTC', i)];
    // ETH comes later, has no score once, and is not good at the end.
    if (i >= 2) leaves.push(leaf('ETH', i === 4 || i > 7 ? null : 50 + i, i <= 7));
    history.add(START + i * QUARTER, leaves);
  }
  assert.equal(history.newest, START + 9 * QUARTER);
  assert.equal(history.newestGood, START + 9 * QUARTER);
  assert.deepEqual(history.latest('BTC'), { ts: START + 9 * QUARTER, score: 9 });
  assert.equal(history.anHourBefore('BTC', START + 9 * QUARTER), 5);
  assert.deepEqual(history.hourly('BTC'), [
    { ts: START, score: 0 },
    { ts: START + 4 * QUARTER, score: 4 },
    { ts: START + 8 * QUARTER, score: 8 },
  ]);
  assert.deepEqual(history.latest('ETH'), { ts: START + 7 * QUARTER, score: 57 });
  assert.equal(history.anHourBefore('ETH', START + 5 * QUARTER), null);
  assert.deepEqual(history.hourly('ETH'), [
    { ts: START + 4 * QUARTER, score: null },
    { ts: START + 8 * QUARTER, score: null },
  ]);
  assert.equal(history.peak('BTC', START + 3 * QUARTER), 9);
  assert.equal(history.peak('ETH', START + 8 * QUARTER), null);
  assert.deepEqual(history.hourly('SOL'), []);
});

test('score history: a good reading without a score is the latest; a missed tick has no reading', () => {
  const history = new ScoreHistory();
  history.add(START, [leaf('BTC', 40)]);
  history.add(START + 8 * QUARTER, [leaf('BTC', null)]);
  assert.deepEqual(history.latest('BTC'), { ts: START + 8 * QUARTER, score: null });
  assert.equal(history.anHourBefore('BTC', START + 8 * QUARTER), null);
  history.add(START + 12 * QUARTER, []);
  assert.deepEqual(history.latest('BTC'), { ts: START + 8 * QUARTER, score: null });
});

test('score history: ticks that do not rise are left out', () => {
  const history = new ScoreHistory();
  history.add(START, [leaf('BTC', 40)]);
  history.add(START, [leaf('BTC', 41)]);
  history.add(START - QUARTER, [leaf('BTC', 42)]);
  assert.deepEqual(history.latest('BTC'), { ts: START, score: 40 });
  assert.deepEqual(history.hourly('BTC'), [{ ts: START, score: 40 }]);
});

test('score history: 30 days and no more, however long it goes on', () => {
  const history = new ScoreHistory();
  const ticks = 3 * (HISTORY_SECONDS / QUARTER) + 17;
  for (let i = 0; i < ticks; i += 1) history.add(START + i * QUARTER, [leaf('BTC', i % 101)]);
  const newest = START + (ticks - 1) * QUARTER;
  const hourly = history.hourly('BTC');
  assert.equal(hourly.length, 720 + (newest % 3600 === 0 ? 1 : 0));
  assert.ok((hourly[0]?.ts ?? 0) >= newest - HISTORY_SECONDS);
  for (const { ts, score } of hourly) assert.equal(score, ((ts - START) / QUARTER) % 101);
  // A gap takes what is older with it, and a stock's sparse ticks do not keep it.
  history.add(newest + HISTORY_SECONDS + QUARTER, [leaf('ETH', 5)]);
  assert.deepEqual(history.hourly('BTC'), []);
  assert.equal(history.latest('BTC'), undefined);
});

test('score history: the newest tick that was good for any asset, of the last 30 days', () => {
  const history = new ScoreHistory();
  assert.equal(history.newestGood, undefined);
  history.add(START, [leaf('BTC', null, false), leaf('ETH', null)]);
  history.add(START + QUARTER, [leaf('BTC', null, false), leaf('ETH', null, false)]);
  history.add(START + 2 * QUARTER, []);
  assert.equal(history.newestGood, START);
  history.add(START + HISTORY_SECONDS, [leaf('BTC', null, false)]);
  assert.equal(history.newestGood, START);
  history.add(START + HISTORY_SECONDS + QUARTER, [leaf('BTC', null, false)]);
  assert.equal(history.newestGood, undefined);
});

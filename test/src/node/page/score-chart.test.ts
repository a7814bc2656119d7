import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scoreChart } from '@assay/node/page/score-chart';

function hours(scores: readonly (number | null)[]): { ts: string; score: number | null }[] {
  return scores.map((score, at) => ({
    ts: new Date(Date.UTC(2026, 8, 1, at)).toISOString().replace('.000', ''),
    score,
  }));
}

test('score chart: each hour is as wide as the next, and runs of one score in one step', () => {
  const { text } = scoreChart(hours([0, 0, 0, 100, 40]), 'A <title>');
  assert.match(text, / d="M46 208h0h360l180 -200l180 120"/);
  assert.match(text, /A &lt;title&gt;/);
  assert.match(text, /scores from 0 to 100, the newest one 40/);
});

test('score chart: an hour without a score, or without a reading, is a gap', () => {
  const list = hours([10, null, 20, 20, 30]);
  assert.match(scoreChart(list, 'x').text, / d="M46 188h0M406 168h0h180l180 -20"/);
  assert.match(scoreChart(list.toSpliced(1, 1), 'x').text, / d="M46 188h0M406 168h0h180l180 -20"/);
});

test('score chart: without a score nothing is drawn', () => {
  assert.match(scoreChart([], 'x').text, /no score to draw/);
  assert.match(scoreChart(hours([null, null]), 'x').text, /no score to draw/);
});

test('score chart: 30 days are one unit an hour', () => {
  const list = hours(Array.from({ length: 720 }, (_, at) => (at < 360 ? 10 : 11)));
  assert.match(scoreChart(list, 'x').text, / d="M46 188h0h359l1 -2h359"/);
});

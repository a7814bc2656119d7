import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ChartPoint, gridOf, lineChart } from '@assay/node/page/chart';

const OPTIONS = { title: 'Claims', format: String };

function point(label: string, value: number, more: Partial<ChartPoint> = {}): ChartPoint {
  return { label, value, isHistory: false, ...more };
}

test('chart: the lines of the grid are round, in order and within the range', () => {
  assert.deepEqual(gridOf(0, 10), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(gridOf(188_000, 231_000), [190_000, 200_000, 210_000, 220_000, 230_000]);
  fc.assert(
    fc.property(
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e9, noNaN: true }),
      (low, span) => {
        const lines = gridOf(low, low + span);
        assert.ok(lines.length <= 7, String(lines.length));
        assert.deepEqual(
          lines,
          lines.toSorted((a, b) => a - b),
        );
      },
    ),
  );
});

test('chart: every value is in its drawing, with what those are told who do not see it', () => {
  const { text } = lineChart(
    [
      point('May', 3, { isHistory: true }),
      point('June', 1, { isHistory: true }),
      point('July', 2, { revised: 5 }),
      point('August', 2),
    ],
    OPTIONS,
  );
  assert.match(text, /From May to August\. The lowest value is 1, the highest 5, the newest 2\./);
  assert.equal(text.match(/class="revised"/g)?.length, 1);
  assert.match(text, /class="line history" d="M88 [\d.]+L308 [\d.]+L528 [\d.]+"/);
  assert.match(text, /class="line" d="M528 [\d.]+L748 [\d.]+"/);
  assert.doesNotMatch(text, /NaN|Infinity/);
});

test('chart: one value, equal values and none can be drawn', () => {
  for (const points of [[point('May', 0)], [point('May', 7), point('June', 7)]]) {
    assert.doesNotMatch(lineChart(points, OPTIONS).text, /NaN|Infinity/);
  }
  assert.match(lineChart([], OPTIONS).text, /nothing to draw/);
});

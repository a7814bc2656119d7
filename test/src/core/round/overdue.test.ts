import { clocksOf } from '@assay/core/rule/clocks';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDate, parseTime } from '@assay/core/time/time';
import { overduePeriods, releasedPeriods } from '@assay/core/round/overdue';
import { MemoryViews } from '@assay/core/view/state';
import { ABOUT } from '../../verifier/fixture/cosigner-log.ts';

const { views } = ABOUT.published;
const LAYOFFS = 'LAYOFFS' as never;
const NOW = parseTime('2026-08-31T00:00:00Z' as never);

test('released periods: newest first, so many at most, none of before the rule', () => {
  const two = releasedPeriods(views, LAYOFFS, NOW, 4).map(({ period }) => period);
  // Those of 2026-09-05 and 2026-08-29 are not released yet.
  assert.deepEqual(two, ['2026-08-22', '2026-08-15']);
  const all = releasedPeriods(views, LAYOFFS, NOW, 1000);
  assert.ok(all.length > 3 && all.every(({ rule }) => rule.release > parseTime(rule.at)));
  assert.deepEqual(releasedPeriods(new MemoryViews(), LAYOFFS, NOW, 8), []);
});

test('overdue periods: what is settled, or not due yet, is none', () => {
  const overdue = overduePeriods(views, LAYOFFS, NOW, 1000).map(({ period }) => period);
  assert.ok(!overdue.includes('2026-07-04' as never), 'it has a final');
  const [newest] = releasedPeriods(views, LAYOFFS, NOW, 3);
  const over =
    newest === undefined ? 0 : clocksOf(newest.rule.rule, parseDate(newest.period)).deadline;
  const at = (now: number) =>
    overduePeriods(views, LAYOFFS, now, 8).some(({ period }) => period === newest?.period);
  assert.deepEqual([at(over), at(over + 1)], [false, true]);
});

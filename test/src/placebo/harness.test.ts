import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { Measured } from '../../calibration/measured.ts';
import { Counts, missCounts } from '../../calibration/placebo/counts.ts';
import { LOTTERIES, played } from '../../calibration/placebo/lotteries.ts';
import { withPart } from '../../calibration/placebo/page-part.ts';
import { planOf, trialsOf } from '../../calibration/placebo/plan.ts';
import { runTrials } from '../../calibration/placebo/pool.ts';
import { recordedSection } from '../../calibration/placebo/recorded/recorded-section.ts';
import { shifted } from '../../calibration/placebo/recorded/shifts.ts';
import { simulatedSection } from '../../calibration/placebo/simulated-section.ts';
import type { Shown } from '../../calibration/placebo/shown.ts';
import { SPELLS, withSpell } from '../../calibration/placebo/spells.ts';
import { studyEnds } from '../../calibration/placebo/study-ends.ts';
import { countsOf, type Trial } from '../../calibration/placebo/trial.ts';
import { momentOf } from '../core/terminal/edge/edge-fixture.ts';

function trial(seed: number, version: 1 | 2, effects: readonly number[]): Trial {
  return { seed, assets: 80, days: 365, version, effects, monthly: false };
}

test('placebo: intervals have the truth, nothing holds by chance, and a large effect is found', async () => {
  const trials = Array.from({ length: 20 }, (_, seed) => trial(seed, 2, [0, 3000]));
  const counts = await runTrials(trials, 2);
  const missed = counts.of('miss|2|80|365|*|*|*');
  assert.ok(missed.of > 200, `${missed.of}`);
  assert.ok(missed.hits < 0.09 * missed.of, `${missed.hits} of ${missed.of}`);
  assert.ok(missed.hits > 0, 'an interval that always has the truth says nothing');
  assert.deepEqual(counts.of('holds|2|80|365|11|0|any'), { of: 20, hits: 0 });
  assert.ok(counts.of('holds|2|80|365|11|3000|any').hits >= 18);
  // The same on one thread, and in another order.
  const alone = new Counts();
  for (const each of trials.toReversed()) alone.add(countsOf(each));
  for (const name of ['miss|2|80|365|*|*|*', 'events|2|80|365', 'holds|2|80|365|11|*|*']) {
    assert.deepEqual(alone.of(name), counts.of(name));
  }
});

test('placebo: version 1 has intervals that miss', () => {
  const counts = new Counts();
  for (let seed = 0; seed < 4; seed += 1) counts.add(countsOf(trial(seed, 1, [0])));
  const missed = counts.of('miss|1|80|365|*|*|*');
  assert.ok(missed.of > 40 && missed.hits > 0, `${missed.hits} of ${missed.of}`);
});

test('placebo: a miss is a truth outside of the interval', () => {
  const shown = (low: number, high: number): Shown => ({
    group: 'up_5/some',
    weeks: 7,
    n: 9,
    isSized: true,
    interval: [low, high],
    holds: false,
    passes: false,
    holdsAlone: false,
  });
  const name = 'miss|5 to 9|sized';
  const of = (low: number, high: number): unknown => missCounts('miss', [shown(low, high)], 200);
  assert.deepEqual(of(-100, 199), [[name, 1, 1]]);
  assert.deepEqual(of(-100, 200), [[name, 1, 0]]);
  assert.deepEqual(of(201, 300), [[name, 1, 1]]);
  assert.deepEqual(missCounts('miss', [{ ...shown(0, 1), interval: null }], 200), []);
});

test('placebo: a year has ten monthly studies, and one of the whole year', () => {
  const ends = studyEnds(365 * 4);
  assert.deepEqual(
    ends.map(({ number }) => number),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  );
  // The first month is the January that begins 70 days after 2024-10-23; its study knows nothing of it.
  assert.deepEqual(ends[0], { number: 1, end: 70 * 4 - 1 });
  assert.deepEqual(ends[10], { number: 11, end: 365 * 4 });
});

test('placebo: a plan has each market without an effect once for each version', () => {
  const trials = trialsOf(planOf(50));
  const none = trials.filter(
    (each) =>
      each.assets === 80 && each.days === 365 && each.effects.includes(0) && each.lopsided !== true,
  );
  assert.equal(none.filter(({ version }) => version === 2).length, 50);
  assert.equal(none.filter(({ version }) => version === 1).length, 2);
  assert.equal(new Set(none.map(({ seed, version }) => `${seed} ${version}`)).size, 52);
});

test('placebo: a rare large gain that has not come makes no group hold, and would without two events against it', () => {
  const counts = new Counts();
  for (let seed = 0; seed < 6; seed += 1) {
    counts.add(countsOf({ ...trial(seed, 2, [0]), monthly: true, lopsided: true }));
  }
  const worst = LOTTERIES.findIndex(({ size, onTop }) => size === 30_000 && !onTop);
  assert.deepEqual(counts.of(`lopsided|${worst}|holds`), { of: 6, hits: 0 });
  assert.ok(counts.of(`lopsided|${worst}|alone`).hits > 3);
  const missed = counts.of(`lopsided|${worst}|miss`);
  assert.ok(missed.hits > 0.2 * missed.of, 'the page says that intervals miss there');
});

test('placebo: a lottery gains nothing on average, by events and by weeks', () => {
  const weeks = Array.from({ length: 40_000 }, (_, i) => momentOf('A0', 604_800 * i + 900, 0));
  for (const lottery of LOTTERIES) {
    const gains = played(weeks, lottery, 3).map(({ returns }) => returns['7d']?.ret ?? 0);
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
    const error = Math.abs(lottery.size) / Math.sqrt(lottery.oneIn * gains.length);
    assert.ok(Math.abs(mean) < 4 * error, `${lottery.name}: ${mean}`);
  }
  const sameWeek = Array.from({ length: 300 }, (_, i) => momentOf('A0', 604_800 + i, 0));
  const byWeek = LOTTERIES.find((each) => each.byWeek);
  assert.ok(byWeek !== undefined);
  assert.equal(
    new Set(played(sameWeek, byWeek, 3).map(({ returns }) => returns['7d']?.ret)).size,
    1,
  );
});

test('placebo: a spell is the same for all events of a week, goes on in the next, and has its size', () => {
  const weeks = Array.from({ length: 40_000 }, (_, i) => momentOf('A0', 604_800 * i + 900, 0));
  for (const spell of SPELLS) {
    const parts = withSpell(weeks, spell, 3).map(({ returns }) => returns['7d']?.ret ?? 0);
    const square = parts.reduce((sum, part) => sum + part * part, 0) / parts.length;
    const product = parts.slice(1).reduce((sum, part, i) => sum + part * (parts[i] ?? 0), 0);
    assert.ok(Math.abs(Math.sqrt(square) - 300) < 25, `${Math.sqrt(square)}`);
    assert.ok(Math.abs(product / parts.length / square - spell.kept) < 0.03, spell.name);
  }
  const [spell] = SPELLS;
  assert.ok(spell !== undefined);
  const sameWeek = [10, 20].map((by) => momentOf('A0', 604_800 + by, 0));
  const [first, second] = withSpell(sameWeek, spell, 3);
  assert.equal(first?.returns['7d']?.ret, second?.returns['7d']?.ret);
});

test('placebo: calendars move by whole weeks, and come in again at the start', () => {
  const size = 40 * 96;
  const column = new Int32Array(size).fill(1);
  const asset: Measured = {
    symbol: 'A',
    size,
    index: Int32Array.from(column, (_, i) => 1000 + i),
    price: new Float64Array(size).fill(1),
    move: column,
    zLong: column,
    volMult: column,
    zShort: column,
  };
  const opening = { asset, index: 1010, move: 900, breadth: { up: 1, down: 0, of: 1 } };
  const moved = (index: number, by: number): readonly number[] =>
    shifted([{ ...opening, index }], { first: 1000, weeks: 3 }, by).map((each) => each.index);
  assert.deepEqual(moved(1010, 1), [1010 + 672]);
  assert.deepEqual(moved(1010, 2), [1010 + 2 * 672]);
  assert.deepEqual(moved(1010 + 2 * 672, 2), [1010 + 672]);
  assert.deepEqual(moved(1000 + 3 * 672, 1), [], 'outside of the span');
  assert.deepEqual(moved(999, 1), []);
});

test('placebo: a part of the page is written between its marks', () => {
  const page = 'a\n<!-- placebo simulated -->\nold\n<!-- end of placebo simulated -->\nb\n';
  const written = withPart(page, 'simulated', 'new\n');
  assert.equal(
    written,
    'a\n<!-- placebo simulated -->\n\nnew\n\n<!-- end of placebo simulated -->\nb\n',
  );
  assert.equal(withPart(written, 'simulated', 'new\n'), written);
  assert.throws(
    () => withPart(page, 'recorded', 'new'),
    (error: unknown) => error instanceof Fault && error.code === 'malformed',
  );
});

test('placebo: the page says how many of how many', () => {
  const counts = new Counts();
  counts.add([
    ['miss|2|80|365|alike|5 to 9|sized', 20, 1],
    ['events|2|80|365', 2, 1100],
    ['holds|2|80|365|11|2000|any', 10, 9],
    ['holds|shifts|2|any', 40, 0],
    ['miss|shifts|2|5 to 9|sized', 50, 4],
  ]);
  const text = simulatedSection(counts, planOf(2400));
  assert.match(text, /misses the truth \| 3 to 7 % \|\s*\| 5\.0 % \(1 of 20\) \|/);
  assert.match(text, /On average 550 events/);
  assert.match(
    text,
    /one year of 80 assets version 2 finds some group at least every other time from 20 points on/,
  );
  const recorded = recordedSection(counts, { labels: 3, halves: 4 }, 'Files: two.');
  assert.match(recorded, /by each of 40 numbers/);
  assert.match(recorded, /^Recorded: two\.$/m, 'the page has one line of files');
  assert.match(
    recorded,
    /\| shifts \| 2 \| 8\.0 % \(4 of 50\) \| 8\.0 % \(4 of 50\) \| 0\.0 % \(0 of 40\) \|/,
  );
});

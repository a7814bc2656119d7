import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_GROUPS } from '@assay/core/kind/event-group';
import {
  EDGE_REASONS,
  type EdgeGroup,
  edgeGroups,
  type EdgeGroups,
  type EdgeReason,
  isChosenHalf,
} from '@assay/core/terminal/edge/edge-groups';
import type { StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { parseTime } from '@assay/core/time/time';
import { sha256 } from '../../fixture/fixture.ts';
import { Random } from '../random.ts';
import { momentOf } from './edge-fixture.ts';

const START = parseTime('2025-01-01T00:15:00Z');
const WEEK = 604_800;
const SYMBOLS = Array.from({ length: 40 }, (_, i) => `A${i}`);
const WEEKS = 52;
/** Where the later stretch of a year of moments begins. */
const LATER = parseTime('2025-07-01T00:00:00Z');

/** A year in which each moment returned `excess` more than its controls, and noise. */
function year(excess: number): readonly StudyMoment[] {
  const random = new Random(17);
  return Array.from({ length: WEEKS }, (_, week) =>
    Array.from({ length: 4 }, (__, i) => {
      const symbol = SYMBOLS[(7 * week + 11 * i) % SYMBOLS.length] as string;
      const ts = START + week * WEEK + 900 * i;
      return momentOf(symbol, ts, excess + random.below(401) - 200);
    }),
  ).flat();
}

const groups = (moments: readonly StudyMoment[], number = 1): EdgeGroups =>
  edgeGroups(sha256, 'crypto', number, moments);

function studied(moments: readonly StudyMoment[], number = 1): EdgeGroup {
  const own = groups(moments, number).groups.find(
    ({ bucket, breadth }) => bucket === 'up_5' && breadth === 'broad',
  );
  return own as EdgeGroup;
}

const without = (moment: StudyMoment): StudyMoment => withExcess(moment, () => 0);

function withExcess(moment: StudyMoment, change: (ret: number) => number): StudyMoment {
  const after = moment.returns['7d'];
  assert.ok(after !== null);
  const returned = { ...after, ret: change(after.ret) };
  return { ...moment, returns: { ...moment.returns, '7d': returned } };
}

const isChosen = ({ symbol }: StudyMoment): boolean => isChosenHalf(sha256, 'crypto', symbol);
const isLater = ({ entered_at }: StudyMoment): boolean => entered_at >= LATER;
const isEarlier = ({ entered_at }: StudyMoment): boolean => entered_at + WEEK + 21_600 <= LATER;

test('groups: one holds that is there on all assets and at all times', () => {
  const moments = year(300);
  const { later_from, groups: all } = groups(moments);
  assert.equal(later_from, LATER);
  assert.deepEqual(
    all.map(({ bucket, breadth }) => ({ bucket, breadth })),
    EVENT_GROUPS,
  );
  assert.equal(all.filter(({ withheld }) => withheld.length === 0).length, 1);
  const { whole, chosen, other_assets, later, n_dates, withheld } = studied(moments);
  assert.deepEqual(withheld, []);
  assert.equal(whole.n, moments.length);
  assert.equal(n_dates, WEEKS);
  assert.equal(chosen.n, moments.filter((each) => isChosen(each) && isEarlier(each)).length);
  assert.equal(later.n, moments.filter(isLater).length);
  assert.equal(other_assets.n, moments.filter((each) => !isChosen(each) && isLater(each)).length);
  assert.ok(Math.abs((whole.low.mean ?? 0) - 300) < 30);
});

/** A moment of another group. */
function farAway(excess: number): StudyMoment {
  return momentOf('A0', LATER + WEEK, excess, { bucket: 'down_5', breadth: 'alone' });
}

test('groups: two events against it are of their own weeks and assets, and as large as the largest of any group', () => {
  const moments = [...year(300), farAway(-2000)];
  const { whole, two_against } = studied(moments);
  const size = (value: number | null): number => value ?? Number.NaN;
  assert.deepEqual(
    [two_against.n, two_against.n_weeks, two_against.n_assets],
    [whole.n + 2, whole.n_weeks + 2, whole.n_assets + 2],
  );
  const sum = size(whole.low.mean) * whole.n - 2 * 2000;
  assert.ok(Math.abs(size(two_against.low.mean) - sum / (whole.n + 2)) < 2);
  const fallen = studied([...year(-300), farAway(-2000)]);
  assert.ok(size(fallen.two_against.low.mean) > size(fallen.whole.low.mean));
  assert.equal(studied([farAway(-2000)]).two_against.n, 0);
});

test('groups: small losses do not hold while a large gain may still come', () => {
  // Every event loses a little, in every part; somewhere in the study one gained twenty times as much as any lost.
  const losses = year(-300);
  assert.deepEqual(studied(losses).withheld, []);
  assert.deepEqual(studied([...losses, farAway(30_000)]).withheld, ['two_against']);
});

test('groups: a fall is an edge as well', () => {
  const { whole, withheld } = studied(year(-300));
  assert.deepEqual(withheld, []);
  assert.ok((whole.low.ci?.[1] ?? 0) < 0 && (whole.low.t ?? 0) < 0);
});

test('groups: none holds on noise', () => {
  assert.ok(groups(year(0)).groups.every(({ withheld }) => withheld.length > 0));
});

test('groups: each reason, where nothing else is wrong', () => {
  const cases: Readonly<Record<EdgeReason, readonly StudyMoment[]>> = {
    // Four weeks of many moments: the interval of the parts is not there either.
    few_weeks: year(300).filter(({ entered_at }) => entered_at < START + 4 * WEEK),
    few_assets: year(300).filter(({ symbol }) => ['A0', 'A1', 'A2', 'A3'].includes(symbol)),
    // Too weak for all groups and months together, and enough for each part.
    family: year(56),
    // The later months of the study have one return in another group that is larger than all of these together.
    two_against: [...year(300), farAway(60_000)],
    not_chosen: year(300).map((each) => (isChosen(each) && isEarlier(each) ? without(each) : each)),
    // Few of the later moments, so that the later stretch as a whole still passes.
    other_assets: year(300).map((each, i) =>
      !isChosen(each) && isLater(each) ? withExcess(each, () => (i % 2 === 0 ? 900 : -600)) : each,
    ),
    later: year(300).map((each) => (isLater(each) ? without(each) : each)),
  };
  for (const reason of EDGE_REASONS) {
    const { withheld } = studied(cases[reason], reason === 'family' ? 1023 : 1);
    assert.ok(withheld.includes(reason), `${reason} is not among ${withheld.join(', ')}`);
    // What is not in the later months is not on the other assets of those months either.
    if (reason === 'later') assert.deepEqual(withheld, ['later', 'other_assets']);
    else if (!reason.startsWith('few_')) assert.deepEqual(withheld, [reason]);
  }
});

test('groups: a part on the other side is no replication, however far it is', () => {
  const turned = year(300).map((each) =>
    each.entered_at >= LATER ? withExcess(each, (ret) => Math.round(-ret / 8)) : each,
  );
  const { withheld, later } = studied(turned);
  assert.ok((later.low.ci?.[1] ?? 0) < 0);
  // Two halves that differ are neighbouring weeks that are alike, so that the whole is not certain either.
  assert.deepEqual(withheld, ['family', 'later', 'other_assets']);
});

test('groups: both bounds have to hold', () => {
  // Every tenth asset of the later stretch was delisted at a good last price.
  const moments = year(300).map((each, i) => {
    const after = each.returns['7d'];
    assert.ok(after !== null);
    const gone = each.entered_at >= LATER && i % 10 === 0;
    return { ...each, returns: { ...each.returns, '7d': { ...after, gone } } };
  });
  const { whole, later, withheld } = studied(moments);
  assert.ok((later.high.t ?? 0) > 10_000);
  assert.ok((whole.low.mean ?? 0) < 0);
  assert.ok(withheld.includes('later') && withheld.includes('family'));
});

test('groups: what may be spent falls with the number of the study', () => {
  const weak = year(45);
  assert.ok(!studied(weak, 1).withheld.includes('family'));
  assert.ok(studied(weak, 1023).withheld.includes('family'));
  assert.deepEqual(studied(weak, 8), studied(weak, 15));
});

test('groups: the two stretches share no day of a return', () => {
  const chosenOne = SYMBOLS.find((symbol) => isChosenHalf(sha256, 'crypto', symbol)) as string;
  const other = SYMBOLS.find((symbol) => !isChosenHalf(sha256, 'crypto', symbol)) as string;
  const border = (entered_at: number): EdgeGroup =>
    studied([...year(300), momentOf(chosenOne, entered_at, 300), momentOf(other, entered_at, 300)]);
  const known = studied(year(300));
  const cases: readonly (readonly [number, number, number])[] = [
    // entered_at, more moments in `chosen`, more in `later`
    [LATER - WEEK - 21_600, 1, 0],
    [LATER - WEEK - 21_600 + 900, 0, 0],
    [LATER - 900, 0, 0],
    [LATER, 0, 2],
  ];
  for (const [entered, chosen, later] of cases) {
    const found = border(entered);
    assert.equal(found.chosen.n, known.chosen.n + chosen, String(entered - LATER));
    assert.equal(found.later.n, known.later.n + later, String(entered - LATER));
  }
});

test('groups: where the later stretch begins', () => {
  const from = (...times: readonly string[]): number | null =>
    groups(times.map((time) => momentOf('A0', parseTime(time), 1))).later_from;
  assert.equal(groups([]).later_from, null);
  assert.equal(from('2025-03-31T23:45:00Z'), parseTime('2025-03-01T00:00:00Z'));
  assert.equal(
    from('2025-01-31T23:45:00Z', '2025-02-01T00:00:00Z'),
    parseTime('2025-02-01T00:00:00Z'),
  );
  assert.equal(
    from('2024-11-05T00:00:00Z', '2025-01-05T00:00:00Z'),
    parseTime('2024-12-01T00:00:00Z'),
  );
});

test('groups: without moments there is nothing, and every reason', () => {
  for (const group of groups([]).groups) {
    assert.deepEqual(group.withheld, EDGE_REASONS);
    assert.deepEqual(group.whole.low, { mean: null, ci: null, t: null });
    assert.equal(group.top_date_share, 0);
    assert.equal(group.horizons['7d'].median_ret, null);
  }
});

test('groups: an excess at the ends of integers is limited, and so is what follows from it', () => {
  const max = Number.MAX_SAFE_INTEGER;
  const extreme = year(0).map((each, i) => withExcess(each, () => (i % 3 === 0 ? max : -10_000)));
  const { whole } = studied(extreme);
  assert.ok(whole.low.ci?.every((end) => Number.isSafeInteger(end)));
  assert.ok(Number.isSafeInteger(whole.low.mean));
});

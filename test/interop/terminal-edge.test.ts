import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '@assay/core/wire/canonical';
import { type EdgeStudy, formatEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { EDGE_REASONS, edgeGroups, isChosenHalf } from '@assay/core/terminal/edge/edge-groups';
import type { MomentReturn, StudyMoment } from '@assay/core/terminal/edge/study-moment';
import fc from 'fast-check';
import { sha256, SOME_HASH, vectors } from '../src/core/fixture/fixture.ts';
import { chance, hasPython, LONG, SEED, twin } from './terminal-peers.ts';

const DAY = 86_400;
const START = Date.parse('2024-10-03T00:15:00Z') / 1000;
const MOST = Number.MAX_SAFE_INTEGER;

/** What moments are made of: returns, and the most assets, days, moments and groups. */
interface Shape {
  readonly returns: fc.Arbitrary<number>;
  /** Of the controls; as `returns` where it is not there. */
  readonly bases?: fc.Arbitrary<number>;
  readonly assets: number;
  readonly days: number;
  readonly most: number;
  readonly groups: number;
}

const usual = fc.integer({ min: -3000, max: 4000 });
const SHAPES: Readonly<Record<string, Shape>> = {
  few: { returns: usual, assets: 8, days: 90, most: 12, groups: 2 },
  'all groups': { returns: usual, assets: 80, days: 500, most: 200, groups: 18 },
  'one group': { returns: usual, assets: 30, days: 400, most: 150, groups: 1 },
  'one week': { returns: usual, assets: 30, days: 5, most: 60, groups: 1 },
  'one asset': { returns: usual, assets: 1, days: 400, most: 60, groups: 1 },
  ties: { returns: fc.constantFrom(-1, 0, 1, 250), assets: 12, days: 100, most: 90, groups: 1 },
  equal: {
    returns: fc.constant(250),
    bases: fc.constant(100),
    assets: 12,
    days: 100,
    most: 90,
    groups: 1,
  },
  extreme: {
    returns: fc.constantFrom(-10_000, -9_999, 0, MOST - 1, MOST),
    assets: 12,
    days: 100,
    most: 90,
    groups: 1,
  },
  'huge and near': {
    returns: fc.constantFrom(MOST - 1, MOST),
    bases: fc.constant(0),
    assets: 12,
    days: 100,
    most: 90,
    groups: 1,
  },
  'five weeks': { returns: usual, assets: 5, days: 36, most: 40, groups: 1 },
};

function returnOf({ returns, bases = returns }: Shape): fc.Arbitrary<MomentReturn> {
  return fc.record({
    ret: returns,
    gone: fc.nat(9).map((n) => n === 0),
    base: bases,
    base_lost: bases,
    gone_controls: fc.nat(3),
    unpriced_controls: fc.nat(3),
  });
}

const BUCKETS = ['down_15', 'down_5', 'within_5', 'up_5', 'up_15', 'up_30'] as const;
const BREADTHS = ['alone', 'some', 'broad'] as const;

function momentsOf(shape: Shape): fc.Arbitrary<StudyMoment[]> {
  const { assets, days, most, groups } = shape;
  const one = returnOf(shape);
  const moment = fc
    .record({
      id: fc.uuid(),
      asset: fc.nat(assets - 1),
      opened: fc.nat(days * 96),
      waited: fc.integer({ min: 1, max: 24 }),
      group: fc.nat(groups - 1),
      controls: fc.integer({ min: 5, max: 99 }),
      returns: fc.record({
        '1d': fc.option(one, { freq: 9 }),
        '7d': one,
        '30d': fc.option(one, { freq: 6 }),
      }),
    })
    .map(({ id, asset, opened, waited, group, controls, returns: found }): StudyMoment => ({
      id,
      symbol: `A${asset}`,
      opened_at: START + opened * 900,
      entered_at: START + (opened + waited) * 900,
      bucket: BUCKETS[Math.floor(group / 3)] ?? 'down_15',
      breadth: BREADTHS[group % 3] ?? 'alone',
      controls,
      returns: found,
    }));
  return fc.uniqueArray(moment, {
    maxLength: most,
    selector: ({ symbol, opened_at }) => `${symbol} ${opened_at}`,
    size: 'max',
  });
}

/** A moment of up_5/alone, `days` after the start. */
function momentAt(days: number, symbol: string, one: MomentReturn): StudyMoment {
  const opened_at = START + days * DAY;
  return {
    id: `${symbol} ${days}`,
    symbol,
    opened_at,
    entered_at: opened_at + 900,
    bucket: 'up_5',
    breadth: 'alone',
    controls: 20,
    returns: { '1d': one, '7d': one, '30d': null },
  };
}

const FLAT: MomentReturn = {
  ret: 0,
  gone: false,
  base: 0,
  base_lost: 0,
  gone_controls: 0,
  unpriced_controls: 0,
};

/** A group with an effect on every return; weeks and assets have their own part of the noise. */
function withEffect(effect: number, spread: number, salt: number): StudyMoment[] {
  const noise = (of: string) => chance(`${salt} ${of}`, 2 * spread) - spread;
  return Array.from({ length: 160 }, (_, i) => {
    const [week, asset] = [Math.floor(i / 3), chance(`${salt} asset ${i}`, 30)];
    const ret = effect + noise(`${week}`) + noise(`asset ${asset}`) + noise(`moment ${i}`);
    const gone = i % 50 === 49;
    const one = { ...FLAT, ret, gone, base_lost: -20, gone_controls: 1 };
    return momentAt(week * 7 + (i % 3), `A${asset}`, one);
  });
}

/** The same, and a moment of another group with an excess that is large at one bound alone. */
function withExtreme(effect: number, extreme: number, atHigh: boolean): StudyMoment[] {
  const one = atHigh ? { base: extreme } : { base_lost: extreme };
  const far = { ...FLAT, ret: extreme, ...one };
  return [...withEffect(effect, 20, 1), { ...momentAt(4, 'A0', far), bucket: 'down_5' }];
}

/**
 * Five moments of five assets in five weeks, none next to another: the squares of 3, 3, 1, 1 and 0 are 20 together, so
 * that `s` is 10^9, and `t` the mean in basis points. One of another group before them makes them all of the later stretch.
 */
function withT(mean: number): StudyMoment[] {
  const five = [3, -3, 1, -1, 0].map((times, i) =>
    momentAt(200 + 14 * i, `A${i}`, { ...FLAT, ret: mean + 1000 * times }),
  );
  return [{ ...momentAt(0, 'A5', FLAT), bucket: 'down_5' }, ...five];
}

const effects = fc
  .tuple(fc.integer({ min: -1500, max: 1500 }), fc.integer({ min: 1, max: 500 }), fc.nat(9999))
  .map(([effect, spread, salt]) => withEffect(effect, spread, salt));

interface Table {
  readonly degrees: readonly number[];
  readonly levels: Readonly<Record<string, readonly number[]>>;
}

const number = fc.oneof(fc.constantFrom(1, 2, 3, 4, 1023), fc.integer({ min: 1, max: 1023 }));

interface Listed {
  readonly moments: readonly StudyMoment[];
  readonly k: number;
}

/** What both make of the lists: the same bytes. */
async function compared(lists: readonly Listed[]): Promise<readonly EdgeStudy[]> {
  const asked = lists.map(({ moments, k }) => ({
    class: 'crypto' as const,
    rule: SOME_HASH,
    from: 0,
    to: 9,
    number: k,
    left_out: { few_controls: 1, no_entry: 2, no_exit: 3, not_over: 4 },
    moments: moments.toSorted(
      (a, b) => a.opened_at - b.opened_at || (a.symbol < b.symbol ? -1 : 1),
    ),
  }));
  const found = await twin(['edges'], asked.map((each) => `${canonicalize(each)}\n`).join(''));
  assert.equal(found.length, asked.length);
  return asked.map((each, i) => {
    const groups = edgeGroups(sha256, each.class, each.number, each.moments);
    const study = { type: 'assay-study/2' as const, ...each, ...groups };
    const own = Buffer.from(formatEdgeStudy(study)).toString();
    if (own !== found[i]) assert.deepEqual(JSON.parse(own), JSON.parse(found[i] ?? ''));
    assert.equal(own, found[i], `seed ${SEED}, study ${i}`);
    return study;
  });
}

test('terminal edge: groups of any moments are the same', { timeout: 3_600_000 }, async (t) => {
  if (!hasPython(t)) return;
  t.diagnostic(`seed ${SEED} (ASSAY_FUZZ_SEED)`);
  const numRuns = LONG ? 300 : 25;
  const lists = [...Object.values(SHAPES).map(momentsOf), effects]
    .flatMap((of) => fc.sample(fc.tuple(of, number), { seed: SEED, numRuns }))
    .map(([moments, k]) => ({ moments, k }));
  lists.push({ moments: [], k: 1 }, { moments: withEffect(1500, 20, 1), k: 1 });
  const studies = await compared(lists);
  const reasons = new Map<string, number>();
  for (const { groups } of studies) {
    for (const { whole, withheld } of groups) {
      if (whole.n === 0) continue;
      for (const reason of withheld.length === 0 ? ['holds'] : withheld) {
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
    }
  }
  t.diagnostic(
    `${studies.length} studies: ${[...reasons].map(([reason, n]) => `${reason} ${n}`).join(', ')}`,
  );
  for (const reason of ['holds', ...EDGE_REASONS]) assert.ok(reasons.has(reason), reason);
});

test('terminal edge: a set passes just from the quantile on', async (t) => {
  if (!hasPython(t)) return;
  const { degrees, levels } = vectors<Table>('base-rate/quantiles');
  const [part = 0] = levels['part'] ?? [];
  assert.equal(degrees[0], 4);
  const cases = Array.from({ length: 10 }, (_, i) => i + 1).flatMap((j) => {
    const [family = 0] = levels[`family/${j}`] ?? [];
    return [2 ** (j - 1), 2 ** j - 1].flatMap((k) => [
      { k, mean: family, passes: true },
      { k, mean: family - 1, passes: false },
      { k, mean: -family, passes: true },
      { k, mean: 1 - family, passes: false },
    ]);
  });
  const studies = await compared(cases.map(({ k, mean }) => ({ k, moments: withT(mean) })));
  for (const [i, { groups }] of studies.entries()) {
    const { whole, withheld } = groups.find(({ whole: { n } }) => n === 5) ?? assert.fail();
    assert.equal(whole.low.t, cases[i]?.mean);
    assert.equal(!withheld.includes('family'), cases[i]?.passes, `case ${i}`);
  }
  const later = await compared([part, part - 1].map((mean) => ({ k: 1, moments: withT(mean) })));
  assert.deepEqual(
    later.map(({ groups }) =>
      groups.some(
        (each) => each.whole.n === 5 && each.later.n === 5 && !each.withheld.includes('later'),
      ),
    ),
    [true, false],
  );
});

test('terminal edge: moments that just belong to a stretch', async (t) => {
  if (!hasPython(t)) return;
  const laterFrom = Date.parse('2025-04-01T00:00:00Z') / 1000;
  const entries = [-7 * DAY - 21_600, 0].flatMap((from) =>
    [-900, 0, 900].map((by) => laterFrom + from + by),
  );
  const near = entries.flatMap((entered_at) =>
    ['A1', 'A2', 'A3', 'A4', 'A5'].map((symbol) => ({
      ...momentAt(0, symbol, FLAT),
      opened_at: entered_at - 900,
      entered_at,
    })),
  );
  const [study] = await compared([{ moments: [...withEffect(1500, 20, 1), ...near], k: 1 }]);
  assert.equal(study?.later_from, laterFrom);
  const symbols = near.map(({ symbol }) => isChosenHalf(sha256, 'crypto', symbol));
  assert.ok(symbols.includes(true) && symbols.includes(false));
});

test('terminal edge: an excess of another group against the whole, at either bound', async (t) => {
  if (!hasPython(t)) return;
  const cases = [1500, -1500].flatMap((effect) =>
    [30_000, 3_000_000, MOST].flatMap((extreme) =>
      [true, false].map((atHigh) => ({ moments: withExtreme(effect, extreme, atHigh), k: 1 })),
    ),
  );
  const studies = await compared(cases);
  const withheld = studies.map(
    ({ groups }) => groups.find(({ whole: { n } }) => n === 160)?.withheld,
  );
  const bad = [['two_against'], ['two_against'], ['two_against'], ['two_against']];
  assert.deepEqual(withheld, [[], [], ...bad, [], [], ...bad]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeStudy, type StudyData, type StudyEvent } from '@assay/core/terminal/study/base-rate';
import { groupOf } from '@assay/core/kind/event-group';
import { excessOf } from '@assay/core/terminal/study/return-statistics';
import type { StudyGroup, WithheldReason } from '@assay/core/terminal/study/study-blob';
import { sha256 } from '../../fixture/fixture.ts';
import { ordinaryOf } from '../study-fixture.ts';
import { syntheticStudy } from '../synthetic-study.ts';

const { ordinary_rows, data, study } = syntheticStudy();

function up5(change: Partial<StudyData>): StudyGroup {
  const { groups } = makeStudy(sha256, { ...data, ...change });
  const found = groups.find(({ bucket, breadth }) => bucket === 'up_5' && breadth === 'some');
  assert.ok(found !== undefined);
  return found;
}

/** The synthetic events, with those of the group that holds changed. */
function eventsWith(change: (event: StudyEvent, i: number) => readonly StudyEvent[]): StudyEvent[] {
  let i = -1;
  return data.events.flatMap((event) => {
    if (
      excessOf(event.returns['7d']) === null ||
      groupOf(event.move_24h, event.breadth)?.bucket !== 'up_5'
    )
      return [event];
    i += 1;
    return change(event, i);
  });
}

function excess(event: StudyEvent, ret: number): StudyEvent {
  return { ...event, returns: { ...event.returns, '7d': { ret, benchmark: 0 } } };
}

test('base rate: the synthetic study, computed apart, in which one group holds', () => {
  assert.deepEqual(ordinaryOf(ordinary_rows), data.ordinary);
  assert.deepEqual(makeStudy(sha256, data), study);
  assert.deepEqual(
    study.groups.filter(({ withheld }) => withheld.length === 0).map(({ bucket }) => bucket),
    ['up_5'],
  );
});

test('base rate: the order of the events says nothing', () => {
  assert.deepEqual(makeStudy(sha256, { ...data, events: data.events.toReversed() }), study);
});

test('base rate: nothing that a publisher may choose moves the draws', () => {
  const { horizons, excess_7d } = data.ordinary;
  const month = { ...horizons['30d'], median_ret: 1 + (horizons['30d'].median_ret ?? 0) };
  const changes: readonly Partial<StudyData>[] = [
    { to: data.to + 1 },
    { rule: 'ab'.repeat(32) as StudyData['rule'] },
    { ordinary: { horizons: { ...horizons, '30d': month }, excess_7d } },
    // Of no group: a closed event without a move, before all others.
    {
      events: [{ ...(data.events[0] as StudyEvent), opened_at: 1, move_24h: null }, ...data.events],
    },
    {
      events: data.events.map(({ id, ...event }) => ({
        ...event,
        id: id.replace(/^./, 'f'),
        returns: { ...event.returns, '30d': NONE },
      })),
    },
  ];
  const drawn = (groups: readonly StudyGroup[]): unknown =>
    groups.map(({ edge_7d, edge_7d_ci, p_draws }) => [edge_7d, edge_7d_ci, p_draws]);
  for (const change of changes) {
    const other = makeStudy(sha256, { ...data, ...change });
    assert.notEqual(other.data, study.data);
    assert.deepEqual(drawn(other.groups), drawn(study.groups));
  }
});

test('base rate: no p is 0, and none above 1', () => {
  const sure = up5({ events: eventsWith((event, i) => [excess(event, 4000 + i)]) });
  assert.equal(sure.p_draws, 2);
  const even = up5({
    ordinary: ordinaryOf([{ '1d': NONE, '7d': { ret: 10, benchmark: 0 }, '30d': NONE }]),
    events: eventsWith((event) => [excess(event, 10)]),
  });
  assert.equal(even.p_draws, 2001);
});

test('base rate: each condition alone withholds', () => {
  const cases: readonly (readonly [WithheldReason, Partial<StudyData>])[] = [
    ['few_events', { events: eventsWith((event, i) => (i < 49 ? [event] : [])) }],
    [
      'few_dates',
      { events: eventsWith((event, i) => [{ ...event, opened_at: 86_400 * (i % 19) + i }]) },
    ],
    [
      'one_date',
      { events: eventsWith((event, i) => [i % 4 === 0 ? { ...event, opened_at: i } : event]) },
    ],
    [
      'halves_differ',
      // The later half is a little below the ordinary mean, the earlier one far above it.
      {
        events: eventsWith((event, i) => [excess(event, i < 28 ? 2000 + i : -200)]),
      },
    ],
  ];
  for (const [reason, change] of cases) assert.deepEqual(up5(change).withheld, [reason], reason);
});

test('base rate: an interval that reaches no edge withholds, and so does chance', () => {
  const noisy = up5({
    events: eventsWith((event, i) => [excess(event, (i % 4 < 2 ? 900 : -900) + 30 * (i % 2))]),
  });
  assert.ok(noisy.withheld.includes('interval') && noisy.withheld.includes('false_discovery'));
  const [low, high] = noisy.edge_7d_ci ?? [0, 0];
  assert.ok(low < 0 && high > 0);
});

test('base rate: without ordinary moments nothing holds', () => {
  const empty = up5({ ordinary: ordinaryOf([]) });
  assert.deepEqual(empty.withheld, ['no_ordinary', 'halves_differ', 'interval', 'false_discovery']);
  assert.deepEqual([empty.edge_7d, empty.edge_7d_ci, empty.p_draws], [null, null, null]);
});

test('base rate: the counts at which a group holds are taken in', () => {
  const events = eventsWith((event, i) =>
    i < 50 ? [excess({ ...event, opened_at: 86_400 * (i < 10 ? 0 : 1 + (i % 19)) }, 500 + i)] : [],
  );
  const { n, n_dates, top_date_share, withheld } = up5({ events });
  assert.deepEqual([n, n_dates, top_date_share, withheld], [50, 20, 2000, []]);
});

test('base rate: an edge of one half that is exactly none has no sign', () => {
  const ordinary = ordinaryOf([{ '1d': NONE, '7d': { ret: 10, benchmark: 0 }, '30d': NONE }]);
  const events = eventsWith((event, i) => [excess(event, i < 28 ? 10 : 500 + i)]);
  assert.ok(up5({ ordinary, events }).withheld.includes('halves_differ'));
});

test('base rate: of an odd number of dates the middle one is in the later half', () => {
  const NOTHING = ordinaryOf([{ '1d': NONE, '7d': { ret: 0, benchmark: 0 }, '30d': NONE }]);
  const events = eventsWith((event, i) => {
    const day = i % 21;
    return [
      excess({ ...event, opened_at: 86_400 * day + i }, day === 10 ? -999 : day < 10 ? 9 : 500),
    ];
  });
  const group = up5({ ordinary: NOTHING, events });
  assert.equal(group.n_dates, 21);
  assert.ok(!group.withheld.includes('halves_differ'));
});

test('base rate: groups of a few events make nothing else a discovery', () => {
  const weak = eventsWith((event, i) => [excess(event, (i % 4 < 2 ? 900 : -900) + 430)]);
  // One event in each of the other groups of small moves: each alone has an interval of one point, and the smallest p.
  const few = (['alone', 'broad'] as const).flatMap((breadth) =>
    [-2000, -700, 0, 1600, 3100].map((move_24h, i): StudyEvent => {
      const up = breadth === 'alone' ? 1 : 70;
      const [base] = data.events as [StudyEvent];
      const of = { up, down: up, of: 80 };
      return excess({ ...base, symbol: `S${i}${breadth}`, move_24h, breadth: of }, 4000);
    }),
  );
  for (const events of [weak, [...weak, ...few]]) {
    const { withheld, p_draws } = up5({ events });
    assert.deepEqual(withheld, ['false_discovery']);
    // Above 0.1 / 18, the limit of the first alone, and below that of the tenth.
    assert.ok(p_draws !== null && p_draws > 12 && p_draws < 111, String(p_draws));
  }
});

const NONE = { ret: null, benchmark: null };

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftGrades, gradedBy } from '@assay/core/arena/grade-draft';
import { houseHandles } from '@assay/core/arena/forecast/house';
import { MAX_RESULTS } from '@assay/core/kind/grade';
import { isGraded } from '@assay/core/view/rounds';
import { sha256 } from '../fixture/fixture.ts';
import { ArenaLog, secretForecaster } from './arena-log.ts';

const [ADA, BOB, EVE] = [secretForecaster('ada'), secretForecaster('bob'), secretForecaster('eve')];
const AT = '2026-08-03T02:00:01Z';
const [LAST, MEDIAN] = houseHandles(sha256) as [string, string];
const ID = 'layoffs-2026-08-02';
const VOID = { status: 'void', reason: 'no_quorum', settleable: false, dispersion: null };

function world(): ArenaLog {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  log.open('2026-08-03T02:00:00Z');
  return log;
}

function opened(log: ArenaLog): ArenaLog {
  log.freeze(ID, '2026-08-03T07:30:00Z');
  log.unseal(ID);
  return log;
}

test('grade draft: results in the order of the forecasts that count, and then the house', () => {
  const log = world();
  log.take(ID, ADA, 1n, AT);
  log.take(ID, BOB, 1090n, AT, { isSealed: true });
  log.take(ID, ADA, 1100n, AT);
  opened(log);
  assert.equal(draftGrades(log.views, log.round(ID), log.values(ID)), undefined, 'no print yet');
  log.print('2026-08-02', '1100', '2026-08-03T08:40:00Z');
  const grades = draftGrades(log.views, log.round(ID), log.values(ID));
  assert.deepEqual(
    grades?.map(({ results }) => results),
    [
      [
        { handle: BOB.handle, value: '1090', points: 96 },
        { handle: ADA.handle, value: '1100', points: 100 },
        { handle: LAST, value: '1000', points: 64 },
        { handle: MEDIAN, value: '1000', points: 64 },
      ],
    ],
  );
  const { print, count, unopened, void_reason } = grades?.[0] ?? {};
  assert.deepEqual([print, count, unopened, void_reason], ['1100', 2, 0, null]);
});

test('grade draft: what does not open is a zero, and is counted', () => {
  const log = world();
  const own = log.take(ID, ADA, 1000n, AT, { isSealed: true });
  log.take(ID, EVE, 1000n, AT, { isSealed: true, change: { sealed: own.sealed } });
  log.take(ID, BOB, 1000n, AT);
  log.plain.delete(`${ID} 2`);
  opened(log);
  log.print('2026-08-02', '1000', '2026-08-03T08:40:00Z');
  const [grade] = draftGrades(log.views, log.round(ID), log.values(ID)) ?? [];
  assert.deepEqual(grade?.results.slice(0, 3), [
    { handle: ADA.handle, value: '1000', points: 100 },
    { handle: EVE.handle, value: null, points: 0 },
    { handle: BOB.handle, value: null, points: 0 },
  ]);
  assert.deepEqual([grade.count, grade.unopened], [3, 2]);
});

test('grade draft: a print of zero, and a negative one', () => {
  for (const [print, points] of [
    ['0', [100, 0, 0]],
    ['-1000', [0, 100, 96]],
  ] as const) {
    const log = world();
    for (const [who, value] of [
      [ADA, 0n],
      [BOB, -1000n],
      [EVE, -990n],
    ] as const) {
      log.take(ID, who, value, AT);
    }
    opened(log);
    log.print('2026-08-02', print, '2026-08-03T08:40:00Z');
    const [grade] = draftGrades(log.views, log.round(ID), log.values(ID)) ?? [];
    assert.deepEqual(
      grade?.results.slice(0, 3).map((each) => each.points),
      points,
      print,
    );
  }
});

test('grade draft: the first final grades, and neither a provisional nor a correction', () => {
  const log = world();
  log.take(ID, ADA, 1100n, AT);
  opened(log);
  log.print('2026-08-02', '5', '2026-08-03T08:35:00Z', {
    status: 'provisional',
    reason: 'freeze_window',
    settleable: false,
  });
  assert.equal(gradedBy(log.views, log.round(ID)), undefined);
  log.print('2026-08-02', '1100', '2026-08-03T08:40:00Z');
  log.print('2026-08-02', '9', '2026-08-03T08:50:00Z', {
    status: 'corrected',
    settleable: false,
    issue: 1,
    supersedes: 'ab'.repeat(32),
  });
  log.grade(ID, '2026-08-03T08:51:00Z');
  assert.equal(log.round(ID).grade?.print, '1100');
});

test('grade draft: a void or withheld period makes the round void, and its arena number stays', () => {
  for (const [change, reason] of [
    [VOID, 'void_period'],
    [
      {
        withheld: true,
        commitment: 'ab'.repeat(32),
        settleable: false,
        reads: [],
        dispersion: null,
      },
      'withheld',
    ],
  ] as const) {
    const log = world();
    log.take(ID, ADA, 1100n, AT);
    opened(log);
    log.print('2026-08-02', null, '2026-08-03T08:40:00Z', change);
    const grades = draftGrades(log.views, log.round(ID), log.values(ID)) ?? [];
    assert.equal(grades.length, 1);
    const { print, results, void_reason, report, count } = grades[0] ?? {};
    assert.deepEqual([print, results, void_reason, count], [null, [], reason, 1]);
    assert.ok(typeof report === 'string');
    log.grade(ID, '2026-08-03T08:51:00Z');
    assert.equal(isGraded(log.round(ID)), true);
  }
});

test('grade draft: a round that was not opened is void at once, whatever is printed', () => {
  const log = world();
  log.take(ID, ADA, 1100n, AT);
  log.freeze(ID, '2026-08-03T07:30:00Z');
  assert.equal(gradedBy(log.views, log.round(ID)), undefined);
  const unseal = { round: ID, signature: null, note: null, void_reason: 'no_beacon' };
  log.append('unseal/1', unseal, '2026-08-03T08:30:00Z');
  const [grade] = draftGrades(log.views, log.round(ID), new Map()) ?? [];
  assert.deepEqual(grade, {
    round: ID,
    part: 0,
    parts: 1,
    print: null,
    report: null,
    void_reason: 'no_beacon',
    arena: { value: null, n: 0 },
    count: 1,
    unopened: 0,
    results: [],
  });
});

test('grade draft: many results are in several parts, and each handle is in one of them', () => {
  const log = world();
  for (let i = 0; i < MAX_RESULTS; i += 1) log.take(ID, secretForecaster(`h-${i}`), BigInt(i), AT);
  opened(log);
  log.print('2026-08-02', '1000', '2026-08-03T08:40:00Z');
  const grades = draftGrades(log.views, log.round(ID), log.values(ID)) ?? [];
  assert.deepEqual(
    grades.map(({ part, parts, results }) => [part, parts, results.length]),
    [
      [0, 2, MAX_RESULTS],
      [1, 2, 2],
    ],
  );
  assert.deepEqual(
    grades[1]?.results.map(({ handle }) => handle),
    [LAST, MEDIAN],
  );
  log.grade(ID, '2026-08-03T08:41:00Z');
  assert.equal(isGraded(log.round(ID)), true);
});

test('grade draft: the arena number is made of the weights that the freeze fixed', () => {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  // The number halves and doubles, so that the last value never earns anything.
  for (const [period, print] of [
    ['2026-08-02', 2000],
    ['2026-08-03', 1000],
    ['2026-08-04', 2000],
  ] as const) {
    log.play(period, `${print}`, [
      [ADA, BigInt(print)],
      [BOB, BigInt((9 * print) / 8)],
    ]);
  }
  const [round] = log.open('2026-08-06T02:00:00Z');
  const id = round?.id ?? '';
  log.take(id, ADA, 1000n, '2026-08-06T02:00:01Z', { isSealed: true });
  log.take(id, BOB, 1300n, '2026-08-06T02:00:01Z');
  log.take(id, EVE, 9000n, '2026-08-06T02:00:01Z');
  log.freeze(id, '2026-08-06T07:30:00Z');
  log.unseal(id);
  log.print('2026-08-05', '1000', '2026-08-06T08:40:00Z');
  log.grade(id, '2026-08-06T08:41:00Z');
  // Bob has 50 points a round, and Ada 100.
  assert.deepEqual(log.round(id).grade?.arena, { value: '1100', n: 2 });
});

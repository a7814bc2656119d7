import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countingForecasts,
  draftFreeze,
  isRanked,
  topHandles,
} from '@assay/core/arena/freeze-draft';
import { emptyRoot, rootOf } from '@assay/core/log/tree';
import { hashHex, toHash } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { forecastsOf } from '@assay/core/view/forecasts';
import { sha256, SOME_HASH } from '../fixture/fixture.ts';
import { ARENA, ArenaLog, type Forecaster, INDEX, secretForecaster } from './arena-log.ts';
import { movedDaily } from './moved-release.ts';

const [ADA, BOB, CID, DOT] = ['ada', 'bob', 'cid', 'dot'].map(secretForecaster) as [
  Forecaster,
  Forecaster,
  Forecaster,
  Forecaster,
];
const AT = '2026-08-03T02:00:01Z';
const ID = 'layoffs-2026-08-02';

function world(...change: ConstructorParameters<typeof ArenaLog>): ArenaLog {
  const log = new ArenaLog(...change);
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  return log;
}

test('freeze draft: count, root and handles of everything that came', () => {
  const log = world();
  log.open('2026-08-03T02:00:00Z');
  const empty = draftFreeze(log.views, sha256, log.round(ID), null);
  assert.deepEqual(empty, {
    round: ID,
    count: 0,
    root: hashHex(emptyRoot(sha256)),
    handles: 0,
    openings: null,
    top: [],
  });
  for (const who of [ADA, BOB, ADA]) log.take(ID, who, 1000n, AT);
  const draft = draftFreeze(log.views, sha256, log.round(ID), SOME_HASH);
  const leaves = [...forecastsOf(log.views, ID)].map(({ leaf }) => toHash(parseHex(leaf)));
  assert.equal(leaves.length, 3);
  assert.deepEqual(
    [draft.count, draft.handles, draft.openings, draft.root],
    [3, 2, SOME_HASH, hashHex(rootOf(sha256, leaves))],
  );
});

test('freeze draft: of each handle the newest counts, also of two in one second', () => {
  const log = world();
  log.open('2026-08-03T02:00:00Z');
  log.take(ID, ADA, 1000n, AT);
  log.take(ID, BOB, 1000n, AT);
  log.take(ID, ADA, 1001n, AT);
  const ordinals = countingForecasts(log.views, log.round(ID)).map(({ body }) => body.ordinal);
  assert.deepEqual(ordinals, [1, 2]);
});

test('freeze draft: what comes at the close or later does not count', () => {
  const log = world();
  log.open('2026-08-03T02:00:00Z');
  log.take(ID, ADA, 1000n, '2026-08-03T07:29:59Z');
  log.take(ID, ADA, 1001n, '2026-08-03T07:30:00Z');
  log.take(ID, BOB, 1001n, '2026-08-03T07:30:00Z');
  const rows = countingForecasts(log.views, log.round(ID));
  assert.deepEqual(
    rows.map(({ body }) => body.ordinal),
    [0],
  );
  assert.equal(draftFreeze(log.views, sha256, log.round(ID), SOME_HASH).count, 3);
});

test('freeze draft: a release that is moved earlier takes the close with it, one that is postponed does not', () => {
  for (const [local, expected] of [
    ['08:00', [0]],
    ['09:30', [1]],
  ] as const) {
    const log = world();
    log.open('2026-08-03T02:00:00Z');
    log.take(ID, ADA, 1000n, '2026-08-03T06:59:59Z');
    movedDaily(log, local, '2026-08-03T07:00:00Z');
    log.take(ID, ADA, 1001n, '2026-08-03T07:00:00Z');
    const rows = countingForecasts(log.views, log.round(ID));
    assert.deepEqual(
      rows.map(({ body }) => body.ordinal),
      expected,
      local,
    );
  }
});

test('freeze draft: who only repeats the last value is not in the top, in however many rounds', () => {
  const log = world();
  for (const [period, print, last] of [
    ['2026-08-02', 1100, 1000],
    ['2026-08-03', 1000, 1100],
    ['2026-08-04', 1100, 1000],
  ] as const) {
    log.play(period, `${print}`, [
      [ADA, BigInt(last + (print > last ? 30 : -30))],
      [BOB, BigInt(last)],
      [CID, BigInt(last + (print > last ? -30 : 30))],
    ]);
  }
  const [round] = log.open('2026-08-06T02:00:00Z');
  const id = round?.id ?? '';
  for (const who of [ADA, BOB, CID]) log.take(id, who, 1000n, '2026-08-06T02:00:01Z');
  const top = topHandles(log.views, log.round(id));
  assert.deepEqual(
    top.map(({ handle }) => handle),
    [ADA.handle],
  );
});

test('freeze draft: a release that is moved after the freeze chooses among no forecasts', () => {
  const log = world();
  log.open('2026-08-03T02:00:00Z');
  log.take(ID, ADA, 1000n, '2026-08-03T06:59:59Z');
  log.take(ID, ADA, 1001n, '2026-08-03T07:00:00Z');
  log.freeze(ID, '2026-08-03T07:30:00Z');
  log.unseal(ID);
  movedDaily(log, '08:00', '2026-08-03T07:40:00Z');
  const rows = countingForecasts(log.views, log.round(ID));
  assert.deepEqual(
    rows.map(({ body }) => body.ordinal),
    [1],
  );
});

test('freeze draft: the top are ranked handles with a forecast here, by skill', () => {
  const log = world({ top: 2 });
  const rounds: readonly (readonly [string, string])[] = [
    ['2026-08-02', '1100'],
    ['2026-08-03', '1200'],
    ['2026-08-04', '1300'],
  ];
  for (const [period, print] of rounds) {
    const value = BigInt(print);
    log.play(period, print, [
      [ADA, value],
      [BOB, value - 10n],
      [CID, value - 20n],
      ...(period === '2026-08-04' ? [] : [[DOT, value] as const]),
    ]);
  }
  const [round] = log.open('2026-08-06T02:00:00Z');
  const id = round?.id ?? '';
  for (const who of [DOT, CID, ADA]) log.take(id, who, 1000n, '2026-08-06T02:00:01Z');
  // Bob has no forecast here, and Dot has two graded ones.
  const cid = 93 + 93 + 94;
  const weights = [10_000, Math.round((100 * cid) / 3)];
  assert.deepEqual(topHandles(log.views, log.round(id)), [
    { handle: ADA.handle, weight: weights[0] },
    { handle: CID.handle, weight: weights[1] },
  ]);
  log.take(id, BOB, 1000n, '2026-08-06T02:00:02Z');
  const top = topHandles(log.views, log.round(id)).map(({ handle }) => handle);
  assert.deepEqual(top, [ADA.handle, BOB.handle], 'the first two of three');
  assert.equal(isRanked(ARENA, { graded: 2 }), false);
  assert.equal(isRanked(ARENA, { graded: 3 }), true);
});

test('freeze draft: a handle whose forecasts came too late is not in the top', () => {
  const log = world({ indices: [INDEX], ranked_from: 1 });
  log.play('2026-08-02', '1000', [[ADA, 1000n]]);
  const [round] = log.open('2026-08-04T02:00:00Z');
  log.take(round?.id ?? '', ADA, 1000n, '2026-08-04T07:30:00Z');
  assert.deepEqual(topHandles(log.views, log.round(round?.id ?? '')), []);
});

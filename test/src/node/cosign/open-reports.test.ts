import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ViewState } from '@assay/core/view/view';
import { isOpenReport, OpenReports } from '@assay/node/cosign/open-reports';
import { CosignedWorld, FROZEN, RELEASE, SEEDS } from './cosigner-fixture.ts';

const ALL_AT_ONCE = { pause: () => undefined };

const names = (open: OpenReports): readonly string[] =>
  open.list().map(({ row }) => `${row.report.period} ${row.report.status}`);

test('open reports: built from the log, then kept by what changes; newest first', async () => {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  await world.round();
  const early = new OpenReports(4);
  early.update(world.ledger.shown);
  assert.deepEqual(names(early), ['2026-07-25 provisional']);
  world.at(FROZEN);
  await world.round();
  early.update(world.ledger.shown);
  assert.deepEqual(names(early), ['2026-07-25 provisional'], 'nothing said that it changed');
  early.changed(['periods/LAYOFFS', 'reports/LAYOFFS/2026-07-25']);
  early.update(world.ledger.shown);
  const late = new OpenReports(4);
  late.update(world.ledger.shown);
  for (const open of [early, late]) {
    assert.deepEqual(names(open), ['2026-07-25 final', '2026-07-25 provisional']);
  }
});

test('open reports: one that is closed does not come back; old periods go, but not what lacks its quorum', async () => {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const open = new OpenReports(1);
  open.update(world.ledger.shown);
  open.close(row.hash);
  open.changed(['reports/LAYOFFS/2026-07-25']);
  open.update(world.ledger.shown);
  assert.deepEqual(names(open), []);
  world.at(FROZEN);
  await world.round();
  open.changed(['reports/LAYOFFS/2026-07-25']);
  open.update(world.ledger.shown);
  assert.deepEqual(names(open), ['2026-07-25 final']);
  world.source.show({ '2026-07-25': 197_000, '2026-08-01': 199_000 });
  world.at('2026-08-06T12:30:00Z');
  await world.round('2026-08-01');
  open.changed(['reports/LAYOFFS/2026-08-01']);
  open.update(world.ledger.shown);
  assert.deepEqual(names(open), ['2026-08-01 provisional', '2026-07-25 final']);
  const late = new OpenReports(1);
  late.update(world.ledger.shown);
  assert.deepEqual([names(late), late.isWhole], [['2026-08-01 provisional'], false]);
  await late.search(world.ledger.shown, ALL_AT_ONCE);
  assert.deepEqual([names(late), late.isWhole], [names(open), true]);
  for (const each of world.rows()) {
    assert.equal(isOpenReport(world.ledger.shown, each, 1), late.has(each.hash));
  }
  assert.deepEqual(
    late.list().map((each) => late.isRecent(each)),
    [true, false],
  );
  const recounters = SEEDS.map((seed) => world.recounter(seed).cosigner);
  await world.bring(recounters, world.rows()[1]);
  const heard = new OpenReports(1);
  heard.update(world.ledger.shown);
  await heard.search(world.ledger.shown, ALL_AT_ONCE);
  assert.deepEqual(names(heard), ['2026-08-01 provisional']);
});

/** A log of three periods, whose finals all lack their quorum, and the oldest of which has two reports. */
async function threePeriods(): Promise<CosignedWorld> {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  await world.round();
  world.at(FROZEN);
  await world.round();
  for (const [period, at] of [
    ['2026-08-01', '2026-08-06T12:30:00Z'],
    ['2026-08-08', '2026-08-13T12:30:00Z'],
  ] as const) {
    world.source.show({ [period]: 198_000 });
    world.at(at);
    await world.round(period);
  }
  return world;
}

test('open reports: older periods are searched in turns, once, and again when they were stopped', async () => {
  const world = await threePeriods();
  const open = new OpenReports(1);
  open.update(world.ledger.shown);
  const stop = new AbortController();
  let resume: (() => void) | undefined;
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      resume = resolve;
    });
  const searching = open.search(world.ledger.shown, { pause, signal: stop.signal });
  assert.equal(open.search(world.ledger.shown, ALL_AT_ONCE), searching, 'it is under way');
  assert.equal(open.isWhole, false);
  stop.abort();
  resume?.();
  await searching;
  assert.deepEqual([names(open), open.isWhole], [['2026-08-08 provisional'], false]);
  void open.search(world.ledger.shown, ALL_AT_ONCE);
  assert.deepEqual(
    [names(open), open.isWhole],
    [['2026-08-08 provisional', '2026-07-25 final'], true],
    'nothing has to be waited for in a short log',
  );
  open.changed('all');
  assert.equal(open.isWhole, false);
});

test('open reports: what changes during a search is found, and all is searched again after all has changed', async () => {
  const world = await threePeriods();
  const open = new OpenReports(1);
  open.update(world.ledger.shown);
  const waiting: (() => void)[] = [];
  const pause = (): Promise<void> => new Promise((resolve) => void waiting.push(resolve));
  const first = open.search(world.ledger.shown, { pause });
  open.changed('all');
  open.update(world.ledger.shown);
  const second = open.search(world.ledger.shown, { pause });
  assert.notEqual(second, first);
  world.at('2026-08-20T12:30:00Z');
  world.source.show({ '2026-08-15': 197_000 });
  await world.round('2026-08-15');
  open.changed(['reports/LAYOFFS/2026-08-15']);
  open.update(world.ledger.shown);
  const both = Promise.all([first, second]).then(() => true);
  const turn = (): Promise<boolean> => new Promise((resolve) => void setImmediate(resolve, false));
  do waiting.shift()?.();
  while (!(await Promise.race([both, turn()])));
  assert.equal(open.isWhole, true);
  const late = new OpenReports(1);
  late.update(world.ledger.shown);
  await late.search(world.ledger.shown, ALL_AT_ONCE);
  assert.deepEqual(names(open), names(late));
  assert.ok(names(open).includes('2026-07-25 final'));
});

test('open reports: the newest come first at every moment of a search, and after one that was stopped', async () => {
  const world = await threePeriods();
  for (let steps = 0; steps < 4; steps += 1) {
    const open = new OpenReports(1);
    open.update(world.ledger.shown);
    const stop = new AbortController();
    let left = steps;
    const pause = (): undefined => {
      const seqs = open.list().map(({ row }) => row.seq);
      assert.deepEqual(
        seqs,
        seqs.toSorted((a, b) => b - a),
      );
      left -= 1;
      if (left < 0) stop.abort();
    };
    await open.search(world.ledger.shown, { pause, signal: stop.signal });
    const seqs = open.list().map(({ row }) => row.seq);
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => b - a),
      `stopped after ${steps}`,
    );
  }
});

test('open reports: a row that cannot be read ends a search, and the next one begins anew', async () => {
  const world = await threePeriods();
  const { shown } = world.ledger;
  let isDamaged = true;
  const damaged: ViewState = {
    get: (table, key) => shown.get(table, key),
    list(table) {
      if (isDamaged && table === 'reports/LAYOFFS/2026-07-25') throw new TypeError('damaged');
      return shown.list(table);
    },
    descend: (table, below) => shown.descend(table, below),
  };
  const open = new OpenReports(1);
  open.update(damaged);
  await assert.rejects(open.search(damaged, ALL_AT_ONCE), { name: 'TypeError' });
  assert.equal(open.isWhole, false);
  isDamaged = false;
  await open.search(damaged, ALL_AT_ONCE);
  assert.equal(open.isWhole, true);
  assert.ok(names(open).includes('2026-07-25 final'));
});

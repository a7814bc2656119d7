import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenReports } from '@assay/node/cosign/open-reports';
import { CosignedWorld, FROZEN, RELEASE, SEEDS } from './cosigner-fixture.ts';

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
  assert.deepEqual(names(late), names(open));
  assert.deepEqual(
    late.list().map((each) => late.isRecent(each)),
    [true, false],
  );
  const recounters = SEEDS.map((seed) => world.recounter(seed).cosigner);
  await world.bring(recounters, world.rows()[1]);
  const heard = new OpenReports(1);
  heard.update(world.ledger.shown);
  assert.deepEqual(names(heard), ['2026-08-01 provisional']);
});

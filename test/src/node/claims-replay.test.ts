import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { historyCsv } from '@assay/core/answer/history-csv';
import { releaseTime } from '@assay/core/rule/release';
import { formatDate, formatTime, parseDate } from '@assay/core/time/time';
import { periodRow, periodRows } from '@assay/core/view/periods';
import { reportsOf } from '@assay/core/view/reports';
import { claimsCsv, claimsJson } from './fixture/claims-pages.ts';
import type { Week } from '@assay/node/dev/site/claims-sample';
import { Scheduler } from '@assay/node/round/scheduler';
import { sharedPath } from '../core/fixture/fixture.ts';
import { requireSound } from './ledger/ledger-fixture.ts';
import {
  CLAIMS_RULE,
  MIRROR,
  page,
  RECORD,
  requireVerified,
  testNode,
} from './fixture/round-fixture.ts';

const { ticker, release, revision, period: kind } = CLAIMS_RULE;

/** The five known first prints, and what each is revised to, by the vintage that shows it first. */
const FIRST_PRINTS: Readonly<
  Record<string, readonly [first: string, revised: string | null, on: string | null]>
> = {
  '2025-04-26': ['241000', '239000', '2026-07-09'],
  '2025-09-20': ['218000', '219000', '2025-12-31'],
  '2025-12-27': ['199000', '203000', '2026-07-09'],
  '2026-07-04': ['215000', '217000', '2026-07-30'],
  '2026-07-25': ['197000', null, null],
};

async function vintagesOf(path: string): Promise<ReadonlyMap<string, readonly Week[]>> {
  const vintages = new Map<string, Week[]>();
  for (const line of (await readFile(path, 'utf8')).trim().split('\n').slice(1)) {
    const [asOf = '', week = '', claims = ''] = line.split(',');
    const weeks = vintages.get(asOf) ?? [];
    weeks.push({ period: parseDate(week), claims: Number(claims) });
    vintages.set(asOf, weeks);
  }
  return vintages;
}

test('claims: the whole recorded file through rounds: first prints settle, later vintages revise', async (t) => {
  const path = sharedPath('data/claims/initial_claims_sa_vintages.csv');
  if (path === undefined) return t.skip('../shared is not here');
  const vintages = await vintagesOf(path);
  assert.equal(vintages.size, 5);
  const node = await testNode('2025-04-25T00:00:00Z');
  const failures: string[] = [];
  const scheduler = new Scheduler(node.parts, 0, {
    onRound: () => undefined,
    onRoundFailed: (_, period, error) => failures.push(`${period} ${(error as Error).message}`),
  });
  let rounds = 0;
  for (const [asOf, weeks] of vintages) {
    const newest = Math.max(...weeks.map(({ period }) => period));
    const time = releaseTime(release, kind, newest);
    assert.equal(formatDate(Math.floor(time / 86_400)), asOf, 'released on the vintage’s own day');
    node.source.say(RECORD, page(claimsCsv(weeks)));
    node.source.say(MIRROR, page(claimsJson(weeks)));
    for (const at of [time, time + revision.freeze_after_s, time + 3 * 86_400]) {
      node.at(formatTime(at));
      await scheduler.runDue();
      rounds += 1;
    }
    const shown = new Map(weeks.map(({ period, claims }) => [period, claims]));
    for (const [period, row] of periodRows(node.ledger.tip, ticker)) {
      const claims = shown.get(parseDate(period));
      if (claims !== undefined)
        assert.equal(row.revised ?? row.value, `${claims}`, `${period} as of ${asOf}`);
    }
  }
  assert.deepEqual(failures, []);
  assert.equal(rounds, 15);

  const rows = new Map(periodRows(node.ledger.shown, ticker));
  const weeks = new Set([...vintages.values()].flat().map(({ period }) => formatDate(period)));
  assert.deepEqual([...rows.keys()], [...weeks].sort(), 'every week of the file, and no other');
  for (const [period, row] of rows) {
    const known = FIRST_PRINTS[period];
    if (known === undefined) {
      assert.deepEqual(
        [row.basis, row.status, row.settlement_value, row.revised, row.settleable, row.report],
        ['history', null, null, null, false, null],
        period,
      );
      continue;
    }
    const [first, revised, on] = known;
    assert.deepEqual(
      [row.basis, row.status, row.value, row.settlement_value, row.revised, row.revised_on],
      ['print', 'final', first, first, revised, on],
      period,
    );
    assert.deepEqual(
      reportsOf(node.ledger.shown, ticker, period).map(({ report }) => [
        report.status,
        report.value,
      ]),
      [
        ['provisional', first],
        ['final', first],
      ],
    );
  }
  assert.equal(
    periodRow(node.ledger.shown, ticker, formatDate(parseDate('2025-11-29')))?.value,
    '216000',
  );

  const csv = historyCsv(node.ledger.shown, ticker).trimEnd().split('\n');
  assert.equal(
    csv[0],
    'ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url',
  );
  assert.equal(csv.length, rows.size + 1);
  const line = (week: string): string | undefined =>
    csv.find((each) => each.startsWith(`LAYOFFS,${week},`));
  assert.equal(line('2025-12-27'), 'LAYOFFS,2025-12-27,199000,199000,203000,2026-07-09,,,,,');
  assert.equal(line('2026-07-04'), 'LAYOFFS,2026-07-04,215000,215000,217000,2026-07-30,,,,,');
  assert.equal(line('2026-07-25'), 'LAYOFFS,2026-07-25,197000,197000,,,,,,,');
  assert.equal(line('2025-11-29'), 'LAYOFFS,2025-11-29,216000,,,,,,,,');
  const settled = csv.slice(1).filter((each) => each.split(',')[3] !== '');
  assert.equal(settled.length, 5);
  const newest = new Map<string, number>();
  for (const each of vintages.values()) {
    for (const { period, claims } of each) newest.set(formatDate(period), claims);
  }
  for (const each of csv.slice(1)) {
    const [, week = '', value, , revised] = each.split(',');
    assert.equal(revised === '' ? value : revised, `${newest.get(week)}`, week);
  }
  await requireSound(node.place.store, node.ledger.nextSeq);
  await requireVerified(node);
});

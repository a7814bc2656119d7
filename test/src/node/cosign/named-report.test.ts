import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { NamedReports } from '@assay/node/cosign/named-report';
import { CosignedWorld, FROZEN, RELEASE } from './cosigner-fixture.ts';

test('named report: by its print, with its rule and what came before; none for any other print', async () => {
  const world = await CosignedWorld.open();
  const reports = new NamedReports(nodeSha256);
  const { ledger } = world;
  const log = ledger.log as never;
  world.at(RELEASE);
  await world.round();
  world.at(FROZEN);
  const row = await world.round();
  assert.ok(row !== undefined);
  const print = printOf(nodeSha256, row.report);
  const find = (change: Partial<typeof print>, report = row.hash): unknown =>
    reports.find(ledger.shown, log, {
      print: formatHex(formatPrint({ ...print, ...change })),
      report,
    });
  assert.deepEqual(find({}), {
    row,
    rule: (await world.asked(row)).rule,
    clocks: (await world.asked(row)).clocks,
    before: world.rows().slice(0, 1),
  });
  assert.equal(find({}, 'ab'.repeat(32) as never), undefined);
  assert.equal(find({ series: 'ab'.repeat(32) as never }), undefined);
  // Another period, and numbers that no calendar has.
  for (const period of [print.period + 7, -(2 ** 31), 2 ** 31 - 1, -719_163, 2_932_897]) {
    assert.equal(find({ period }), undefined, `${period}`);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import type { Report, Status } from '@assay/core/report/report';
import type { ReportRow } from '@assay/core/view/reports';
import { requireReport } from '@assay/node/cosign/report-demands';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';
import { CosignedWorld, RELEASE } from './cosigner-fixture.ts';

const world = await CosignedWorld.open();
world.at(RELEASE);
const row = (await world.round()) as ReportRow;

const hash = (i: number): HashHex => String(i).padStart(64, '0') as HashHex;

/** The reports of a period with these statuses, and whether another may follow. */
function follows(before: readonly Status[], change: Partial<Report>): boolean {
  const rows = before.map((status, i) => ({
    ...row,
    hash: hash(i),
    report: { ...row.report, status },
  }));
  const supersedes = rows.at(-1)?.hash ?? null;
  const settleable = change.status === 'final';
  try {
    requireReport({ ...row.report, supersedes, settleable, ...change }, CLAIMS_RULE, rows);
    return true;
  } catch (error) {
    assert.equal(faultCode(error), 'refused');
    return false;
  }
}

test('report demands: provisionals by number, then one that settles, then corrections of a final', () => {
  assert.equal(follows([], { status: 'provisional' }), true);
  assert.equal(follows(['provisional'], { status: 'provisional', issue: 1 }), true);
  assert.equal(follows(['provisional'], { status: 'provisional', issue: 0 }), false);
  assert.equal(follows(['provisional'], { status: 'provisional', issue: 2 }), false);
  for (const status of ['final', 'void'] as const) {
    assert.equal(follows([], { status }), true);
    assert.equal(follows(['provisional'], { status }), true);
    assert.equal(follows(['provisional'], { status, issue: 1 }), false);
    for (const settled of ['final', 'void'] as const) {
      assert.equal(follows([settled], { status }), false);
      assert.equal(follows([settled], { status: 'provisional', issue: 1 }), false);
    }
  }
  assert.equal(follows(['final'], { status: 'corrected', issue: 1 }), true);
  assert.equal(follows(['final', 'corrected'], { status: 'corrected', issue: 2 }), true);
  assert.equal(follows(['final', 'corrected'], { status: 'corrected', issue: 1 }), false);
  assert.equal(follows(['void'], { status: 'corrected', issue: 1 }), false);
  assert.equal(follows(['provisional'], { status: 'corrected', issue: 1 }), false);
});

test('report demands: it supersedes the one before it, and claims what its rule grants', () => {
  assert.equal(follows(['provisional'], { issue: 1, supersedes: hash(7) }), false);
  assert.equal(follows(['provisional'], { issue: 1, supersedes: null }), false);
  assert.equal(follows([], { status: 'final', settleable: false }), false);
  assert.equal(follows([], { status: 'void', settleable: true }), false);
  assert.equal(follows([], { withheld: true }), false);
  assert.equal(follows([], { grade: 'A' }), false);
  assert.equal(follows([], { decimals: 1 }), false);
  assert.equal(follows([], { reads: row.report.reads.toReversed() }), false);
  assert.equal(follows([], { rule: { ...row.report.rule, version: 2 } }), false);
});

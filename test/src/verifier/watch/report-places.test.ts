import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { periodReports } from '@assay/verifier/watch/publisher-log';
import { ReportPlaces } from '@assay/verifier/watch/report-places';
import { ABOUT } from '../fixture/cosigner-log.ts';

test('each report is found again by its hash, and of one that is there twice the first that was added', () => {
  const { views } = ABOUT.published;
  const rows = [...periodReports(views)].flat();
  assert.ok(rows.length > 1);
  const places = new ReportPlaces();
  for (const row of rows) assert.equal(places.add(row), true);
  for (const row of rows) {
    assert.equal(places.add({ ...row, seq: row.seq + 1 }), false);
    assert.equal(places.seqOf(row.hash), row.seq);
    assert.deepEqual(places.rowOf(views, row.hash), row);
  }
  const none = '0'.repeat(64) as HashHex;
  assert.deepEqual([places.seqOf(none), places.rowOf(views, none)], [undefined, undefined]);
});

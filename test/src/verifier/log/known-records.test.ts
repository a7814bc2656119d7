import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { type Hash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { dueBack } from '@assay/core/view/onchain';
import { reportsOf } from '@assay/core/view/reports';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import { KnownRecords } from '@assay/verifier/log/known-records';
import { chained, TICKER } from '../fixture/chained-log.ts';

test('every report that names a set is known with its leaf, and all that is due by its digest', () => {
  const { published, logId } = chained();
  const { entries, leaves } = published;
  const records = new KnownRecords(nodeSha256);
  const views = new MemoryViews();
  const parse = bodyParser(nodeSha256);
  for (const [seq, bytes] of entries.entries()) {
    const layout = scanEntry(bytes);
    const known = parse(layout.kind, entryBody(bytes, layout));
    if (known === undefined) continue;
    const entry = { ...known, seq, at: layout.at, log: logId };
    views.write(foldEntry(entry, views, nodeSha256));
    records.note(known, seq, leaves[seq] as Hash, views);
  }
  let reports = 0;
  for (const period of ['2026-07-04', '2026-07-25', '2026-08-01']) {
    for (const row of reportsOf(views, TICKER, period as never)) {
      reports += 1;
      const leaf = hashHex(leaves[row.seq] as Hash);
      assert.deepEqual(records.reported(row.hash, views), { seq: row.seq, leaf, row });
    }
  }
  assert.equal(reports, 7);
  const all = [...dueBack(views)];
  assert.equal(all.length, 17);
  for (const due of all) assert.deepEqual(records.due(due.digest, views), due);
  assert.equal(records.due('ab'.repeat(32) as HashHex, views), undefined);
  assert.equal(records.reported('ab'.repeat(32) as HashHex, views), undefined);
});

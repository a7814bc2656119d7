import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { unreadableRecord } from '@assay/node/ledger/record';

test('record: one that cannot be read shows nothing, and says why', async () => {
  const reason = new Fault('ledger_corrupt', 'ledger');
  const record = unreadableRecord(reason);
  assert.equal(record.published, undefined);
  assert.equal(record.blocked, reason);
  assert.deepEqual([...record.shown.list('tickers')], []);
  assert.equal(await record.tile({ level: 0, index: 0, width: 1 }), undefined);
});

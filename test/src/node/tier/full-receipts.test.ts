import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { toDate } from '@assay/core/time/time';
import { eventRow } from '@assay/core/view/terminal-events';
import { datasetPayload } from '@assay/node/terminal/answer/dataset';
import { fullReceiptsPayload, type StampedRecord } from '@assay/node/tier/full-receipts';
import { sha256 } from '../../core/fixture/fixture.ts';
import { terminalLog } from '../../core/terminal/terminal-log.ts';

const { log } = terminalLog(32);
const asked = { since: toDate('2026-08-27'), limit: 2, offset: 0 };

test('full receipts: the rows of the dataset, with the bytes that were hashed', async () => {
  const { rows, next_offset: next } = await fullReceiptsPayload(
    log.views,
    sha256,
    asked,
    async (digest) => new TextEncoder().encode(`proof of ${digest}`),
  );
  const plain = datasetPayload(log.views, asked);
  assert.equal(next, plain.next_offset);
  assert.equal(rows.length, 2);
  for (const [i, row] of rows.entries()) {
    const { record_open, record_24h, record_7d, record_30d, ...columns } = row as never as Record<
      string,
      StampedRecord | null
    >;
    const id = row['event_id'] as string;
    assert.deepEqual(columns, plain.rows[i]);
    const event = eventRow(log.views, id);
    const records = { open: record_open, '24h': record_24h, '7d': record_7d, '30d': record_30d };
    for (const [point, record] of Object.entries(records)) {
      const body = point === 'open' ? event?.open.body : event?.receipts[point as '24h']?.body;
      assert.equal(record === null, body === undefined, point);
      if (record === null || record === undefined) continue;
      assert.deepEqual(JSON.parse(record.canonical_json), body);
      assert.equal(hashHex(contentHash(sha256, formatUtf8(record.canonical_json))), record.digest);
      const file = Buffer.from(record.ots ?? '', 'base64').toString();
      assert.equal(file, `proof of ${record.digest}`);
    }
  }
});

test('full receipts: what no batch holds yet has no proof, and what cannot be read is an error', async () => {
  const { rows } = await fullReceiptsPayload(log.views, sha256, asked, async () => undefined);
  const open = rows[0]?.['record_open'] as unknown as StampedRecord;
  assert.equal(open.ots, null);
  assert.equal(open.bitcoin_height, null);
  await assert.rejects(
    fullReceiptsPayload(log.views, sha256, asked, () => Promise.reject(new Error('unreadable'))),
    /unreadable/,
  );
});

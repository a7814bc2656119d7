import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import { closePayload } from '@assay/core/answer/close';
import { historyCsv } from '@assay/core/answer/history-csv';
import { indexDetailPayload } from '@assay/core/answer/index';
import { periodPayload } from '@assay/core/answer/period';
import { blockPayload, periodProof, proofPayload, proofUrl } from '@assay/core/answer/proof';
import { reportPayload } from '@assay/core/answer/report';
import { checkpointDigest } from '@assay/core/view/stamp';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { type PeriodRow, periodRow } from '@assay/core/view/periods';
import {
  appendAttested,
  appendBatch,
  appendBeacon,
  blockAt,
  CALENDAR,
  rootAt,
} from '../fixture/anchor-fixture.ts';
import { appendClose } from '../fixture/close-fixture.ts';
import { GENESIS, type SampleLog, sampleReport, sha256, SOME_HASH } from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';

const TICKER = 'LAYOFFS' as Ticker;
const PERIOD = '2026-07-25' as DateText;
/** What `blockAt` makes of the first block of Bitcoin's regtest. */
const BLOCK = {
  hash: '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  time: '2011-02-02T23:16:42Z',
};

function rowOf(log: SampleLog): PeriodRow {
  return periodRow(log.views, TICKER, PERIOD) as PeriodRow;
}

/** A log with a beacon, a report of a new period after it, and a Close. */
function beaconLog(): { readonly log: SampleLog; readonly seq: number } {
  const log = smallLog();
  appendBeacon(log, 963_412);
  const seq = log.entries.length;
  const report = sampleReport('final', { log: log.log, period: '2026-08-08' });
  log.append('report/1', { report, signature: SIGNATURE }, '2026-08-21T12:30:05Z');
  appendClose(log, '2026-08-21');
  return { log, seq };
}

test('proof payload: the exact shape while pending, and when a block holds it', () => {
  const { log, seq } = beaconLog();
  const digest = periodRow(log.views, TICKER, '2026-08-08' as DateText)?.report ?? SOME_HASH;
  assert.equal(proofPayload(log.views, sha256, digest), undefined);
  appendBatch(log);
  const pending = {
    digest,
    stamps: { of: 'report', seq, size: null, recorded_at: '2026-08-21T12:30:05Z' },
    state: 'pending',
    stamped_at: '2026-08-22T00:10:00Z',
    bitcoin_height: null,
    before: null,
    after: { height: 963_412, ...BLOCK },
    calendars: [{ uri: CALENDAR, state: 'pending' }],
    batch: 0,
    anchor_seq: seq + 2,
    proof_url: `/proof/${digest}?format=ots`,
  };
  assert.deepEqual(proofPayload(log.views, sha256, digest), pending);
  appendAttested(log, 0, [blockAt(963_420), blockAt(963_431)]);
  assert.deepEqual(proofPayload(log.views, sha256, digest), {
    ...pending,
    state: 'attested',
    bitcoin_height: 963_420,
    before: { height: 963_420, ...BLOCK },
    calendars: [{ uri: CALENDAR, state: 'attested' }],
    anchor_seq: seq + 3,
  });
});

test('proof payload: a checkpoint has a size, and the newest block that its entries name', () => {
  const { log, seq } = beaconLog();
  appendBatch(log, seq - 1);
  appendBatch(log, seq);
  for (const [size, after] of [
    [seq - 1, null],
    [seq, { height: 963_412, ...BLOCK }],
  ] as const) {
    const digest = checkpointDigest(sha256, GENESIS['origin'] as string, size, rootAt(log, size));
    const proof = proofPayload(log.views, sha256, digest);
    assert.deepEqual(proof?.stamps, { of: 'checkpoint', seq: null, size, recorded_at: null });
    assert.deepEqual(proof.after, after);
  }
});

test('proof payload: the report, the Close, the index and the period say the same', () => {
  const { log } = beaconLog();
  const closed = (): unknown => closePayload(log.views, sha256)?.proof;
  const reported = (): unknown => reportPayload(log.views, TICKER, sha256)?.proof;
  const newest = (): unknown => indexDetailPayload(log.views, sha256, TICKER).newest_proof;
  assert.deepEqual([closed(), reported(), newest()], [null, null, null]);
  const none = { proof_day: null, bitcoin_height: null, proof_url: null };
  const settled = rowOf(log).final_report ?? SOME_HASH;
  assert.deepEqual(periodProof(log.views, settled), none);
  assert.deepEqual(periodProof(log.views, null), none);
  appendBatch(log);
  appendAttested(log, 0, [blockAt(963_420)]);
  const close = closePayload(log.views, sha256);
  assert.deepEqual(closed(), proofPayload(log.views, sha256, toHashHex(close?.content_hash ?? '')));
  assert.deepEqual([close?.proof?.stamps.of, close?.proof?.digest], ['close', close?.content_hash]);
  const report = reportPayload(log.views, TICKER, sha256);
  assert.deepEqual([report?.proof?.stamps.of, report?.proof?.digest], ['report', report?.hash]);
  assert.deepEqual(newest(), reported());
  const shown = {
    proof_day: '2026-08-22',
    bitcoin_height: 963_420,
    proof_url: proofUrl(settled),
  };
  assert.deepEqual(periodProof(log.views, settled), shown);
  const { proof_day, bitcoin_height, proof_url } = periodPayload(log.views, PERIOD, rowOf(log));
  assert.deepEqual(
    { proof_day, bitcoin_height, proof_url },
    shown,
    'of the final, not of what corrected it',
  );
  assert.notEqual(rowOf(log).report, settled);
  const [, , , line] = historyCsv(log.views, TICKER).split('\n');
  assert.equal(
    line,
    `LAYOFFS,2026-07-25,217000,218000,219000,2026-08-06,,,2026-08-22,963420,/proof/${settled}?format=ots`,
  );
});

test('proof payload: the newest proof of an index is that of its newest period that has one', () => {
  const log = smallLog();
  appendBatch(log, 7);
  const { newest_proof: newest, periods } = indexDetailPayload(log.views, sha256, TICKER);
  assert.equal(newest?.digest, rowOf(log).final_report);
  assert.equal(periods[0]?.proof_url, null, 'the void after it waits');
  assert.equal(indexDetailPayload(log.views, sha256, 'CPI' as Ticker).newest_proof, null);
});

test('proof payload: a block is shown by its id and its header’s time', () => {
  assert.deepEqual(blockPayload(blockAt(5), sha256), { height: 5, ...BLOCK });
});

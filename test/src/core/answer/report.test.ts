import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportPayload } from '@assay/core/answer/report';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPrint, printOf } from '@assay/core/report/print';
import { reportHash } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { appendBeacon } from '../fixture/anchor-fixture.ts';
import {
  cosignOf,
  dissentOf,
  HANDS,
  recountedLog,
  recountedReport,
} from '../fixture/cosigner-fixture.ts';
import { GENESIS, sampleReport, sha256, vectors } from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';

const TICKER = 'LAYOFFS' as Ticker;

test('report payload: the exact shape of the newest report of a period', () => {
  const { log, views } = smallLog();
  const report = sampleReport('corrected', { log });
  assert.deepEqual(reportPayload(views, TICKER, sha256, '2026-07-25' as DateText), {
    report,
    hash: reportHash(sha256, report),
    print: formatHex(formatPrint(printOf(sha256, report))),
    signature: SIGNATURE,
    public_key: GENESIS['report_key'],
    seq: 8,
    after_seq: null,
    cosignatures: [],
    dissents: [],
    quorum: { required: 0, have: 0, reached_at: report.published_at },
    feed: null,
    proof: null,
  });
});

test('report payload: the beacon that its block is from', () => {
  const log = smallLog();
  const seq = log.entries.length;
  appendBeacon(log, 963_411);
  appendBeacon(log, 963_412);
  log.append('report/1', {
    report: sampleReport('final', { log: log.log, period: '2026-08-08' }),
    signature: SIGNATURE,
  });
  appendBeacon(log, 963_413);
  const { seq: at, after_seq: after } = reportPayload(log.views, TICKER, sha256) ?? {};
  assert.deepEqual([at, after], [seq + 2, seq + 1]);
});

test('report payload: the newest printed period where none is named; none for the rest', () => {
  const { views } = smallLog();
  assert.equal(reportPayload(views, TICKER, sha256)?.report.status, 'void');
  assert.equal(
    reportPayload(views, TICKER, sha256, '2026-07-18' as DateText),
    undefined,
    'history',
  );
  assert.equal(reportPayload(views, 'CPI' as Ticker, sha256), undefined);
});

test('report payload: who recounted it, and where it is on chain', () => {
  const log = recountedLog();
  const report = recountedReport('final', { log: log.log });
  log.append('report/1', { report, signature: SIGNATURE });
  for (const hand of HANDS.slice(0, 2)) log.append('cosign/1', cosignOf(report, hand));
  log.append('dissent/1', dissentOf(report, HANDS[2]));
  const [print] = vectors<readonly { readonly body: object }[]>('print-entry/entries');
  const digest = reportHash(sha256, report);
  log.append('print/1', { ...print?.body, digest });
  const { cosignatures, dissents, quorum, feed } = reportPayload(log.views, TICKER, sha256) ?? {};
  assert.deepEqual(
    [cosignatures?.map(({ seq }) => seq), dissents?.map(({ seq }) => seq), quorum?.have, feed?.seq],
    [[3, 4], [5], 2, 6],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportPayload } from '@assay/core/payload/report';
import { formatHex } from '@assay/core/hex';
import { formatPrint, printOf } from '@assay/core/print';
import { reportHash } from '@assay/core/report';
import type { Ticker } from '@assay/core/ticker';
import type { DateText } from '@assay/core/time';
import { GENESIS, sampleReport, sha256 } from '../fixture.ts';
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
    cosignatures: [],
    feed: null,
    proof: null,
  });
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

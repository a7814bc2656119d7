import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportHash } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { newestPrinted, reportsOf, settledReport } from '@assay/core/view/reports';
import { sampleReport, sha256, table } from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from './small-log.ts';

const TICKER = 'LAYOFFS' as Ticker;
const PRINTED = '2026-07-25' as DateText;

test('reports view: every report of a period in the order of the log', () => {
  const { log, views } = smallLog();
  const names = ['provisional', 'final', 'corrected'];
  const rows = names.map((name, i) => {
    const report = sampleReport(name, { log });
    return { seq: [5, 6, 8][i], hash: reportHash(sha256, report), report, signature: SIGNATURE };
  });
  assert.deepEqual(table(views, 'reports/LAYOFFS/2026-07-25'), {
    '000000': rows[0],
    '000001': rows[1],
    '000002': rows[2],
  });
  assert.deepEqual(reportsOf(views, TICKER, PRINTED), rows);
  assert.deepEqual(reportsOf(views, TICKER, '2026-07-18' as DateText), []);
});

test('reports view: a round ends with its first final or void', () => {
  const { views } = smallLog();
  assert.equal(settledReport(views, TICKER, PRINTED)?.report.status, 'final');
  assert.equal(settledReport(views, TICKER, '2026-08-01' as DateText)?.report.status, 'void');
  assert.equal(settledReport(views, TICKER, '2026-08-08' as DateText), undefined);
});

test('reports view: the newest printed period, by date and not by entry', () => {
  const log = smallLog();
  assert.equal(newestPrinted(log.views, TICKER), '2026-08-01');
  log.append('report/1', {
    report: sampleReport('final', { log: log.log, period: '2026-07-18' }),
    signature: SIGNATURE,
  });
  assert.equal(newestPrinted(log.views, TICKER), '2026-08-01');
  assert.equal(newestPrinted(log.views, 'CPI' as Ticker), undefined, 'history is no print');
});

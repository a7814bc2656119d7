import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from '@assay/core/source/csv';
import { historyCsv } from '@assay/core/answer/history-csv';
import type { Ticker } from '@assay/core/rule/ticker';
import { layoffsRule, sampleReport, SampleLog, GENESIS } from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';
import { NO_LIMIT } from '@assay/core/work-budget';

test('history: exact bytes, complete periods, oldest first', () => {
  const { views } = smallLog();
  assert.equal(
    historyCsv(views, 'LAYOFFS' as Ticker),
    `ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url
LAYOFFS,2026-07-11,209000,,,,,,,,
LAYOFFS,2026-07-18,215000,,,,,,,,
LAYOFFS,2026-07-25,217000,218000,219000,2026-08-06,,,,,
LAYOFFS,2026-08-01,,,,,,,,,
`,
  );
});

test('history: a monthly index says which months were loaded', () => {
  const { views } = smallLog();
  const text = historyCsv(views, 'CPI' as Ticker);
  assert.equal(
    text,
    `ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url,note
cpi,2025-09-01,324.800,,,,,,,,,loaded as history
cpi,2025-11-01,325.031,,,,,,,,,loaded as history
`,
  );
  assert.equal(parseCsv(text, ',', NO_LIMIT).length, 2);
});

test('history: a provisional period is not in it', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  log.append('report/1', { report: sampleReport('provisional'), signature: SIGNATURE });
  assert.equal(historyCsv(log.views, 'LAYOFFS' as Ticker).split('\n').length, 2);
  log.append('report/1', { report: sampleReport('withheld'), signature: SIGNATURE });
  assert.equal(
    historyCsv(log.views, 'LAYOFFS' as Ticker).split('\n')[1],
    'LAYOFFS,2026-07-25,,,,,normal,-1.3,,,',
  );
});

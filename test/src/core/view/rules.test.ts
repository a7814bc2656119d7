import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleHash } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/ticker';
import { type DateText, toDate } from '@assay/core/time';
import { ruleFor, ruleVersions, tickers } from '@assay/core/view/rules';
import { cpiRule, GENESIS, layoffsRule, SampleLog, sha256, table } from '../fixture.ts';

const TICKER = 'LAYOFFS' as Ticker;
/** When the sample log's entries say that they were written. */
const AT = '2026-07-30T12:00:00Z';

function logWith(...changes: readonly object[]): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  for (const change of changes)
    log.append('rule/1', { rule: layoffsRule(change as Record<string, unknown>) });
  return log;
}

test('rules view: each version with its hash and entry; the ticker since its first', () => {
  const log = logWith({}, { version: 2, applies_from: '2026-08-08' });
  log.append('rule/1', { rule: cpiRule() });
  const second = layoffsRule({ version: 2, applies_from: '2026-08-08' });
  assert.deepEqual(table(log.views, 'tickers'), { CPI: { since: 3 }, LAYOFFS: { since: 1 } });
  assert.deepEqual(tickers(log.views), ['CPI', 'LAYOFFS']);
  assert.deepEqual(table(log.views, 'rules/LAYOFFS'), {
    '0000001': { at: AT, hash: ruleHash(sha256, layoffsRule()), rule: layoffsRule(), seq: 1 },
    '0000002': { at: AT, hash: ruleHash(sha256, second), rule: second, seq: 2 },
  });
});

test('rules view: exactly one rule for a period', () => {
  const log = logWith(
    {},
    { version: 2, applies_from: '2026-08-08' },
    { version: 10, applies_from: '2026-10-03' },
  );
  const version = (period: string): number | undefined =>
    ruleFor(log.views, TICKER, toDate(period))?.rule.version;
  assert.deepEqual(
    [
      '2026-07-18',
      '2026-07-25',
      '2026-08-01',
      '2026-08-08',
      '2026-09-26',
      '2026-10-03',
      '2030-01-05',
    ].map(version),
    [undefined, 1, 1, 2, 2, 10, 10],
  );
  assert.equal(ruleFor(log.views, 'CPI' as Ticker, '2026-08-01' as DateText), undefined);
});

test('rules view: a version that is there stays as it is', () => {
  const log = logWith({}, { title: 'Another title' });
  assert.deepEqual(
    ruleVersions(log.views, TICKER).map(({ seq, rule }) => [seq, rule.title]),
    [[1, layoffsRule().title]],
  );
});

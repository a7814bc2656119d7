import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleHash } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import {
  newestRule,
  type RuleRow,
  ruleVersions,
  ruleVersionsAbove,
  tickers,
} from '@assay/core/view/rules';
import { cpiRule, GENESIS, layoffsRule, SampleLog, sha256, table } from '../fixture/fixture.ts';

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

test('rules view: numbers and first periods rise, and anything else is no version', () => {
  const log = logWith(
    { version: 2 },
    { version: 1, applies_from: '2026-08-01' },
    { version: 3, applies_from: '2026-07-25' },
    { version: 3, applies_from: '2026-08-08', period: 'utc_day' },
    { version: 3, applies_from: '2026-08-08' },
    { version: 10, applies_from: '2026-10-03' },
  );
  const versions = (rows: readonly RuleRow[]): readonly number[] =>
    rows.map(({ rule }) => rule.version);
  assert.deepEqual(versions(ruleVersions(log.views, TICKER)), [2, 3, 10]);
  assert.equal(newestRule(log.views, TICKER)?.rule.version, 10);
  assert.equal(newestRule(log.views, 'CPI' as Ticker), undefined);
  const above = (version: number | undefined): readonly unknown[] => {
    const { rows, before } = ruleVersionsAbove(log.views, TICKER, version);
    return [versions(rows), before?.rule.version];
  };
  assert.deepEqual(above(undefined), [[2, 3, 10], undefined]);
  assert.deepEqual(above(2), [[3, 10], 2]);
  assert.deepEqual(above(5), [[10], 3]);
  assert.deepEqual(above(1), [[2, 3, 10], undefined]);
});

test('rules view: a version that is there stays as it is', () => {
  const log = logWith({}, { title: 'Another title' });
  assert.deepEqual(
    ruleVersions(log.views, TICKER).map(({ seq, rule }) => [seq, rule.title]),
    [[1, layoffsRule().title]],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogRecord } from '@assay/node/ledger/record';
import { unpostedConcerns } from '@assay/node/feed/unposted';
import { recountedLog, recountedReport } from '../../core/fixture/cosigner-fixture.ts';
import { GENESIS, layoffsRule, type SampleLog } from '../../core/fixture/fixture.ts';

const words = ({ views }: SampleLog): readonly string[] => {
  const record = { shown: views, published: { size: 1 } } as unknown as LogRecord;
  return unpostedConcerns(record).map(({ reason }) => reason);
};

test('unposted: a log with a chain, something to post, and no RPC', () => {
  const log = recountedLog();
  log.append('rule/1', { rule: layoffsRule() });
  assert.deepEqual(words(log), [], 'nothing waits');
  const report = recountedReport('final');
  log.append('report/1', { report, signature: '1'.repeat(128) });
  assert.deepEqual(words(log), [
    'Nothing is posted on chain: the service has no RPC of solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp.',
  ]);
  const without = recountedLog(GENESIS);
  without.append('rule/1', { rule: layoffsRule() });
  without.append('report/1', { report, signature: '1'.repeat(128) });
  assert.deepEqual(words(without), []);
});

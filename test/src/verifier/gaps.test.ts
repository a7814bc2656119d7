import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time';
import { nameGaps } from '@assay/verifier/gaps';
import { NotCheckedList } from '@assay/verifier/verdict';
import { GENESIS, layoffsRule, SampleLog, sampleReport } from '../core/fixture.ts';

function named(log: SampleLog, at: string): readonly string[] {
  const list = new NotCheckedList();
  nameGaps(log.views, parseTime(at), list);
  return list.list.map(({ what }) => what);
}

function printed(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  const report = sampleReport('final', { log: log.log });
  log.append('report/1', { report, signature: 'ab'.repeat(64) });
  return log;
}

test('gaps: periods past their deadline without a final or a void, also after the last print', () => {
  const log = printed();
  assert.deepEqual(named(log, '2026-08-20T12:29:59Z'), []);
  assert.deepEqual(named(log, '2026-08-20T12:30:00Z'), [
    'LAYOFFS of 2026-08-01: no report though the deadline has passed',
  ]);
  const [line] = named(log, '2026-12-01T00:00:00Z');
  assert.match(String(line), /^LAYOFFS of 2026-08-01, .* and \d+ more: no report/);
});

test('gaps: days between Closes', () => {
  const log = printed();
  const close = (day: string) =>
    log.append('close/1', {
      content: {
        day,
        items: [{ ticker: 'LAYOFFS', period: '2026-07-25', report: '11'.repeat(32), value: '1' }],
        files: [],
      },
      version: 0,
      supersedes: null,
      signature: 'ab'.repeat(64),
    });
  close('2026-07-31');
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), []);
  close('2026-08-02');
  assert.deepEqual(named(log, '2026-08-03T05:00:00Z'), [
    'the Close of 2026-08-01, which the log does not have',
  ]);
});

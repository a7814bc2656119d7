import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recomputeIndex } from '@assay/core/index-fold';
import { parseTime } from '@assay/core/time';
import { nameGaps, nameUnsettled } from '@assay/verifier/gaps';
import { NotCheckedList } from '@assay/verifier/verdict';
import { chained } from './chained-log.ts';
import { GENESIS, layoffsRule, SampleLog, sampleReport, sha256 } from '../core/fixture.ts';

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

/** Of a log with a rule that has no index entry. */
const UNINDEXED = 'what the log says that it holds in all: it has rules and no index entry';

test('gaps: periods past their deadline without a final or a void, also after the last print', () => {
  const log = printed();
  assert.deepEqual(named(log, '2026-08-20T12:29:59Z'), [UNINDEXED]);
  assert.deepEqual(named(log, '2026-08-20T12:30:00Z'), [
    'LAYOFFS of 2026-08-01: no report though the deadline has passed',
    UNINDEXED,
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
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), [UNINDEXED]);
  close('2026-08-02');
  assert.deepEqual(named(log, '2026-08-03T05:00:00Z'), [
    'the Close of 2026-08-01, which the log does not have',
    UNINDEXED,
  ]);
});

test('gaps: days between index entries', () => {
  const log = printed();
  const index = (day: string): void => {
    const size = log.entries.length;
    log.append('index/1', { day, size, ...recomputeIndex(log.views, sha256, size) });
  };
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), [UNINDEXED]);
  index('2026-07-31');
  // The rule stands in the log since the day before.
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), [
    'the index entry of 2026-07-30, which the log does not have',
  ]);
  index('2026-08-02');
  assert.deepEqual(named(log, '2026-08-03T05:00:00Z'), [
    'the index entry of 2026-07-30, 2026-08-01, which the log does not have',
  ]);
});

test('gaps: a log without a rule needs no index entry', () => {
  const log = new SampleLog();
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), []);
  log.append('genesis/1', GENESIS);
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), []);
  log.append('rule/1', { rule: layoffsRule() });
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), [UNINDEXED]);
});

test('gaps: finals that lack their quorum past the deadline of their round, the oldest first', () => {
  const unsettled = (skip: (name: string) => boolean, at: string): readonly string[] => {
    const list = new NotCheckedList();
    nameUnsettled(chained({ skip }).published.views, parseTime(at as never), list);
    return list.list.map(({ what }) => what);
  };
  const end = '2026-12-01T00:00:00Z';
  assert.deepEqual(
    unsettled(() => false, end),
    [],
  );
  const silent = (name: string): boolean => / (cosign|dissent) /.test(name);
  assert.deepEqual(unsettled(silent, end), [
    'no quorum: LAYOFFS of 2026-07-04, 2026-07-11, 2026-07-18, 2026-07-25, 2026-08-01, final without the co-signatures that a settlement needs',
  ]);
  // The final of a period whose round may still go on is not late.
  assert.deepEqual(
    unsettled((name) => name === '2026-08-01 final 0 cosign ben', '2026-08-06T15:00:00Z'),
    [],
  );
  const one = unsettled((name) => name === '2026-08-01 final 0 cosign ben', end);
  assert.match(one.join(), /^no quorum: LAYOFFS of 2026-08-01, final/);
});

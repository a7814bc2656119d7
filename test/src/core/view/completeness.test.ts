import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import { parsePrintLeaf } from '@assay/core/completeness/leaf';
import { formatDate, toDate } from '@assay/core/time/time';
import {
  firstIndexedDay,
  indexEntries,
  indexOfDay,
  newestIndex,
  printLeaves,
} from '@assay/core/view/completeness';
import { sampleReport, sha256 } from '../fixture/fixture.ts';
import { ruledLog, SIGNATURE } from './small-log.ts';

function appendIndex(log: ReturnType<typeof ruledLog>, day: string, at: string): void {
  const size = log.entries.length;
  log.append('index/1', { day, size, ...recomputeIndex(log.views, sha256, size) }, at);
}

function appendReport(log: ReturnType<typeof ruledLog>, period: string): number {
  const report = sampleReport('final', { log: log.log, period });
  log.append('report/1', { report, signature: SIGNATURE });
  return log.entries.length - 1;
}

test('completeness view: the leaves of the prints between two sizes, newest first', () => {
  const log = ruledLog();
  const seqs = ['2026-08-01', '2026-08-15', '2026-08-08'].map((each) => appendReport(log, each));
  const between = (from: number, to: number): readonly string[] =>
    [...printLeaves(log.views, from, to)].map((leaf) => formatDate(parsePrintLeaf(leaf).period));
  const [one = 0, two = 0, three = 0] = seqs;
  assert.deepEqual(between(0, three + 1), ['2026-08-08', '2026-08-15', '2026-08-01']);
  assert.deepEqual(between(two, three), ['2026-08-15']);
  assert.deepEqual(between(one + 1, two), []);
});

test('completeness view: index entries by day and in their order; of a day the first', () => {
  const log = ruledLog();
  assert.equal(newestIndex(log.views), undefined);
  assert.equal(firstIndexedDay(log.views), undefined);
  appendIndex(log, '2026-08-21', '2026-08-22T00:00:05Z');
  appendReport(log, '2026-08-15');
  appendIndex(log, '2026-08-22', '2026-08-23T00:00:05Z');
  appendReport(log, '2026-08-08');
  appendIndex(log, '2026-08-22', '2026-08-23T00:01:05Z');
  const rows = [...indexEntries(log.views)];
  assert.deepEqual(
    rows.map(({ day, prints, at }) => [day, prints.count, at]),
    [
      ['2026-08-21', 0, '2026-08-22T00:00:05Z'],
      ['2026-08-22', 1, '2026-08-23T00:00:05Z'],
      ['2026-08-22', 2, '2026-08-23T00:01:05Z'],
    ],
  );
  assert.deepEqual(newestIndex(log.views), rows[2]);
  assert.deepEqual(indexOfDay(log.views, toDate('2026-08-22')), rows[1]);
  assert.equal(indexOfDay(log.views, toDate('2026-08-23')), undefined);
  assert.equal(firstIndexedDay(log.views), '2026-08-21');
});

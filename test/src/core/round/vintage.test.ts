import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRevision } from '@assay/core/kind/revision';
import type { ScaledSeries } from '@assay/core/rule/interpret';
import { ruleHash } from '@assay/core/rule/rule';
import { formatDate, formatTime, parseDate, parseTime } from '@assay/core/time/time';
import { revisionRows } from '@assay/core/round/vintage';
import {
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  SOME_HASH,
} from '../fixture/fixture.ts';

const RULE = layoffsRule();
const READ_AT = parseTime('2026-08-06T12:39:58Z');

function series(values: Readonly<Record<string, bigint | null>>): ScaledSeries {
  return new Map(Object.entries(values).map(([date, value]) => [parseDate(date), value]));
}

function revise(log: SampleLog, values: ScaledSeries): readonly (readonly [string, string])[] {
  const rows = revisionRows(values, RULE, log.views, READ_AT);
  const body = {
    ticker: RULE.ticker,
    rule: ruleHash(sha256, RULE),
    provider: 'table',
    snapshot: SOME_HASH,
    retain: 'bytes',
    read_at: formatTime(READ_AT),
    read_for: '2026-08-01',
    rows,
  };
  if (rows.length > 0) {
    parseRevision(body as never, 'body');
    log.append('revision/1', body);
  }
  return rows.map(({ period, value }) => [period, value]);
}

function startLog(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: RULE });
  return log;
}

test('vintage: history first, the newest period left for its print, then differences alone', () => {
  const log = startLog();
  const first = series({
    '2026-07-18': 216_000n,
    '2026-07-04': 215_000n,
    '2026-07-11': null,
    '2026-07-25': 218_000n,
  });
  assert.deepEqual(revise(log, first), [
    ['2026-07-04', '215000'],
    ['2026-07-18', '216000'],
  ]);
  assert.deepEqual(revise(log, first), [], 'what is shown already is not said again');
  log.append('report/1', { report: sampleReport('provisional'), signature: 'ab'.repeat(64) });
  const later = series({
    '2026-07-04': 217_000n,
    '2026-07-18': 216_000n,
    '2026-07-25': 219_000n,
    '2026-08-01': 1n,
  });
  assert.deepEqual(
    revise(log, later),
    [['2026-07-04', '217000']],
    'a provisional print is not revised',
  );
  log.append('report/1', { report: sampleReport('final'), signature: 'ab'.repeat(64) });
  assert.deepEqual(revise(log, later), [['2026-07-25', '219000']]);
  assert.deepEqual(revise(log, later), []);
  assert.deepEqual(
    revise(log, series({ '2026-07-25': 218_000n, '2026-08-01': 2n })),
    [['2026-07-25', '218000']],
    'back to the print',
  );
  assert.deepEqual(revise(log, series({ '2026-07-25': 218_000n, '2026-08-01': 2n })), []);
});

test('vintage: a void period takes the source’s figure as a revision', () => {
  const log = startLog();
  log.append('report/1', { report: sampleReport('void'), signature: 'ab'.repeat(64) });
  assert.deepEqual(revise(log, series({ '2026-08-01': 220_000n, '2026-08-08': 1n })), [
    ['2026-08-01', '220000'],
  ]);
});

test('vintage: a thousand rows at a time, ascending, the rest next time', () => {
  const log = startLog();
  const start = parseDate('1980-01-05');
  const all: ScaledSeries = new Map(
    Array.from({ length: 2303 }, (_, i) => [start + 7 * (2302 - i), BigInt(i)]),
  );
  const counts: number[] = [];
  for (;;) {
    const rows = revise(log, all);
    if (rows.length === 0) break;
    counts.push(rows.length);
    const periods = rows.map(([period]) => period);
    assert.deepEqual(periods, [...periods].sort());
  }
  assert.deepEqual(counts, [1000, 1000, 302]);
  assert.equal(log.views.get('periods/LAYOFFS', formatDate(start + 7 * 2302)), undefined);
});

test('vintage: nothing in the source, nothing to say', () => {
  assert.deepEqual(revise(startLog(), new Map()), []);
  assert.deepEqual(revise(startLog(), series({ '2026-07-25': null })), []);
});

test('vintage: a period before its release counts for nothing, neither as a row nor as the newest', () => {
  const log = startLog();
  const early = series({
    '2026-07-25': 218_000n,
    '2026-08-01': 217_000n,
    '2026-08-08': 1n,
    '2026-08-15': 2n,
    '2027-01-02': 3n,
  });
  const at = (time: string): readonly string[] =>
    revisionRows(early, RULE, log.views, parseTime(time)).map(({ period }) => period);
  assert.deepEqual(at('2026-07-30T12:29:59Z'), []);
  assert.deepEqual(at('2026-08-06T12:29:59Z'), [], 'the last that is out may be a first print');
  assert.deepEqual(at('2026-08-06T12:30:00Z'), ['2026-07-25']);
  assert.deepEqual(at('2026-08-20T12:30:00Z'), ['2026-07-25', '2026-08-01', '2026-08-08']);
});

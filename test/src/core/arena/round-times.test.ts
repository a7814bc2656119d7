import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundIndex, roundTerms, roundTimes } from '@assay/core/arena/round-times';
import { formatTime, parseDate } from '@assay/core/time/time';
import { ARENA, ArenaLog, INDEX } from './arena-log.ts';
import { movedDaily } from './moved-release.ts';

function world(): ArenaLog {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  return log;
}

test('round times: from the earliest release that was ever set', () => {
  const log = world();
  const closes = (): string | undefined => {
    const times = roundTimes(log.views, ARENA, INDEX, parseDate('2026-08-03'));
    return times === undefined ? undefined : formatTime(times.closes);
  };
  assert.equal(closes(), '2026-08-04T07:30:00Z');
  movedDaily(log, '09:30', '2026-08-02T09:00:00Z');
  assert.equal(closes(), '2026-08-04T07:30:00Z', 'postponed');
  const other = world();
  movedDaily(other, '06:30', '2026-08-02T09:00:00Z');
  const times = roundTimes(other.views, ARENA, INDEX, parseDate('2026-08-03'));
  assert.equal(formatTime(times?.closes ?? 0), '2026-08-04T05:30:00Z', 'moved earlier');
});

test('round times: none of a period that no version governs', () => {
  assert.equal(roundTimes(world().views, ARENA, INDEX, parseDate('2026-06-01')), undefined);
  const index = { ...INDEX, ticker: 'NONE' as never };
  assert.equal(roundTimes(world().views, ARENA, index, parseDate('2026-08-03')), undefined);
  assert.equal(roundIndex(ARENA, 'NONE' as never), undefined);
});

test('round terms: a round keeps its beacon, and an earlier release its end', () => {
  const log = world();
  const [round] = log.open('2026-08-03T02:00:00Z');
  const row = log.round(round?.id ?? '');
  const terms = (): readonly string[] => {
    const { counts, unseals, release } = roundTerms(log.views, row) ?? {
      counts: 0,
      unseals: 0,
      release: 0,
    };
    return [counts, unseals, release].map((at) => formatTime(at).slice(11, 19));
  };
  assert.deepEqual(terms(), ['07:30:00', '07:31:00', '08:30:00']);
  movedDaily(log, '08:00', '2026-08-03T02:10:00Z');
  assert.deepEqual(terms(), ['07:00:00', '07:31:00', '08:00:00']);
  const foreign = { ...row, body: { ...row.body, arena_rule: '00'.repeat(32) as never } };
  assert.equal(roundTerms(log.views, foreign), undefined);
});

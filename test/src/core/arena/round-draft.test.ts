import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftRound, dueRounds } from '@assay/core/arena/round-draft';
import { houseForecasts } from '@assay/core/arena/forecast/house';
import { parseTime } from '@assay/core/time/time';
import { newestArenaRule } from '@assay/core/view/arena-rules';
import { cpiRule, layoffsRule, sha256, withheldRule } from '../fixture/fixture.ts';
import { ArenaLog, arenaRule, DAILY, INDEX } from './arena-log.ts';

function world(...change: ConstructorParameters<typeof ArenaLog>): ArenaLog {
  const log = new ArenaLog(...change);
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  return log;
}

const idsAt = (log: ArenaLog, at: string): readonly string[] =>
  dueRounds(log.views, sha256, parseTime(at)).map(({ id }) => id);

test('round draft: the whole round, from the calendar and the prints', () => {
  const log = world();
  log.print('2026-08-02', '1100', '2026-08-03T08:40:00Z');
  const [round, ...more] = dueRounds(log.views, sha256, parseTime('2026-08-04T01:30:00Z'));
  assert.deepEqual(more, []);
  assert.equal(round?.id, 'layoffs-2026-08-03');
  const { opens_at, closes_at, ref_period, ref_value, decimals, rule } = round;
  assert.deepEqual(
    { opens_at, closes_at, ref_period, ref_value, decimals, version: rule.version },
    {
      opens_at: '2026-08-04T01:30:00Z',
      closes_at: '2026-08-04T07:30:00Z',
      ref_period: '2026-08-02',
      ref_value: '1100',
      decimals: 0,
      version: 1,
    },
  );
  // The beacon's first round is at 2026-07-01T00:00:00Z, and there is one every 30 s.
  const seconds = parseTime('2026-08-04T07:31:00Z') - parseTime('2026-07-01T00:00:00Z');
  assert.equal(round.drand_round, seconds / 30 + 1);
  assert.deepEqual(round.house, houseForecasts(sha256, 1100n, [1100n, 1000n]));
});

test('round draft: due while it is open, and once', () => {
  const log = world();
  assert.deepEqual(idsAt(log, '2026-08-04T01:29:59Z'), []);
  assert.deepEqual(idsAt(log, '2026-08-04T01:30:00Z'), ['layoffs-2026-08-03']);
  assert.deepEqual(idsAt(log, '2026-08-04T07:29:59Z'), ['layoffs-2026-08-03']);
  assert.deepEqual(idsAt(log, '2026-08-04T07:30:00Z'), []);
  log.open('2026-08-04T03:00:00Z');
  assert.deepEqual(idsAt(log, '2026-08-04T03:00:00Z'), []);
});

test('round draft: a long window has several rounds of an index open', () => {
  const log = world({ indices: [{ ...INDEX, window_s: 3 * 86_400 }] });
  assert.deepEqual(idsAt(log, '2026-08-04T07:29:59Z'), [
    'layoffs-2026-08-03',
    'layoffs-2026-08-04',
    'layoffs-2026-08-05',
  ]);
});

test('round draft: a round closes before its period ends where the number is known then', () => {
  const log = world({ indices: [{ ...INDEX, known: 'period_end' }] });
  const [round] = dueRounds(log.views, sha256, parseTime('2026-08-03T20:00:00Z'));
  assert.equal(round?.id, 'layoffs-2026-08-03');
  assert.equal(round.closes_at, '2026-08-03T23:00:00Z');
});

test('round draft: no round without an earlier print, of a withheld index, or for another ticker', () => {
  assert.deepEqual(idsAt(new ArenaLog(), '2026-08-04T02:00:00Z'), []);
  const withheld = withheldRule({ period: 'utc_day', release: DAILY.release });
  const log = new ArenaLog({}, withheld);
  log.print('2026-08-01', null, '2026-08-02T08:40:00Z', {
    withheld: true,
    commitment: 'ab'.repeat(32),
    settleable: false,
    grade: 'C',
    reads: [],
    dispersion: null,
  });
  assert.deepEqual(idsAt(log, '2026-08-04T02:00:00Z'), []);
  const other = world();
  const row = newestArenaRule(other.views);
  assert.ok(row !== undefined);
  const draft = (ticker: string): unknown =>
    draftRound(other.views, sha256, row, ticker as never, '2026-08-03' as never);
  assert.equal(draft('CPI'), undefined);
  assert.notEqual(draft('LAYOFFS'), undefined);
});

test('round draft: no round whose forecasts could not be opened before the number is out', () => {
  // The margin fits, but the next round of the beacon is out at 08:30:00, as the number is.
  const late = world({ indices: [{ ...INDEX, close_before_s: 30 }], seal_margin_s: 29 });
  assert.deepEqual(idsAt(late, '2026-08-04T08:20:00Z'), []);
  const soon = world({ indices: [{ ...INDEX, close_before_s: 31 }], seal_margin_s: 1 });
  assert.deepEqual(idsAt(soon, '2026-08-04T08:20:00Z'), ['layoffs-2026-08-03']);
});

test('round draft: a void, a withheld or a revised period is no reference, and a correction changes none', () => {
  const log = world();
  log.print('2026-08-02', null, '2026-08-03T08:40:00Z', {
    status: 'void',
    reason: 'no_quorum',
    settleable: false,
    dispersion: null,
  });
  log.print('2026-08-01', '7', '2026-08-03T09:40:00Z', {
    status: 'corrected',
    settleable: false,
    issue: 1,
    supersedes: 'ab'.repeat(32),
  });
  const [round] = dueRounds(log.views, sha256, parseTime('2026-08-04T02:00:00Z'));
  assert.deepEqual([round?.ref_period, round?.ref_value], ['2026-08-01', '1000']);
});

test('round draft: weekly and monthly indexes, by the calendar of their rule', () => {
  const weekly = new ArenaLog({ indices: [{ ...INDEX, window_s: 432_000 }] }, layoffsRule());
  weekly.print('2026-07-25', '218000', '2026-07-30T14:30:00Z');
  // Thursday 2026-08-06, 08:30 in New York, less an hour.
  const [week] = weekly.open('2026-08-02T12:00:00Z');
  assert.deepEqual([week?.id, week?.closes_at], ['layoffs-2026-08-01', '2026-08-06T11:30:00Z']);
  const monthly = new ArenaLog(
    { indices: [{ ...INDEX, ticker: cpiRule().ticker, window_s: 432_000 }] },
    cpiRule(),
  );
  monthly.print('2026-07-01', '325000', '2026-08-12T14:30:00Z', { ticker: 'CPI' });
  const opens = [...Array(30).keys()].flatMap((day) => {
    const at = parseTime('2026-09-01T00:00:00Z') + 86_400 * day;
    return dueRounds(monthly.views, sha256, at).map(({ id }) => id);
  });
  assert.deepEqual([...new Set(opens)], ['cpi-2026-08-01']);
});

test('round draft: the arena rule that is newest governs, and a null one makes no rounds', () => {
  const log = world();
  log.append(
    'arena-rule/1',
    { rule: arenaRule({ seal_margin_s: 120 }, 2) },
    '2026-08-02T09:00:00Z',
  );
  const [round] = dueRounds(log.views, sha256, parseTime('2026-08-04T02:00:00Z'));
  assert.equal(round?.arena_rule, newestArenaRule(log.views)?.hash);
  const off = { ...arenaRule({}, 3), arena: null };
  log.append('arena-rule/1', { rule: off }, '2026-08-02T10:00:00Z');
  assert.deepEqual(idsAt(log, '2026-08-04T02:00:00Z'), []);
});

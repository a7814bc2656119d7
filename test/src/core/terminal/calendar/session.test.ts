import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { newYorkBehind } from '@assay/core/terminal/calendar/new-york';
import { sessionOf, xnysGrid } from '@assay/core/terminal/calendar/session';
import { formatTime, parseDate, parseTime } from '@assay/core/time/time';
import { sharedPath } from '../../fixture/fixture.ts';

function hours(date: string): string {
  const session = sessionOf(parseDate(date));
  if (session === undefined) return 'none';
  return [session.opens, session.closes].map((each) => formatTime(each).slice(11, 16)).join(' ');
}

test('session: whole days, half days and days without one', () => {
  for (const [date, told] of [
    ['2019-01-04', '14:30 21:00'],
    ['2019-03-08', '14:30 21:00'],
    ['2019-03-11', '13:30 20:00'],
    ['2019-07-03', '13:30 17:00'],
    ['2020-11-27', '14:30 18:00'],
    ['2021-12-31', '14:30 21:00'],
    ['2024-12-24', '14:30 18:00'],
    ['2025-01-08', '14:30 21:00'],
    ['2025-01-09', 'none'],
    ['2025-01-10', '14:30 21:00'],
    ['2026-07-02', '13:30 20:00'],
    ['2026-07-03', 'none'],
    ['2026-10-30', '13:30 20:00'],
    ['2026-11-02', '14:30 21:00'],
    ['2026-11-21', 'none'],
    ['2026-11-22', 'none'],
    ['2018-12-31', 'none'],
    ['2030-12-31', '14:30 21:00'],
    ['2031-01-02', 'none'],
  ] as const) {
    assert.equal(hours(date), told, date);
  }
});

test('session: the days of a year that have one', () => {
  const found = [2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026].map((year) => {
    let count = 0;
    for (let day = parseDate(`${year}-01-01`); day < parseDate(`${year + 1}-01-01`); day += 1) {
      if (sessionOf(day) !== undefined) count += 1;
    }
    return count;
  });
  assert.deepEqual(found, [252, 253, 252, 251, 250, 252, 250, 251]);
});

test('session: the grid counts quarters of sessions without gaps, and back', () => {
  assert.equal(xnysGrid.timeOf(0), parseTime('2019-01-02T14:45:00Z'));
  const last = xnysGrid.indexOf(parseTime('2030-12-31T21:00:00Z')) as number;
  let expected = 0;
  for (
    let ts = parseTime('2018-12-30T00:00:00Z');
    ts < parseTime('2031-01-05T00:00:00Z');
    ts += 900
  ) {
    const index = xnysGrid.indexOf(ts);
    if (index === undefined) continue;
    assert.equal(index, expected, formatTime(ts));
    assert.equal(xnysGrid.timeOf(index), ts);
    expected += 1;
  }
  assert.equal(expected - 1, last);
});

test('session: a day has 26 ticks from 09:45 to its close, a half day 14', () => {
  const at = (time: string): number | undefined => xnysGrid.indexOf(parseTime(time));
  const first = at('2019-07-02T13:45:00Z') as number;
  assert.equal(at('2019-07-02T20:00:00Z'), first + 25);
  assert.equal(at('2019-07-03T13:45:00Z'), first + 26);
  assert.equal(at('2019-07-03T17:00:00Z'), first + 39);
  assert.equal(at('2019-07-05T13:45:00Z'), first + 40);
});

test('session: no other time has a count', () => {
  for (const time of [
    '2019-07-02T13:30:00Z',
    '2019-07-02T13:44:59Z',
    '2019-07-02T13:50:00Z',
    '2019-07-02T20:15:00Z',
    '2019-07-03T17:15:00Z',
    '2019-07-04T14:00:00Z',
    '2019-07-06T14:00:00Z',
    '2018-12-31T14:45:00Z',
  ]) {
    assert.equal(xnysGrid.indexOf(parseTime(time)), undefined, time);
  }
  assert.equal(xnysGrid.indexOf(Number.NaN), undefined);
  assert.equal(xnysGrid.indexOf(parseTime('2019-07-02T13:45:00Z') + 0.5), undefined);
});

test('session: a count that the calendar does not have is out of range', () => {
  const last = xnysGrid.indexOf(parseTime('2030-12-31T21:00:00Z')) as number;
  for (const index of [-1, last + 1, 0.5, Number.NaN]) {
    assert.throws(() => xnysGrid.timeOf(index), { code: 'out_of_range' }, String(index));
  }
});

test('session: the times of recorded sessions are the grid', (t) => {
  const folder = sharedPath('data/stocks');
  if (folder === undefined) {
    t.skip('the recorded stocks are not here');
    return;
  }
  const names = readdirSync(folder).filter((name) => name.endsWith('.csv.gz'));
  assert.ok(names.length > 0);
  for (const name of names) {
    const rows = gunzipSync(readFileSync(join(folder, name)))
      .toString()
      .trim()
      .split('\n')
      .slice(1);
    const counts = rows.map((row) => {
      const [local = ''] = row.split(',');
      const behind = newYorkBehind(parseDate(local.slice(0, 10)));
      return xnysGrid.indexOf(parseTime(`${local}Z`) + behind);
    });
    const first = xnysGrid.indexOf(parseTime('2019-01-04T14:45:00Z')) as number;
    assert.deepEqual(
      counts,
      Array.from({ length: 30 * 26 }, (_, i) => first + i),
      name,
    );
  }
});

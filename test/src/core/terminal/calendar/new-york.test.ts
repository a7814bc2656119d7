import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newYorkBehind } from '@assay/core/terminal/calendar/new-york';
import { DAY_SECONDS, parseDate } from '@assay/core/time/time';

test('new york: the noon of every day from 2007 to 2040 as the time zone database has it', () => {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    hour: 'numeric',
    hourCycle: 'h23',
  });
  for (let day = parseDate('2007-01-01'); day < parseDate('2041-01-01'); day += 1) {
    const seconds = day * DAY_SECONDS + 12 * 3600 + newYorkBehind(day);
    assert.equal(clock.format(1000 * seconds), '12', String(day));
  }
});

test('new york: the days on which its clocks change are of the time that they change to', () => {
  for (const [date, hours] of [
    ['2019-03-09', 5],
    ['2019-03-10', 4],
    ['2019-11-02', 4],
    ['2019-11-03', 5],
    ['2026-03-08', 4],
    ['2026-11-01', 5],
    ['2028-11-04', 4],
    ['2028-11-05', 5],
  ] as const) {
    assert.equal(newYorkBehind(parseDate(date)), 3600 * hours, date);
  }
});

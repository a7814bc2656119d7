import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staleAt } from '@assay/node/terminal/answer/freshness';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import { formatTime, parseTime } from '@assay/core/time/time';

test('freshness: half an hour while ticks follow each other; before a pause until the next tick and five minutes', () => {
  assert.equal(staleAt(utcGrid, 900 * 1000), 900 * 1000 + 1800);
  // A grid of one tick a day, at noon.
  const noon = {
    indexOf: (ts: number) => (ts % 86_400 === 43_200 ? (ts - 43_200) / 86_400 : undefined),
    timeOf: (index: number) => index * 86_400 + 43_200,
    end: 10,
  };
  assert.equal(staleAt(noon, 43_200), 43_200 + 86_400 + 300);
  // A tick that is not of the grid: as one of every quarter of an hour.
  assert.equal(staleAt(noon, 44_100), 44_100 + 1800);
});

test('freshness: a pause that begins within the half hour is waited for, one at its end is not', () => {
  // Three ticks a day, from noon on.
  const times = [0, 900, 1800, 86_400, 87_300, 88_200, 172_800];
  const grid = {
    indexOf: (ts: number) => (times.includes(ts) ? times.indexOf(ts) : undefined),
    timeOf: (index: number) => times[index] as number,
    end: times.length,
  };
  assert.deepEqual(
    times.map((ts) => staleAt(grid, ts)),
    [1800, 86_700, 86_700, 88_200, 173_100, 173_100, 174_600],
  );
});

test('freshness: a close, and the tick before it, is fresh until 20 minutes after the next open, over nights, week-ends and holidays', () => {
  const until = (ts: string): string => formatTime(staleAt(xnysGrid, parseTime(ts)));
  // Within a session, up to half an hour before its close.
  assert.equal(until('2026-11-20T15:00:00Z'), '2026-11-20T15:30:00Z');
  assert.equal(until('2026-11-20T20:15:00Z'), '2026-11-20T20:45:00Z');
  assert.equal(until('2026-11-20T20:30:00Z'), '2026-11-20T21:00:00Z');
  // Friday's close, and the tick before it: Monday opens at 14:30.
  assert.equal(until('2026-11-20T20:45:00Z'), '2026-11-23T14:50:00Z');
  assert.equal(until('2026-11-20T21:00:00Z'), '2026-11-23T14:50:00Z');
  assert.equal(until('2026-11-19T20:45:00Z'), '2026-11-20T14:50:00Z');
  assert.equal(until('2026-11-19T21:00:00Z'), '2026-11-20T14:50:00Z');
  // The half day after Thanksgiving, and the day before it.
  assert.equal(until('2026-11-25T21:00:00Z'), '2026-11-27T14:50:00Z');
  assert.equal(until('2026-11-27T17:30:00Z'), '2026-11-27T18:00:00Z');
  assert.equal(until('2026-11-27T17:45:00Z'), '2026-11-30T14:50:00Z');
  assert.equal(until('2026-11-27T18:00:00Z'), '2026-11-30T14:50:00Z');
  // The clocks of New York go on between.
  assert.equal(until('2026-03-06T20:45:00Z'), '2026-03-09T13:50:00Z');
  assert.equal(until('2026-03-06T21:00:00Z'), '2026-03-09T13:50:00Z');
});

test('freshness: after the last tick that the calendar knows it is half an hour', () => {
  const last = parseTime('2030-12-31T21:00:00Z');
  assert.equal(xnysGrid.indexOf(last), xnysGrid.end - 1);
  assert.equal(staleAt(xnysGrid, last), last + 1800);
  assert.equal(staleAt(xnysGrid, last - 900), last + 900);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PeriodKind } from '@assay/core/rule/period';
import {
  parseRelease,
  type Release,
  releaseDay,
  releasedBy,
  releaseTime,
  type ReleaseException,
  type Zone,
} from '@assay/core/rule/release';
import { formatDate, formatTime, parseDate, toDate } from '@assay/core/time/time';
import fc from 'fast-check';
import { vectors } from '../fixture/fixture.ts';

test('release: by example, both sides of each change of the clock', () => {
  interface Case {
    zone: Zone;
    local: string;
    kind: PeriodKind;
    days_after: number;
    period: string;
    exceptions: ReleaseException[];
    at: string;
  }
  for (const { kind, period, at, ...rest } of vectors<Case[]>('rule/releases')) {
    const release: Release = { ...rest, deadline_s: 0, first_print_within_s: 0 };
    assert.equal(
      formatTime(releaseTime(release, kind, parseDate(period))),
      at,
      `${period} ${rest.local}`,
    );
  }
});

test('release: what was released by a moment is what its time says', () => {
  const day = fc.integer({ min: 15_000, max: 15_400 });
  fc.assert(
    fc.property(
      fc.constantFrom<Zone>('UTC', 'America/New_York'),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 62 }),
      fc.constantFrom<PeriodKind>('utc_day', 'month'),
      fc.array(fc.tuple(day, day), { maxLength: 4 }),
      fc.integer({ min: 15_000 * 86_400, max: 15_500 * 86_400 }),
      (zone, hour, after, kind, moved, at) => {
        const release: Release = {
          zone,
          local: `${String(hour).padStart(2, '0')}:30`,
          days_after: after,
          exceptions: moved.map(([period, date]) => ({
            period: formatDate(period),
            date: formatDate(date),
          })),
          deadline_s: 0,
          first_print_within_s: 0,
        };
        const released = releasedBy(release, kind, at);
        const near = Math.floor(at / 86_400);
        const periods = Array.from({ length: 140 }, (_, i) => near - 70 + i);
        for (const period of [...periods, ...moved.map(([each]) => each)]) {
          assert.equal(released(period), releaseTime(release, kind, period) <= at);
        }
      },
    ),
  );
});

test('release: New York is where the engine’s own time zone data has it', () => {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/New_York',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const days = fc.integer({ min: parseDate('2007-01-01'), max: parseDate('2037-12-30') });
  fc.assert(
    fc.property(
      days,
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
      (day, hour, minute) => {
        const local = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
        const release: Release = {
          zone: 'America/New_York',
          local,
          days_after: 0,
          exceptions: [],
          deadline_s: 0,
          first_print_within_s: 0,
        };
        const at = releaseTime(release, 'utc_day', day);
        const parts = Object.fromEntries(
          clock.formatToParts(at * 1000).map(({ type, value }) => [type, value]),
        );
        const wall = `${parts['year']}-${parts['month']}-${parts['day']}`;
        const date = new Date((day + 1) * 86_400_000).toISOString().slice(0, 10);
        assert.equal(wall, date);
        // Between two and three of the Sunday in March there is no such wall time: an hour later is.
        const shown = `${parts['hour']}:${parts['minute']}`;
        const skipped = hour === 2 && shown === `03:${String(minute).padStart(2, '0')}`;
        assert.ok(shown === local || skipped, `${date} ${local} is shown as ${shown}`);
      },
    ),
    { numRuns: 2000 },
  );
});

test('release: the closed shape', () => {
  const good = {
    zone: 'UTC',
    local: '12:30',
    days_after: 11,
    exceptions: [],
    deadline_s: 1,
    first_print_within_s: 1,
  };
  assert.deepEqual(parseRelease(good, 'release'), good);
  for (const [at, change] of [
    ['release.zone', { zone: 'Europe/Berlin' }],
    ['release.local', { local: '24:00' }],
    ['release.local', { local: '8:30' }],
    ['release.days_after', { days_after: 63 }],
    ['release.days_after', { days_after: -1 }],
    ['release.exceptions[0].date', { exceptions: [{ period: '2026-07-25', date: '2026-02-30' }] }],
    ['release.deadline_s', { deadline_s: 34_560_001 }],
    ['release.first_print_within_s', { first_print_within_s: -1 }],
  ] as const) {
    assert.throws(() => parseRelease({ ...good, ...change }, 'release'), { code: 'malformed', at });
  }
});

test('release: the last day of the calendar has a release too', () => {
  const release: Release = {
    zone: 'America/New_York',
    local: '08:30',
    days_after: 62,
    exceptions: [],
    deadline_s: 0,
    first_print_within_s: 0,
  };
  const at = releaseTime(release, 'utc_day', parseDate('9999-12-31'));
  assert.equal(at, (parseDate('9999-12-31') + 63) * 86_400 + 13.5 * 3600);
});

test('release: its day, on the calendar of its zone', () => {
  const release: Release = {
    zone: 'America/New_York',
    local: '20:30',
    days_after: 2,
    exceptions: [{ period: toDate('2026-07-02'), date: toDate('2026-07-09') }],
    deadline_s: 0,
    first_print_within_s: 0,
  };
  const day = (period: string): string =>
    formatDate(releaseDay(release, 'utc_day', parseDate(period)));
  assert.equal(day('2026-07-01'), '2026-07-04');
  assert.equal(
    formatTime(releaseTime(release, 'utc_day', parseDate('2026-07-01'))),
    '2026-07-05T00:30:00Z',
  );
  assert.equal(day('2026-07-02'), '2026-07-09');
});

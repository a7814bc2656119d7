import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  completeAt,
  isPeriod,
  PERIOD_KINDS,
  periodEnd,
  periodOf,
  notPeriodText,
  type PeriodKind,
  requirePeriod,
  shiftPeriod,
} from '@assay/core/rule/period';
import { DAY_SECONDS, formatDate, parseDate } from '@assay/core/time/time';
import fc from 'fast-check';

const days = fc.integer({ min: parseDate('1900-01-01'), max: parseDate('2200-01-01') });
const kinds = fc.constantFrom(...PERIOD_KINDS);

test('period: by example', () => {
  const cases = [
    ['week_ending_saturday', '2026-07-25', '2026-07-26', '2026-08-01', '2026-07-18'],
    ['utc_day', '2024-02-28', '2024-02-29', '2024-02-29', '2024-02-27'],
    ['month', '2025-12-01', '2026-01-01', '2026-01-01', '2025-11-01'],
    ['month', '2024-02-01', '2024-03-01', '2024-03-01', '2024-01-01'],
  ] as const;
  for (const [kind, period, end, next, last] of cases) {
    const at = parseDate(period);
    assert.equal(formatDate(periodEnd(kind, at)), end);
    assert.equal(formatDate(shiftPeriod(kind, at, 1)), next);
    assert.equal(formatDate(shiftPeriod(kind, at, -1)), last);
    assert.equal(completeAt(kind, at), parseDate(end) * DAY_SECONDS);
  }
});

test('period: each day belongs to one period, and the next begins where it ends', () => {
  fc.assert(
    fc.property(kinds, days, (kind, day) => {
      const period = periodOf(kind, day);
      assert.ok(isPeriod(kind, period));
      assert.equal(requirePeriod(kind, period), period);
      assert.equal(periodOf(kind, period), period);
      assert.equal(periodOf(kind, periodEnd(kind, period)), shiftPeriod(kind, period, 1));
      assert.ok(day < periodEnd(kind, period));
      assert.ok(day >= periodEnd(kind, shiftPeriod(kind, period, -1)));
    }),
  );
});

test('period: shifting there and back', () => {
  fc.assert(
    fc.property(kinds, days, fc.integer({ min: -500, max: 500 }), (kind, day, count) => {
      const period = periodOf(kind, day);
      const shifted = shiftPeriod(kind, period, count);
      assert.ok(isPeriod(kind, shifted));
      assert.equal(shiftPeriod(kind, shifted, -count), period);
    }),
  );
});

test('period: another day names none', () => {
  assert.throws(() => requirePeriod('week_ending_saturday', parseDate('2026-07-24')), {
    code: 'malformed',
    message:
      'the index is weekly, and its periods end on a Saturday: 2026-07-24 is a Friday; the nearest are 2026-07-18 and 2026-07-25',
  });
  assert.throws(() => requirePeriod('month', parseDate('2026-07-02')), { code: 'malformed' });
  assert.equal(isPeriod('utc_day', -1), true);
});

test('period: why a day is none, with the days near it that are', () => {
  const text = (kind: PeriodKind, day: string): string | undefined =>
    notPeriodText(kind, parseDate(day), 'X');
  assert.equal(text('week_ending_saturday', '2026-07-25'), undefined);
  assert.equal(text('utc_day', '2026-07-29'), undefined);
  assert.equal(
    text('month', '2026-12-31'),
    'X is monthly, and its periods are named by the first day of a month: 2026-12-31 is none; the nearest are 2026-12-01 and 2027-01-01',
  );
  // The calendar ends on a Friday, and begins on a Monday.
  assert.match(text('week_ending_saturday', '9999-12-31') ?? '', /; the nearest is 9999-12-25$/);
  assert.match(text('week_ending_saturday', '0001-01-01') ?? '', /; the nearest is 0001-01-06$/);
});

test('period: the end of the calendar is a day number like another', () => {
  assert.equal(periodEnd('month', parseDate('9999-12-01')), parseDate('9999-12-31') + 1);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  civilOf,
  dateOf,
  DAY_SECONDS,
  daysFromCivil,
  digitsAt,
  formatDate,
  formatTime,
  isCivil,
  parseDate,
  parseTime,
  toDate,
  toTime,
  weekdayOf,
} from '@assay/core/time/time';
import fc from 'fast-check';

const FIRST = -719_162;
const LAST = 2_932_896;

test('time: every day from 0001-01-01 to 9999-12-31 has one name, that of ECMAScript', () => {
  assert.equal(parseDate('0001-01-01'), FIRST);
  assert.equal(parseDate('9999-12-31'), LAST);
  assert.equal(parseDate('1970-01-01'), 0);
  // A step that meets every day of the month and of the week, and each end exactly.
  for (let days = FIRST; days <= LAST; days += days > LAST - 800 || days < FIRST + 800 ? 1 : 97) {
    const date = new Date(days * 86_400_000);
    const text = formatDate(days);
    assert.equal(text, date.toISOString().slice(0, 10));
    assert.equal(parseDate(text), days);
    assert.equal(weekdayOf(days), date.getUTCDay());
  }
});

test('time: the civil date of any day number and back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -4_000_000, max: 4_000_000 }), (days) => {
      const { year, month, day } = civilOf(days);
      const date = new Date(days * 86_400_000);
      assert.deepEqual(
        [year, month, day],
        [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()],
      );
      assert.equal(daysFromCivil(year, month, day), days);
    }),
  );
});

test('time: a civil date is one that a day number has', () => {
  const field = fc.oneof(fc.integer({ min: -1, max: 33 }), fc.constant(Number.NaN));
  const year = fc.oneof(field, fc.constantFrom(1900, 2000, 2024, 2026, 9999, 10_000));
  fc.assert(
    fc.property(year, field, field, (y, month, day) => {
      const back = civilOf(daysFromCivil(y, month, day));
      const same = back.year === y && back.month === month && back.day === day;
      assert.equal(isCivil({ year: y, month, day }), same && y >= 1 && y <= 9999);
    }),
    { numRuns: 2000 },
  );
});

test('time: digits are ASCII digits, all of them', () => {
  assert.equal(digitsAt('a042b', 1, 3), 42);
  for (const text of ['12', '1 3', '1x3', '-12', '١٢٣', '']) {
    assert.ok(Number.isNaN(digitsAt(text, 0, 3)), text);
  }
});

test('time: every second has one name', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: FIRST * DAY_SECONDS, max: (LAST + 1) * DAY_SECONDS - 1 }),
      (seconds) => {
        const text = formatTime(seconds);
        assert.equal(text, new Date(seconds * 1000).toISOString().replace('.000', ''));
        assert.equal(parseTime(text), seconds);
        assert.equal(toTime(text), text);
        assert.equal(dateOf(text), formatDate(Math.floor(seconds / DAY_SECONDS)));
      },
    ),
  );
});

function digits(max: number, width: number): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max }).map((value) => String(value).padStart(width, '0'));
}

test('time: a date is taken only if the calendar has it', () => {
  fc.assert(
    fc.property(digits(9999, 4), digits(19, 2), digits(39, 2), (year, month, day) => {
      const text = `${year}-${month}-${day}`;
      const date = new Date(`${text}T00:00:00Z`);
      const real =
        !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && year !== '0000';
      if (real) assert.equal(toDate(text), text);
      else assert.throws(() => parseDate(text), { code: 'malformed' }, text);
    }),
    { numRuns: 2000 },
  );
  for (const text of [
    '',
    '2026-7-25',
    '2026-07-25 ',
    '2026-07-25\n',
    '20260725',
    '+002026-07-25',
    '2026-02-29',
    '1900-02-29',
    '0000-01-01',
    '0001-00-00',
    '9999-12-32',
    '9999-99-99',
    '٢٠٢٦-07-25',
  ]) {
    assert.throws(() => parseDate(text), { code: 'malformed' }, text);
  }
  assert.equal(toDate('2000-02-29'), '2000-02-29');
});

test('time: a time has whole seconds, ends in Z and knows no leap second', () => {
  for (const text of [
    '2026-07-25',
    '2026-07-25T12:00:00',
    '2026-07-25T12:00:00z',
    '2026-07-25t12:00:00Z',
    '2026-07-25 12:00:00Z',
    '2026-07-25T12:00Z',
    '2026-07-25T12:00:00.0Z',
    '2026-07-25T12:00:00+00:00',
    '2026-07-25T24:00:00Z',
    '2026-07-25T12:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-02-30T12:00:00Z',
    '9999-12-32T00:00:00Z',
    '2026-07-25T12:00:00Z\n',
  ]) {
    assert.throws(() => parseTime(text), { code: 'malformed' }, text);
  }
});

test('time: what has no name is out of range', () => {
  for (const days of [FIRST - 1, LAST + 1, 0.5, Number.NaN, Infinity]) {
    assert.throws(() => formatDate(days), { code: 'out_of_range' }, `${days}`);
  }
  for (const seconds of [FIRST * DAY_SECONDS - 1, (LAST + 1) * DAY_SECONDS, 0.5, Number.NaN]) {
    assert.throws(() => formatTime(seconds), { code: 'out_of_range' }, `${seconds}`);
  }
});

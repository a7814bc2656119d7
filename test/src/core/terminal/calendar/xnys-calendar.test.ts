import assert from 'node:assert/strict';
import { test } from 'node:test';
import { XNYS_CLOSED, XNYS_HALF, XNYS_YEARS } from '@assay/core/terminal/calendar/xnys-calendar';
import { daysFromCivil, formatDate, weekdayOf } from '@assay/core/time/time';

/** The `nth` `weekday` (0 is Sunday) of a month. */
function nth(year: number, month: number, weekday: number, count: number): number {
  const first = daysFromCivil(year, month, 1);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + 7 * (count - 1);
}

/** Easter Sunday (the anonymous Gregorian computus). */
function easter(year: number): number {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const [d, e, i, k] = [Math.floor(b / 4), b % 4, Math.floor(c / 4), c % 4];
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - d - g + 15) % 30;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const sum = h + l - 7 * m + 114;
  return daysFromCivil(year, Math.floor(sum / 31), (sum % 31) + 1);
}

/** A date that is kept on Friday where it is a Saturday, on Monday where it is a Sunday. */
function kept(year: number, month: number, day: number): number {
  const date = daysFromCivil(year, month, day);
  const weekday = weekdayOf(date);
  return weekday === 6 ? date - 1 : weekday === 0 ? date + 1 : date;
}

function holidays(year: number): readonly number[] {
  const newYear = daysFromCivil(year, 1, 1);
  const days = [nth(year, 1, 1, 3), nth(year, 2, 1, 3), easter(year) - 2];
  if (weekdayOf(newYear) !== 6) days.push(kept(year, 1, 1));
  const mays = nth(year, 6, 1, 1) - 7;
  days.push(mays, kept(year, 7, 4), nth(year, 9, 1, 1), nth(year, 11, 4, 4), kept(year, 12, 25));
  if (year >= 2022) days.push(kept(year, 6, 19));
  if (year === 2025) days.push(daysFromCivil(2025, 1, 9));
  return days;
}

function halves(year: number): readonly number[] {
  const days = [nth(year, 11, 4, 4) + 1];
  const independence = weekdayOf(daysFromCivil(year, 7, 4));
  if (independence >= 2 && independence <= 5) days.push(daysFromCivil(year, 7, 3));
  const eve = weekdayOf(daysFromCivil(year, 12, 24));
  if (eve >= 1 && eve <= 4) days.push(daysFromCivil(year, 12, 24));
  return days;
}

function written(days: readonly number[]): string {
  return [...days]
    .sort((a, b) => a - b)
    .map((day) => formatDate(day).slice(5))
    .join(' ');
}

test('xnys calendar: every year as the rule of the exchange makes it, and the one day of mourning', () => {
  for (let year = XNYS_YEARS.first; year <= XNYS_YEARS.last; year += 1) {
    assert.equal(XNYS_CLOSED[year], written(holidays(year)), String(year));
    assert.equal(XNYS_HALF[year], written(halves(year)), String(year));
  }
  const years = XNYS_YEARS.last - XNYS_YEARS.first + 1;
  for (const list of [XNYS_CLOSED, XNYS_HALF]) assert.equal(Object.keys(list).length, years);
});

import { civilOf, daysFromCivil, weekdayOf } from '../../time/time.ts';

/**
 * How many seconds New York's clocks are behind UTC in the daytime of a day (days since 1970-01-01), from 2007
 * on: 4 hours from the second Sunday of March until the first Sunday of November, which is excluded, and 5
 * hours otherwise (15 U.S.C. 260a).
 */
export function newYorkBehind(day: number): number {
  const { year } = civilOf(day);
  const summer = day >= sundayOf(year, 3, 2) && day < sundayOf(year, 11, 1);
  return summer ? 14_400 : 18_000;
}

/** The day of the month on which its first, second ... Sunday falls. */
function sundayOf(year: number, month: number, nth: number): number {
  const first = daysFromCivil(year, month, 1);
  return first + ((7 - weekdayOf(first)) % 7) + 7 * (nth - 1);
}

import { civilOf, DAY_SECONDS, daysFromCivil } from '../../time/time.ts';
import { type EdgeLevel, FAMILY_LEVELS } from './student-quantiles.ts';

/**
 * How the error of all studies of a class together is divided among the months (docs/spec/base-rate.md, "What
 * may be spent"): by the calendar, whether or not a study is published.
 */

/** The largest number of a study. Later ones have the same. */
export const MAX_STUDY_NUMBER: number = 2 ** FAMILY_LEVELS - 1;

/** The days that pass between the first tick whose events are studied and the first month with a study. */
const FIRST_AFTER_DAYS = 60;

/** The month (UTC) of a time in unix seconds, counted from January of year 0. */
export function monthOf(ts: number): number {
  const { year, month } = civilOf(Math.floor(ts / DAY_SECONDS));
  return 12 * year + month - 1;
}

/** The first second of a month, in unix seconds. */
export function monthStart(month: number): number {
  return daysFromCivil(Math.floor(month / 12), (month % 12) + 1, 1) * DAY_SECONDS;
}

/** The first month with a study, if the class's first tick whose rule has one is at `first` (unix seconds). */
export function firstStudyMonth(first: number): number {
  const earliest = first + FIRST_AFTER_DAYS * DAY_SECONDS;
  const month = monthOf(earliest);
  return monthStart(month) === earliest ? month : month + 1;
}

/** The number of the study of a month, from 1. A month before the first one has the number 1. */
export function studyNumber(first: number, month: number): number {
  return Math.min(MAX_STUDY_NUMBER, Math.max(1, month - firstStudyMonth(first) + 1));
}

/** The level at which a group is tested in the study of this number. */
export function familyLevel(number: number): EdgeLevel {
  return `family/${Math.min(FAMILY_LEVELS, number.toString(2).length)}`;
}

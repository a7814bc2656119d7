import { EVENT_GROUPS } from '../../kind/event-group.ts';
import { civilOf, DAY_SECONDS, daysFromCivil } from '../../time/time.ts';
import { type EdgeLevel, FAMILY_LEVELS } from './student-quantiles.ts';

/**
 * How the error of all studies of a class together is divided among the months (docs/spec/base-rate.md, "What
 * may be spent"): by the calendar, whether or not a study is published.
 */

/** The largest number of a study. Later ones have the same. */
export const MAX_STUDY_NUMBER: number = 2 ** FAMILY_LEVELS - 1;

/** The error of all studies together is 5 %, one in 20. */
const ALL_ONE_IN = 20;

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
  return `family/${step(number)}`;
}

/** What error a study may spend, as one in so many: that of a group's test, and that of all its groups together. */
export interface ErrorOneIn {
  readonly group: number;
  readonly study: number;
}

/** What the study of this number may spend of the 5 % for all studies. */
export function errorOneIn(number: number): ErrorOneIn {
  const j = step(number);
  const study = ALL_ONE_IN * 2 ** (j - 1) * j * (j + 1);
  return { group: EVENT_GROUPS.length * study, study };
}

/** How many binary digits the number has, which say how much was spent before. */
function step(number: number): number {
  return Math.min(FAMILY_LEVELS, number.toString(2).length);
}

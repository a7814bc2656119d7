import { Fault } from '../fault.ts';

declare const brand: unique symbol;

/** `YYYY-MM-DD`, a real day of the proleptic Gregorian calendar, years 0001 to 9999. */
export type DateText = string & { readonly [brand]: 'date' };

/** `YYYY-MM-DDTHH:MM:SSZ`: UTC, whole seconds, no leap second. */
export type TimeText = string & { readonly [brand]: 'time' };

export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 86_400;

/** The last second of the year 9999, in unix seconds: the last that a `TimeText` can name. */
export const LAST_SECOND = 253_402_300_799;

/** Days since 1970-01-01 of a civil date (the era method of H. Hinnant's date algorithms). */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** A civil date as numbers: month 1 to 12, day 1 to 31. */
export interface Civil {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** The civil date of a day number. */
export function civilOf(days: number): Civil {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, day };
}

/** 0 to 99 with two digits. */
const TWO: readonly string[] = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'));

/** Day numbers below this one, which is in the year 2079, have their texts kept. */
const KEPT_DAYS = 40_000;
/** Texts of dates by day number. A text that is used again has its hash as a key of a map already. */
const keptDates: (DateText | undefined)[] = Array.from({ length: KEPT_DAYS });

/** The date of a day number. Throws `out_of_range` outside the years 0001 to 9999. */
export function formatDate(days: number): DateText {
  if (!(days >= 0 && days < KEPT_DAYS)) return makeDate(days);
  return (keptDates[days] ??= makeDate(days));
}

function makeDate(days: number): DateText {
  const { year, month, day } = civilOf(days);
  if (!Number.isInteger(days) || year < 1 || year > 9999) {
    throw new Fault('out_of_range', 'day number', {
      expected: 'years 0001 to 9999',
      found: String(days),
    });
  }
  return `${TWO[Math.floor(year / 100)]}${TWO[year % 100]}-${TWO[month]}-${TWO[day]}` as DateText;
}

/** Days of the months of a year that is no leap year. */
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Whether there is such a day in the years 0001 to 9999. */
export function isCivil({ year, month, day }: Civil): boolean {
  if (!(year >= 1 && year <= 9999)) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : MONTH_DAYS[month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** The number that `count` ASCII digits at `at` represent; NaN if there are other characters. */
export function digitsAt(text: string, at: number, count: number): number {
  let value = 0;
  for (let i = at; i < at + count; i += 1) {
    const digit = text.charCodeAt(i) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** The day number of a date, days since 1970-01-01. Throws `malformed`. */
export function parseDate(text: string): number {
  if (text.length === 10 && text[4] === '-' && text[7] === '-') {
    const [year, month, day] = [digitsAt(text, 0, 4), digitsAt(text, 5, 2), digitsAt(text, 8, 2)];
    if (isCivil({ year, month, day })) return daysFromCivil(year, month, day);
  }
  throw new Fault('malformed', 'date', { expected: 'YYYY-MM-DD', found: JSON.stringify(text) });
}

/** `text` as a date. Throws `malformed`. */
export function toDate(text: string): DateText {
  parseDate(text);
  return text as DateText;
}

/** Whether `text` is a date. */
export function isDate(text: string): text is DateText {
  try {
    parseDate(text);
    return true;
  } catch {
    return false;
  }
}

/** The UTC time of whole unix seconds. Throws `out_of_range` as `formatDate`. */
export function formatTime(seconds: number): TimeText {
  if (!Number.isInteger(seconds)) {
    throw new Fault('out_of_range', 'unix time', {
      expected: 'whole seconds',
      found: String(seconds),
    });
  }
  const days = Math.floor(seconds / DAY_SECONDS);
  const rest = seconds - days * DAY_SECONDS;
  const date = formatDate(days);
  const hours = Math.floor(rest / 3600);
  const minutes = Math.floor(rest / 60) % 60;
  return `${date}T${TWO[hours]}:${TWO[minutes]}:${TWO[rest % 60]}Z` as TimeText;
}

/** Unix seconds of a UTC time. Throws `malformed`. */
export function parseTime(text: string): number {
  // In a time of the right length each mark and each digit has its place.
  if (text.length === 20 && text[10] === 'T' && text[13] === ':' && text[16] === ':') {
    const [year, month, day] = [digitsAt(text, 0, 4), digitsAt(text, 5, 2), digitsAt(text, 8, 2)];
    const [h, m, s] = [digitsAt(text, 11, 2), digitsAt(text, 14, 2), digitsAt(text, 17, 2)];
    const marked = text[4] === '-' && text[7] === '-' && text[19] === 'Z';
    if (marked && h < 24 && m < 60 && s < 60 && isCivil({ year, month, day })) {
      return daysFromCivil(year, month, day) * DAY_SECONDS + h * 3600 + m * 60 + s;
    }
  }
  throw new Fault('malformed', 'time', {
    expected: 'YYYY-MM-DDTHH:MM:SSZ',
    found: JSON.stringify(text),
  });
}

/** `text` as a time. Throws `malformed`. */
export function toTime(text: string): TimeText {
  parseTime(text);
  return text as TimeText;
}

/** The date of a UTC time. */
export function dateOf(time: TimeText): DateText {
  return time.slice(0, 10) as DateText;
}

/** 0 is Sunday, as in ECMAScript; 1970-01-01 was a Thursday. */
export function weekdayOf(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

import { civilOf, DAY_SECONDS } from '../time/time.ts';
import type { Paging, SourceRequest } from '../source/request.ts';
import { releaseDay } from './release.ts';
import type { Rule } from './rule.ts';

/** The parts of a rule that its variables for days depend on. */
export type Calendar = Pick<Rule, 'period' | 'release'>;

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** The formats in which a variable may write a day, by name. */
const FORMATS: ReadonlyMap<string, (day: number) => string> = new Map([
  ['YYYY', (day) => dateOf(day, 'Y')],
  ['MM', (day) => dateOf(day, 'M')],
  ['DD', (day) => dateOf(day, 'D')],
  ['MMDDYY', (day) => dateOf(day, 'MDy')],
  ['YYYYMMDD', (day) => dateOf(day, 'YMD')],
  ['YYYY-MM-DD', (day) => dateOf(day, 'Y-M-D')],
  ['MM-DD-YYYY', (day) => dateOf(day, 'M-D-Y')],
  ['MonthD', (day) => `${MONTHS[civilOf(day).month - 1]}${civilOf(day).day}`],
  // Seconds since 1970 of 00:00 UTC of the day.
  ['unix', (day) => String(day * DAY_SECONDS)],
]);

/** The short names, for the period's own date. */
const SHORT: ReadonlyMap<string, (day: number) => string> = new Map([
  ['period', (day) => dateOf(day, 'Y-M-D')],
  ['Y', (day) => dateOf(day, 'Y')],
  ['Y-1', (day) => String(civilOf(day).year - 1).padStart(4, '0')],
  ['M', (day) => dateOf(day, 'M')],
  ['D', (day) => dateOf(day, 'D')],
  ['MMDDYY', (day) => dateOf(day, 'MDy')],
]);

/** The most days that a variable may lie before or after its day. */
const MAX_SHIFT = 400;

const LONG = /^(period|release)(?:([+-])(0|[1-9][0-9]{0,2}))?:([A-Za-z-]+)$/;
const BRACED = /\{([^{}]*)\}/g;

/** What the name between braces is replaced by; undefined where it is not a variable. */
function variable(name: string): ((period: number, calendar: Calendar) => string) | undefined {
  const short = SHORT.get(name);
  if (short !== undefined) return short;
  const [, base, sign, digits = '0', formatName = ''] = LONG.exec(name) ?? [];
  const format = FORMATS.get(formatName);
  const shift = Number(digits) * (sign === '-' ? -1 : 1);
  if (base === undefined || format === undefined || Math.abs(shift) > MAX_SHIFT) return undefined;
  return (period, { period: kind, release }) =>
    format((base === 'period' ? period : releaseDay(release, kind, period)) + shift);
}

/**
 * `text` with its variables filled in for a period. `{secret:NAME}`, and anything that is not a variable, is
 * left as it is.
 */
export function fillText(text: string, period: number, calendar: Calendar): string {
  return text.replaceAll(
    BRACED,
    (whole, name: string) => variable(name)?.(period, calendar) ?? whole,
  );
}

/** The first `{...}` in `text` that begins like a variable and is not one; undefined where there is none. */
export function wrongVariable(text: string): string | undefined {
  for (const [whole, name = ''] of text.matchAll(BRACED)) {
    if (/^(?:period|release)/.test(name) && variable(name) === undefined) return whole;
  }
  return undefined;
}

/** A rule's request for one period. `{secret:NAME}` is left as it is. */
export function fillRequest(
  request: SourceRequest,
  period: number,
  calendar: Calendar,
): SourceRequest {
  const fill = (text: string): string => fillText(text, period, calendar);
  return {
    ...request,
    url: fill(request.url),
    body: request.body === null ? null : fill(request.body),
    headers: request.headers.map(({ name, value }) => ({ name, value: fill(value) })),
    paging: fillPaging(request.paging, fill),
  };
}

function fillPaging(paging: Paging, fill: (text: string) => string): Paging {
  if (paging.kind === 'none') return paging;
  if (paging.kind === 'link') {
    return { ...paging, until: { ...paging.until, before: fill(paging.until.before) } };
  }
  const { until } = paging;
  return { ...paging, until: until && { ...until, before: fill(until.before) } };
}

/** A day in the format `shape`. Total, because a shift may leave the years that a date can have. */
function dateOf(day: number, shape: string): string {
  const civil = civilOf(day);
  const values: Readonly<Record<string, string>> = {
    Y: String(civil.year).padStart(4, '0'),
    y: String(civil.year % 100).padStart(2, '0'),
    M: String(civil.month).padStart(2, '0'),
    D: String(civil.day).padStart(2, '0'),
  };
  return shape.replaceAll(/[YyMD]/g, (mark) => values[mark] ?? mark);
}

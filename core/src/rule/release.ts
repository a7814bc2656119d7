import {
  civilOf,
  DAY_SECONDS,
  type DateText,
  daysFromCivil,
  parseDate,
  weekdayOf,
} from '../time/time.ts';
import {
  array,
  date,
  integer,
  isObject,
  literal,
  object,
  oneOf,
  type Parse,
  string,
} from '../wire/schema.ts';
import { periodEnd, type PeriodKind } from './period.ts';

/** The time zones that a rule may name. Their offsets are part of the rule language and do not depend on an engine. */
export const ZONES = ['UTC', 'America/New_York'] as const;
export type Zone = (typeof ZONES)[number];

/** When a publisher of record releases the number of a period. */
export interface Release {
  readonly zone: Zone;
  /** `HH:MM` by the wall clock of `zone`. */
  readonly local: string;
  /** Days from the first day after the period to the day of release. */
  readonly days_after: number;
  /** Periods whose release the publisher moved, mostly for holidays, with the day of the release. */
  readonly exceptions: readonly ReleaseException[];
  /** Seconds after the release. What has not come by then is void. */
  readonly deadline_s: number;
  /** Seconds after the release in which a read may still be a first print. A later read is not. */
  readonly first_print_within_s: number;
  /**
   * What happens to a number that is published after that. A rule of `assay-rule/1` has no such member, which means
   * `void`.
   */
  readonly late?: LatePublication;
}

/**
 * What a rule defines beforehand for a number that its source publishes late. Either the period is void, or its clocks
 * run from the publication that a quorum of co-signers saw. In that case it is void `within_s` seconds after the
 * scheduled release where they saw none in time.
 */
export type LatePublication =
  | { readonly kind: 'void' }
  | { readonly kind: 'from_publication'; readonly within_s: number };

export interface ReleaseException {
  readonly period: DateText;
  readonly date: DateText;
}

const parseVoid = object<Extract<LatePublication, { kind: 'void' }>>({ kind: literal('void') });
const parseFromPublication = object<Extract<LatePublication, { kind: 'from_publication' }>>({
  kind: literal('from_publication'),
  within_s: integer(0, 400 * DAY_SECONDS),
});

const parseLate: Parse<LatePublication> = (value, at) => {
  const isVoid = isObject(value) && value['kind'] === 'void';
  return (isVoid ? parseVoid : parseFromPublication)(value, at);
};

const SCHEDULE = {
  zone: oneOf(ZONES),
  local: string(5, 5, /^([01][0-9]|2[0-3]):[0-5][0-9]$/),
  days_after: integer(0, 62),
  exceptions: array(object<ReleaseException>({ period: date, date }), 0, 1000),
  deadline_s: integer(0, 400 * DAY_SECONDS),
  first_print_within_s: integer(0, 400 * DAY_SECONDS),
};

/** The release of a rule of `assay-rule/1`. */
export const parseRelease: Parse<Release> = object<Omit<Release, 'late'>>(SCHEDULE);

/** The release of a rule of `assay-rule/2`, which defines what happens to a late publication. */
export const parseReleaseWithLate: Parse<Release> = object<Required<Release>>({
  ...SCHEDULE,
  late: parseLate,
});

const MOVED = new WeakMap<Release, ReadonlyMap<number, number>>();

/**
 * Days of release by period, both as day numbers, of the periods that were moved. Parsed once, because there may be a
 * thousand.
 */
export function movedDays(release: Release): ReadonlyMap<number, number> {
  let days = MOVED.get(release);
  if (days === undefined) {
    days = new Map(
      release.exceptions.map(({ period, date: day }) => [parseDate(period), parseDate(day)]),
    );
    MOVED.set(release, days);
  }
  return days;
}

/** The day number of the scheduled release of `period` (a day number), by the calendar of the release's zone. */
export function releaseDay(release: Release, kind: PeriodKind, period: number): number {
  const moved = release.exceptions.length === 0 ? undefined : movedDays(release).get(period);
  return moved ?? periodEnd(kind, period) + release.days_after;
}

/**
 * Which periods were released by `at` (Unix seconds). It compares `releaseTime` with it for many periods at once, and
 * computes it only for those near it.
 */
export function releasedBy(
  release: Release,
  kind: PeriodKind,
  at: number,
): (period: number) => boolean {
  const moved = movedDays(release);
  // A day by the wall clock is over everywhere two days after it began in UTC.
  const over = Math.floor(at / DAY_SECONDS) - 2 - release.days_after;
  return (period) => {
    if (!(moved.size > 0 && moved.has(period)) && periodEnd(kind, period) <= over) return true;
    return releaseTime(release, kind, period) <= at;
  };
}

/** Unix seconds of the scheduled release of `period` (a day number). */
export function releaseTime(release: Release, kind: PeriodKind, period: number): number {
  return releaseOn(release, releaseDay(release, kind, period));
}

/** Unix seconds of a release on `day`, a day number on the calendar of its zone. */
export function releaseOn(release: Pick<Release, 'zone' | 'local'>, day: number): number {
  const [hours, minutes] = release.local.split(':').map(Number);
  const local = day * DAY_SECONDS + (hours ?? 0) * 3600 + (minutes ?? 0) * 60;
  return local - zoneOffset(release.zone, local);
}

/**
 * Seconds east of UTC at a local time. US rule since 2007 (15 U.S.C. 260a). A local time that is skipped or occurs
 * twice has the offset from before the change, as in date libraries.
 */
function zoneOffset(zone: Zone, local: number): number {
  if (zone === 'UTC') return 0;
  const day = Math.floor(local / DAY_SECONDS);
  const { year } = civilOf(day);
  const start = nthSunday(year, 3, 2) * DAY_SECONDS + 3 * 3600;
  const end = nthSunday(year, 11, 1) * DAY_SECONDS + 2 * 3600;
  return local >= start && local < end ? -4 * 3600 : -5 * 3600;
}

function nthSunday(year: number, month: number, nth: number): number {
  const first = daysFromCivil(year, month, 1);
  return first + ((7 - weekdayOf(first)) % 7) + 7 * (nth - 1);
}

/**
 * The calendar of docs/spec/rule.md once more, on the platform's own dates and time zones: nothing of core is used, so that
 * a fault there is not a fault here too. Times are unix seconds, periods are dates as text.
 */

export const DAY_S = 86_400;

/** What a rule says of its releases, as it stands in an entry. */
export interface ReleaseTerms {
  readonly zone: string;
  readonly local: string;
  readonly days_after: number;
  readonly exceptions: readonly { readonly period: string; readonly date: string }[];
  readonly deadline_s: number;
  readonly first_print_within_s: number;
  /** Of the second format of rules alone. */
  readonly late?: { readonly kind: string; readonly within_s?: number };
}

/** What of a rule its clocks rest on. */
export interface RuleTerms {
  readonly period: string;
  readonly release: ReleaseTerms;
  readonly revision: { readonly freeze_after_s: number };
}

export interface Moments {
  readonly release: number;
  readonly frozen: number;
  /** The last second of a read that may be a first print. */
  readonly firstPrint: number;
  readonly deadline: number;
}

export function secondsOf(time: string): number {
  return Date.parse(time) / 1000;
}

export function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

export function dateOf(seconds: number): string {
  return timeOf(seconds).slice(0, 10);
}

/** Midnight, UTC, of a date. */
export function midnight(date: string): number {
  return secondsOf(`${date}T00:00:00Z`);
}

export function addDays(date: string, days: number): string {
  return dateOf(midnight(date) + days * DAY_S);
}

/** The period after, or, below 0, before. */
export function shift(kind: string, period: string, count: number): string {
  if (kind === 'month') {
    const [year, month] = period.split('-').map(Number) as [number, number];
    const at = new Date(Date.UTC(year, month - 1 + count, 1));
    return at.toISOString().slice(0, 10);
  }
  return addDays(period, count * (kind === 'utc_day' ? 1 : 7));
}

const NEW_YORK = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
});

/** Hours that the wall clock of New York is behind UTC at a local time of day that comes once. */
const behind = new Map<string, number>();
function hoursBehind(date: string, local: string): number {
  const key = `${date} ${local}`;
  const known = behind.get(key);
  if (known !== undefined) return known;
  for (const hours of [4, 5]) {
    const at = new Date(`${date}T${local}:00Z`).getTime() + hours * 3_600_000;
    const parts = new Map(NEW_YORK.formatToParts(at).map(({ type, value }) => [type, value]));
    const shown = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')} ${parts.get('hour')}:${parts.get('minute')}`;
    if (shown !== key) continue;
    behind.set(key, hours);
    return hours;
  }
  throw new TypeError(`hoursBehind: ${key} is not a time of New York`);
}

export function releaseOf({ release, period: kind }: RuleTerms, period: string): number {
  const { zone, local, days_after, exceptions } = release;
  const moved = exceptions.find((each) => each.period === period);
  const after = kind === 'month' ? shift(kind, period, 1) : addDays(period, 1);
  const day = moved?.date ?? addDays(after, days_after);
  const hours = zone === 'UTC' ? 0 : hoursBehind(day, local);
  return secondsOf(`${day}T${local}:00Z`) + hours * 3600;
}

export function momentsOf(rule: RuleTerms, period: string): Moments {
  const release = releaseOf(rule, period);
  const { first_print_within_s: within, deadline_s: deadline } = rule.release;
  return {
    release,
    frozen: release + rule.revision.freeze_after_s,
    firstPrint: release + Math.min(within, deadline - 1),
    deadline: release + deadline,
  };
}

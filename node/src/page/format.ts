import { formatScaled } from '@assay/core/number/rational';

/** Groups the digits of a decimal number: `197000` is `197,000`. */
export function grouped(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const shown = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ',').replace(/^-/, '−');
  return fraction === undefined ? shown : `${shown}.${fraction}`;
}

/** A number of an index as people read it; an em dash where there is none. */
export function value(decimal: string | null | undefined, format: string): string {
  if (decimal === null || decimal === undefined) return '—';
  return format === 'percent' ? `${grouped(decimal)} %` : grouped(decimal);
}

/** A scaled integer of a report, as people read it; an em dash where there is none. */
export function scaled(integer: string | null, decimals: number, format: string): string {
  return value(integer === null ? null : formatScaled(BigInt(integer), decimals), format);
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** The month of a date, `2026-06-01` being `June 2026`. */
function month(date: string): string {
  return `${MONTHS[Number(date.slice(5, 7)) - 1] ?? ''} ${date.slice(0, 4)}`;
}

/** A day as `25 July 2026`. */
export function day(date: string): string {
  return `${Number(date.slice(8, 10))} ${month(date)}`;
}

/** A period as people name it: the week to a Saturday, a day, or a month. */
export function period(date: string, cadence: string): string {
  if (cadence === 'monthly') return month(date);
  return cadence === 'weekly' ? `week to ${day(date)}` : day(date);
}

/** A time of the wire as `6 August 2026, 12:30 UTC`. */
export function moment(time: string): string {
  return `${day(time)}, ${time.slice(11, 16)} UTC`;
}

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** A length of time in seconds as its two largest units: `1 day 2 hours`. */
export function duration(seconds: number): string {
  const parts = unitsOf(seconds).map(
    ([count, name]) => `${count} ${name}${count === 1 ? '' : 's'}`,
  );
  return parts.length === 0 ? '0 seconds' : parts.join(' ');
}

/** The same for a column of a table: `1 d 2 h`, and a minus sign where it is below 0. */
export function briefDuration(seconds: number): string {
  const parts = unitsOf(seconds).map(([count, name]) => `${count} ${BRIEF[name]}`);
  return parts.length === 0 ? '0 s' : `${seconds < 0 ? '−' : ''}${parts.join(' ')}`;
}

const BRIEF = { day: 'd', hour: 'h', minute: 'min', second: 's' } as const;

/** The two largest units of a length of time, with how many of each. */
function unitsOf(seconds: number): readonly (readonly [count: number, name: keyof typeof BRIEF])[] {
  let left = Math.round(Math.abs(seconds));
  const parts: (readonly [number, keyof typeof BRIEF])[] = [];
  for (const [size, name] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push([count, name]);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts;
}

/** The first digits of a hash, for where the whole stands in the address that it is linked to. */
export function short(hash: string): string {
  return `${hash.slice(0, 10)}…`;
}

/** What a status of a period means to a reader. */
const STATUS_TEXTS: Readonly<Record<string, string>> = {
  provisional: 'provisional',
  final: 'final',
  corrected: 'final, with a correction beside it',
  void: 'void: there is no number',
  history: 'loaded from a source, never published as a first print',
};

/** A status in words. */
export function status(name: string): string {
  return STATUS_TEXTS[name] ?? name;
}

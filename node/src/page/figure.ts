import { rational, type Rational } from '@assay/core/number/rational';
import { decimalText } from '@assay/core/referee/brier';
import { grouped } from './format.ts';

/** What stands where there is no figure. */
const NONE = '—';

/** A change in percent with its sign, as `+17.21 %`. */
export function change(percent: number | null): string {
  if (percent === null) return NONE;
  const text = grouped(percent.toFixed(2));
  return `${percent > 0 ? '+' : ''}${text} %`;
}

/** Percentage points with their sign, as `+3.20`. */
export function points(of: number | null): string {
  if (of === null) return NONE;
  return `${of > 0 ? '+' : ''}${grouped(of.toFixed(2))}`;
}

/** An interval of percentage points, as `+0.41 to +5.99`. */
export function range(of: readonly [number, number] | null): string {
  return of === null ? NONE : `${points(of[0])} to ${points(of[1])}`;
}

/** A multiple, as `2.31 ×`. */
export function multiple(times: number | null): string {
  return times === null ? NONE : `${grouped(times.toFixed(2))} ×`;
}

/** A share of 1 in percent with one decimal, as `59.4 %`. */
export function share(of: number | null): string {
  return of === null ? NONE : `${(of * 100).toFixed(1)} %`;
}

/** A number of things, or a score. */
export function count(number: number | null): string {
  return number === null ? NONE : grouped(String(number));
}

/** An exact fraction, as `31/150`, with four decimals: `0.2067`. */
export function fraction(exact: string | null): string {
  if (exact === null) return NONE;
  return grouped(decimalText(parsed(exact), 4));
}

function parsed(exact: string): Rational {
  const [over = '0', under = '1'] = exact.split('/');
  return rational(BigInt(over), BigInt(under));
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** A time that is left, in its two largest units: `2 days 4 h`, `3 h 20 min`, `5 min`. */
export function span(seconds: number): string {
  if (seconds < MINUTE) return 'less than a minute';
  const days = Math.floor(seconds / DAY);
  const hours = Math.floor((seconds % DAY) / HOUR);
  const minutes = Math.floor((seconds % HOUR) / MINUTE);
  const parts =
    days > 0
      ? [days === 1 ? '1 day' : `${days} days`, hours > 0 && `${hours} h`]
      : [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`];
  return parts.filter((each) => each !== false).join(' ');
}

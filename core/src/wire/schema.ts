import { Fault } from '../fault.ts';
import { type HashHex, toHashHex } from '../hash/hash.ts';
import { isHex } from '../bytes/hex.ts';
import { MAX_NUMBER_DIGITS } from '../limits.ts';
import { isDecimal } from '../number/rational.ts';
import { type DateText, type TimeText, toDate, toTime } from '../time/time.ts';
import type { WireObject, WireValue } from './wire.ts';

/** Takes a wire value of one shape, or throws `malformed` with the place. */
export type Parse<T> = (value: WireValue, at: string) => T;

export function malformed(at: string, expected: string, value: WireValue): Fault {
  // A caller that has not parsed the value before may pass what JSON cannot have.
  const found = typeof value === 'object' ? JSON.stringify(value) : shown(value);
  return new Fault('malformed', 'value', {
    at,
    expected,
    found: found.length > 80 ? `${found.slice(0, 77)}...` : found,
  });
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

export function isObject(value: WireValue): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Exactly these members, no more and no fewer. */
export function object<T extends object>(fields: {
  readonly [K in keyof T]-?: Parse<T[K]>;
}): Parse<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const known = new Set<string>(names);
  return (value, at) => {
    if (!isObject(value)) throw malformed(at, 'an object', value);
    for (const name of Object.keys(value)) {
      if (!known.has(name)) throw malformed(at, `no member ${JSON.stringify(name)}`, name);
    }
    const out: Partial<T> = {};
    for (const name of names) {
      if (!Object.hasOwn(value, name))
        throw malformed(at, `a member ${JSON.stringify(name)}`, value);
      out[name] = fields[name](value[name] as WireValue, at === '' ? name : `${at}.${name}`);
    }
    return out as T;
  };
}

export function array<T>(item: Parse<T>, min: number, max: number): Parse<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) throw malformed(at, 'an array', value as WireValue);
    if (value.length < min || value.length > max) {
      throw malformed(at, `${min} to ${max} items`, value.length);
    }
    return value.map((each: WireValue, i) => item(each, `${at}[${i}]`));
  };
}

export function nullable<T>(parse: Parse<T>): Parse<T | null> {
  return (value, at) => (value === null ? null : parse(value, at));
}

export function literal<const T extends string | number | boolean>(expected: T): Parse<T> {
  return (value, at) => {
    if (value !== expected) throw malformed(at, JSON.stringify(expected), value);
    return expected;
  };
}

export function oneOf<const T extends string>(options: readonly T[]): Parse<T> {
  const known: ReadonlySet<unknown> = new Set(options);
  return (value, at) => {
    if (!known.has(value)) throw malformed(at, `one of ${options.join(', ')}`, value);
    return value as T;
  };
}

export function integer(min: number, max: number): Parse<number> {
  return (value, at) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw malformed(at, `an integer from ${min} to ${max}`, value);
    }
    return value;
  };
}

export const boolean: Parse<boolean> = (value, at) => {
  if (typeof value !== 'boolean') throw malformed(at, 'true or false', value);
  return value;
};

/** Text of `min` to `max` UTF-16 code units; with `pattern`, all of it must match. */
export function string(min: number, max: number, pattern?: RegExp): Parse<string> {
  return (value, at) => {
    if (typeof value !== 'string' || value.length < min || value.length > max) {
      throw malformed(at, `text of ${min} to ${max} characters`, value);
    }
    if (pattern !== undefined && !pattern.test(value)) {
      throw malformed(at, `text like ${pattern.source}`, value);
    }
    return value;
  };
}

function checked<T>(make: (text: string) => T, expected: string): Parse<T> {
  return (value, at) => {
    try {
      if (typeof value === 'string') return make(value);
    } catch {
      // Said below with its place.
    }
    throw malformed(at, expected, value);
  };
}

export const hashHex: Parse<HashHex> = checked(toHashHex, '64 lower-case hex digits');
export const date: Parse<DateText> = checked(toDate, 'a date YYYY-MM-DD');
export const time: Parse<TimeText> = checked(toTime, 'a time YYYY-MM-DDTHH:MM:SSZ');

/** Lower-case hex of exactly `length` bytes. */
export function hex(length: number): Parse<string> {
  return checked(
    (text) => {
      if (!isHex(text, length)) throw new Fault('bad_hex', 'hex');
      return text;
    },
    `${2 * length} lower-case hex digits`,
  );
}

/** A plain decimal as text, of at most 100 characters: to reduce a fraction costs the square of its digits. */
export const decimal: Parse<string> = checked((text) => {
  if (text.length > MAX_NUMBER_DIGITS || !isDecimal(text)) throw new Fault('malformed', 'decimal');
  return text;
}, `a plain decimal of at most ${MAX_NUMBER_DIGITS} characters`);

export const I64_MIN: bigint = -(2n ** 63n);
export const I64_MAX: bigint = 2n ** 63n - 1n;

/** Whether `value` fits a signed 64-bit integer. */
export function isI64(value: bigint): boolean {
  return value >= I64_MIN && value <= I64_MAX;
}

/** A signed 64-bit integer as decimal text in its one form. */
export const i64: Parse<string> = checked((text) => {
  if (text.length > 20 || !/^(0|-?[1-9][0-9]*)$/.test(text) || !isI64(BigInt(text))) {
    throw new Fault('out_of_range', 'i64');
  }
  return text;
}, 'a signed 64-bit integer as text');

import { Fault } from '../fault.ts';
import { isWellFormed } from '../bytes/utf8.ts';

/** Containers within containers that are followed before they are given up, so that no input overflows the stack. */
const MAX_DEPTH = 512;

/**
 * The canonical JSON text of `value` (RFC 8785): members sorted by UTF-16 code units, ECMAScript
 * number text, no white space.
 *
 * Throws `not_representable` for everything JSON has no form for: lone surrogates, NaN, infinities,
 * `undefined`, functions, holes in arrays, and objects that are not plain.
 */
export function canonicalize(value: unknown): string {
  return text(value, 0);
}

function text(value: unknown, depth: number): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (!Number.isFinite(value)) throw unfit(`the number ${value}`);
      // Minus zero is written as 0.
      return String(value);
    case 'string':
      return quote(value);
    case 'object':
      break;
    default:
      throw unfit(`a ${typeof value}`);
  }
  if (depth >= MAX_DEPTH) {
    throw new Fault('not_representable', 'JSON', { expected: `depth of at most ${MAX_DEPTH}` });
  }
  if (Array.isArray(value)) {
    let out = '[';
    for (let i = 0; i < value.length; i += 1) {
      if (i > 0) out += ',';
      out += text(value[i], depth + 1);
    }
    return `${out}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw unfit('an object of a class');
  const members = value as Readonly<Record<string, unknown>>;
  let out = '{';
  let first = true;
  for (const key of ascending(Object.keys(members))) {
    if (!first) out += ',';
    first = false;
    out += `${quote(key)}:${text(members[key], depth + 1)}`;
  }
  return `${out}}`;
}

/** `keys` in the order of their code units. Most objects were made in that order, and sorting costs more than to see it. */
export function ascending(keys: string[]): readonly string[] {
  return isAscending(keys) ? keys : keys.sort();
}

export function isAscending(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i += 1) {
    if ((keys[i - 1] as string) > (keys[i] as string)) return false;
  }
  return true;
}

function quote(value: string): string {
  if (!isWellFormed(value)) throw unfit('a lone surrogate');
  return JSON.stringify(value);
}

function unfit(found: string): Fault {
  return new Fault('not_representable', 'JSON', { expected: 'a JSON value', found });
}

import { Fault } from '../fault.ts';
import { formatUtf8, parseUtf8 } from '../bytes/utf8.ts';
import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';
import { jsonStops } from './json-stops.ts';
import { MAX_WIRE_DEPTH, writeWire } from './wire-writer.ts';

/**
 * What a signed or hashed JSON object may hold: the narrow form of RFC 8785 with ASCII keys, integers
 * within +-(2^53-1) and depth at most 16. Nothing else has two readings in two languages.
 */
export type WireValue =
  | null
  | boolean
  | number
  | string
  | readonly WireValue[]
  | { readonly [key: string]: WireValue };

export type WireObject = { readonly [key: string]: WireValue };

/** `T` where the wire can carry all of it; a type that has no values where some of it is undefined, a function or a bigint. */
export type Wire<T> = T extends WireValue
  ? T
  : T extends bigint | symbol | undefined | ((...given: never) => unknown)
    ? never
    : { readonly [K in keyof T]: Wire<T[K]> };

/** Arrays and objects in one value: an engine builds each, and cannot be interrupted at it. No object of this project has as many. */
export const MAX_WIRE_CONTAINERS = 4_000_000;

/** The same value, without the names of its type: an interface has no index signature. */
export function wire<T extends object>(value: Wire<T>): WireObject {
  return value as unknown as WireObject;
}

/** The wire bytes of `value`. Throws `not_representable` for what the wire cannot carry. */
export function formatWire<T>(value: Wire<T>): Uint8Array {
  return writeWire(
    (writer) => writer.value(value, 0),
    (writer) => writer.bytes(),
  );
}

/**
 * The value that `bytes` encode if they are its canonical form, byte for byte. Throws `not_canonical` with the
 * offset, `bad_utf8`, `too_large` for more than 4,000,000 arrays and objects, and what `work` throws, to which
 * each byte is charged.
 */
export function parseWire(bytes: Uint8Array, work: WorkBudget = NO_LIMIT): WireValue {
  const { containers } = scanned(bytes, work);
  if (containers > MAX_WIRE_CONTAINERS) {
    const expected = `at most ${MAX_WIRE_CONTAINERS} arrays and objects`;
    throw new Fault('too_large', 'wire JSON', { expected, found: `${containers}` });
  }
  return JSON.parse(parseUtf8(bytes)) as WireValue;
}

/** Throws unless `bytes` are one canonical wire value and nothing else. Builds nothing. */
export function scanWire(bytes: Uint8Array): void {
  scanned(bytes, NO_LIMIT);
}

function scanned(bytes: Uint8Array, work: WorkBudget): WireScanner {
  const scanner = new WireScanner(bytes, 0, work);
  scanner.value(0);
  if (scanner.at !== bytes.length) throw scanner.fail('the end');
  scanner.close();
  work.charge(bytes.length);
  return scanner;
}

/** Bytes between two charges, and the steps of each: a byte may be a value of its own. */
const PIECE = 4096;
const STEPS = 2;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Over the bytes that were scanned last: a view of its own for each entry of a bundle costs as much as its scan. */
let view: DataView = new DataView(new ArrayBuffer(0));

/** A one-pass check of canonical bytes. It moves `at` over what it accepts and throws at the rest. */
export class WireScanner {
  readonly bytes: Uint8Array;
  at: number;
  /** String values so far, not counting keys. */
  strings = 0;
  /** Arrays and objects so far. */
  containers = 0;
  #ascii = true;
  readonly #work: WorkBudget;
  /** Where the next charge is due. */
  #due: number;

  constructor(bytes: Uint8Array, at: number, work: WorkBudget = NO_LIMIT) {
    this.bytes = bytes;
    this.at = at;
    this.#work = work;
    this.#due = work === NO_LIMIT ? Number.POSITIVE_INFINITY : at + PIECE;
    if (view.buffer !== bytes.buffer) view = new DataView(bytes.buffer);
  }

  /** Charges a piece of what was scanned. */
  #charge(): void {
    this.#work.charge(STEPS * (this.at - this.#due + PIECE));
    this.#due = this.at + PIECE;
  }

  /** To be called once at the end: text beyond ASCII must be UTF-8. */
  close(): void {
    if (!this.#ascii) parseUtf8(this.bytes);
  }

  value(depth: number): void {
    switch (this.bytes[this.at]) {
      case QUOTE:
        this.string();
        return;
      case 0x7b:
        this.#object(depth + 1);
        return;
      case 0x5b:
        this.#array(depth + 1);
        return;
      case 0x74:
        this.literal(TRUE);
        return;
      case 0x66:
        this.literal(FALSE);
        return;
      case 0x6e:
        this.literal(NULL);
        return;
      default:
        this.integer();
    }
  }

  /** Exactly `expected`. */
  literal(expected: Uint8Array): void {
    const { bytes, at } = this;
    for (let i = 0; i < expected.length; i += 1) {
      if (bytes[at + i] !== expected[i]) {
        this.at = at + i;
        throw this.fail(parseUtf8(expected));
      }
    }
    this.at = at + expected.length;
  }

  /** An integer in its one form; its value. */
  integer(): number {
    const { bytes } = this;
    const start = this.at;
    let at = start;
    const negative = bytes[at] === MINUS;
    if (negative) at += 1;
    const first = at;
    let value = 0;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte < ZERO || byte > NINE) break;
      value = value * 10 + (byte - ZERO);
      at += 1;
      if (at - first > 16) throw this.fail('an integer within 2^53-1');
    }
    if (at === first) throw this.fail('a JSON value');
    if (bytes[first] === ZERO && (at - first > 1 || negative)) {
      throw this.fail('an integer in canonical form');
    }
    if (value > Number.MAX_SAFE_INTEGER) throw this.fail('an integer within 2^53-1');
    const next = bytes[at];
    if (next === 0x2e || next === 0x65 || next === 0x45) throw this.fail('an integer');
    this.at = at;
    return negative ? -value : value;
  }

  /** A string in its one form, with its quotes. */
  string(): void {
    const { bytes } = this;
    const { length } = bytes;
    let at = this.at;
    if (bytes[at] !== QUOTE) throw this.fail('a string');
    at += 1;
    for (;;) {
      at = this.#plain(at);
      if (at >= length) break;
      const byte = bytes[at] as number;
      if (byte === QUOTE) {
        this.at = at + 1;
        this.strings += 1;
        return;
      }
      if (byte !== BACKSLASH) {
        this.at = at;
        throw this.fail('an escaped control character');
      }
      at = this.#escape(at);
      if (at > this.#due) {
        this.at = at;
        this.#charge();
      }
    }
    this.at = at;
    throw this.fail('the end of a string');
  }

  /** The next quote, backslash or control character from `at` on, or the end. */
  #plain(at: number): number {
    const { bytes } = this;
    const { length, byteOffset: offset } = bytes;
    let seen = 0;
    let i = at;
    for (; i + 16 <= length; i += 16) {
      const first = view.getInt32(offset + i, true);
      const second = view.getInt32(offset + i + 4, true);
      const third = view.getInt32(offset + i + 8, true);
      const fourth = view.getInt32(offset + i + 12, true);
      if ((jsonStops(first) | jsonStops(second) | jsonStops(third) | jsonStops(fourth)) !== 0)
        break;
      seen |= first | second | third | fourth;
    }
    for (; i + 4 <= length; i += 4) {
      const four = view.getInt32(offset + i, true);
      const found = jsonStops(four);
      if (found !== 0) {
        const before = 31 - Math.clz32(found & -found) - 7;
        if (((seen | (four & ((1 << before) - 1))) & 0x80808080) !== 0) this.#ascii = false;
        return i + before / 8;
      }
      seen |= four;
    }
    for (; i < length; i += 1) {
      const byte = bytes[i] as number;
      if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) break;
      seen |= byte;
    }
    if ((seen & 0x80808080) !== 0) this.#ascii = false;
    return i;
  }

  fail(expected: string): Fault {
    const byte = this.bytes[this.at];
    const found = byte === undefined ? 'the end' : `byte 0x${byte.toString(16).padStart(2, '0')}`;
    return new Fault('not_canonical', 'wire JSON', { at: `byte ${this.at}`, expected, found });
  }

  /** RFC 8785, 3.2.2.2: two-character escapes where there are any, \u00xx in lower case, no others. */
  #escape(at: number): number {
    const { bytes } = this;
    switch (bytes[at + 1]) {
      case QUOTE:
      case BACKSLASH:
      case 0x62:
      case 0x66:
      case 0x6e:
      case 0x72:
      case 0x74:
        return at + 2;
      case 0x75: {
        const high = bytes[at + 4];
        const low = bytes[at + 5];
        const digit =
          low === undefined
            ? -1
            : low >= ZERO && low <= NINE
              ? low - ZERO
              : low >= 0x61 && low <= 0x66
                ? low - 0x57
                : -1;
        if (
          bytes[at + 2] === ZERO &&
          bytes[at + 3] === ZERO &&
          (high === 0x30 || high === 0x31) &&
          digit >= 0
        ) {
          const code = (high - ZERO) * 16 + digit;
          const short = code === 8 || code === 9 || code === 10 || code === 12 || code === 13;
          if (!short) return at + 6;
        }
        break;
      }
      default:
    }
    this.at = at;
    throw this.fail('an escape in canonical form');
  }

  #array(depth: number): void {
    if (depth > MAX_WIRE_DEPTH) throw this.fail(`depth of at most ${MAX_WIRE_DEPTH}`);
    this.containers += 1;
    this.at += 1;
    if (this.bytes[this.at] === 0x5d) {
      this.at += 1;
      return;
    }
    for (;;) {
      this.value(depth);
      if (this.at > this.#due) this.#charge();
      const byte = this.bytes[this.at];
      if (byte === 0x5d) {
        this.at += 1;
        return;
      }
      if (byte !== COMMA) throw this.fail("',' or ']'");
      this.at += 1;
    }
  }

  #object(depth: number): void {
    if (depth > MAX_WIRE_DEPTH) throw this.fail(`depth of at most ${MAX_WIRE_DEPTH}`);
    const { bytes } = this;
    this.containers += 1;
    this.at += 1;
    if (bytes[this.at] === 0x7d) {
      this.at += 1;
      return;
    }
    let lastStart = 0;
    let lastEnd = -1;
    for (;;) {
      const start = this.at + 1;
      this.#key();
      const end = this.at - 1;
      if (lastEnd >= 0 && !ascending(bytes, lastStart, lastEnd, start, end)) {
        this.at = start;
        throw this.fail('keys in ascending order, each once');
      }
      lastStart = start;
      lastEnd = end;
      if (bytes[this.at] !== COLON) throw this.fail("':'");
      this.at += 1;
      this.value(depth);
      if (this.at > this.#due) this.#charge();
      const byte = bytes[this.at];
      if (byte === 0x7d) {
        this.at += 1;
        return;
      }
      if (byte !== COMMA) throw this.fail("',' or '}'");
      this.at += 1;
    }
  }

  /** A key: printable ASCII with nothing to escape, so that byte order is code-unit order. */
  #key(): void {
    const { bytes } = this;
    if (bytes[this.at] !== QUOTE) throw this.fail('a key');
    let at = this.at + 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === QUOTE) break;
      if (byte === undefined || byte < 0x20 || byte > 0x7e || byte === BACKSLASH) {
        this.at = at;
        throw this.fail('a key of printable ASCII');
      }
      at += 1;
    }
    this.at = at + 1;
  }
}

function ascending(
  bytes: Uint8Array,
  aStart: number,
  aEnd: number,
  bStart: number,
  bEnd: number,
): boolean {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let i = 0; i < length; i += 1) {
    const a = bytes[aStart + i] as number;
    const b = bytes[bStart + i] as number;
    if (a !== b) return a < b;
  }
  return aEnd - aStart < bEnd - bStart;
}

const TRUE = formatUtf8('true');
const FALSE = formatUtf8('false');
const NULL = formatUtf8('null');

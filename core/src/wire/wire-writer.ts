import { Fault } from '../fault.ts';
import { formatUtf8, isWellFormed, MAX_UNIT_BYTES, writeUtf8 } from '../bytes/utf8.ts';
import { jsonStops } from './json-stops.ts';

/** Containers within containers, the outermost counting as one. */
export const MAX_WIRE_DEPTH = 16;

/** Room that is there from the beginning: enough for any entry. */
const ROOM_BYTES = 256 * 1024;

/** Strings up to this length are written a character at a time, which then takes less than an encoder's call. */
const SHORT = 40;

/** A longer one is encoded by itself, because room for its longest encoding could be three times too much. */
const LONG = 65_536;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;

/**
 * Writes canonical bytes of the wire one after the other into room of its own, so that no text is made of them. It
 * throws `not_representable` for what the wire cannot carry, and is then of no more use.
 */
class WireWriter {
  #room = new Uint8Array(ROOM_BYTES);
  #view = new DataView(this.#room.buffer);
  #at = 0;

  /** A copy of what was written. */
  bytes(): Uint8Array {
    return this.#room.slice(0, this.#at);
  }

  /** What was written, in the writer's own room. */
  get written(): Uint8Array {
    return this.#room.subarray(0, this.#at);
  }

  /** Text of ASCII, as it is. */
  ascii(text: string): void {
    const { length } = text;
    this.#reserve(length);
    const room = this.#room;
    const at = this.#at;
    for (let i = 0; i < length; i += 1) room[at + i] = text.charCodeAt(i);
    this.#at = at + length;
  }

  /** A value with `depth` containers around it. */
  value(value: unknown, depth: number): void {
    if (value === null) return this.ascii('null');
    switch (typeof value) {
      case 'boolean':
        return this.ascii(value ? 'true' : 'false');
      case 'number':
        if (!Number.isSafeInteger(value)) throw unfit('an integer within 2^53-1', String(value));
        // Minus zero is written as 0.
        return this.ascii(String(value));
      case 'string':
        return this.#string(value);
      case 'object':
        break;
      default:
        throw unfit('a JSON value', `a ${typeof value}`);
    }
    if (depth >= MAX_WIRE_DEPTH) throw unfit(`depth of at most ${MAX_WIRE_DEPTH}`, 'more');
    if (Array.isArray(value)) this.#array(value, depth + 1);
    else this.#object(value as object, depth + 1);
  }

  #array(values: readonly unknown[], depth: number): void {
    this.ascii('[');
    for (let i = 0; i < values.length; i += 1) {
      if (i > 0) this.ascii(',');
      this.value(values[i], depth);
    }
    this.ascii(']');
  }

  #object(value: object, depth: number): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      throw unfit('a JSON value', 'an object of a class');
    }
    const members = value as Readonly<Record<string, unknown>>;
    const keys = Object.keys(members);
    if (keys.length > 1) keys.sort();
    let before = '{"';
    for (const key of keys) {
      if (!/^[ !#-[\]-~]*$/.test(key)) {
        throw unfit('a key of printable ASCII', JSON.stringify(key));
      }
      this.ascii(before);
      this.ascii(key);
      this.ascii('":');
      before = ',"';
      this.value(members[key], depth);
    }
    this.ascii(keys.length === 0 ? '{}' : '}');
  }

  #string(value: string): void {
    const { length } = value;
    if (length > LONG) return this.#escaped(value);
    this.#reserve(MAX_UNIT_BYTES * length + 2);
    const room = this.#room;
    const start = this.#at + 1;
    room[start - 1] = QUOTE;
    const end = length <= SHORT ? this.#short(value, start) : this.#long(value, start);
    if (end === undefined) return this.#escaped(value);
    room[end] = QUOTE;
    this.#at = end + 1;
  }

  /** Where a string of plain ASCII ends; undefined for any other. */
  #short(value: string, start: number): number | undefined {
    const room = this.#room;
    for (let i = 0; i < value.length; i += 1) {
      const code = value.charCodeAt(i);
      if (code < 0x20 || code >= DELETE || code === QUOTE || code === BACKSLASH) return undefined;
      room[start + i] = code;
    }
    return start + value.length;
  }

  /** Where a string without anything to escape ends; undefined for any other. */
  #long(value: string, start: number): number | undefined {
    if (!isWellFormed(value)) return undefined;
    const end = start + writeUtf8(value, this.#room.subarray(start));
    const view = this.#view;
    let at = start;
    for (; at + 16 <= end; at += 16) {
      const found =
        jsonStops(view.getInt32(at, true)) |
        jsonStops(view.getInt32(at + 4, true)) |
        jsonStops(view.getInt32(at + 8, true)) |
        jsonStops(view.getInt32(at + 12, true));
      if (found !== 0) return undefined;
    }
    for (; at < end; at += 1) {
      const byte = this.#room[at] as number;
      if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return undefined;
    }
    return end;
  }

  /** RFC 8785, 3.2.2.2: the escapes of a string are those of `JSON.stringify`. */
  #escaped(value: string): void {
    if (!isWellFormed(value)) throw unfit('a JSON value', 'a lone surrogate');
    const bytes = formatUtf8(JSON.stringify(value));
    this.#reserve(bytes.length);
    this.#room.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Makes room for `length` bytes more. */
  #reserve(length: number): void {
    const least = this.#at + length;
    if (least <= this.#room.length) return;
    const room = new Uint8Array(Math.max(least, 2 * this.#room.length));
    room.set(this.written);
    this.#room = room;
    this.#view = new DataView(room.buffer);
  }

  /** Begins anew. False if its room has grown, which is not kept for the next value. */
  reset(): boolean {
    this.#at = 0;
    return this.#room.length === ROOM_BYTES;
  }
}

export type { WireWriter };

/** A writer that nobody uses now. */
let idle: WireWriter | undefined;

/**
 * What `take` makes of the bytes that `write` has written. `take` must copy what it keeps of the writer's own room,
 * which the next call writes over.
 */
export function writeWire<T>(
  write: (writer: WireWriter) => void,
  take: (writer: WireWriter) => T,
): T {
  // A getter of the value may write as well, so a writer is taken away while it is used.
  const writer = idle ?? new WireWriter();
  idle = undefined;
  try {
    write(writer);
    return take(writer);
  } finally {
    if (writer.reset()) idle = writer;
  }
}

function unfit(expected: string, found: string): Fault {
  return new Fault('not_representable', 'wire JSON', { expected, found });
}

import { Fault } from '../fault.ts';

// The two WHATWG classes that every engine has and that no ECMAScript library declares.
declare class TextEncoder {
  encode(text: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { readonly written: number };
}
declare class TextDecoder {
  constructor(label: 'utf-8', options: { fatal: true; ignoreBOM: true });
  decode(bytes: Uint8Array): string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The UTF-8 bytes of well-formed `text`. Throws `bad_utf8` for a lone surrogate. */
export function formatUtf8(text: string): Uint8Array {
  requireWellFormed(text);
  // Into a buffer that is there already, and copied: half the time of an array of the encoder's own.
  if (MAX_UNIT_BYTES * text.length > scratch.length) return encoder.encode(text);
  return scratch.slice(0, encoder.encodeInto(text, scratch).written);
}

/** Bytes of a UTF-16 code unit at most. */
export const MAX_UNIT_BYTES = 3;

const scratch = new Uint8Array(MAX_UNIT_BYTES * 65_536);

/**
 * Writes well-formed `text` to the start of `room`; the number of bytes. What `room` may not hold at
 * `MAX_UNIT_BYTES` a unit is a TypeError. Throws `bad_utf8` for a lone surrogate.
 */
export function writeUtf8(text: string, room: Uint8Array): number {
  if (MAX_UNIT_BYTES * text.length > room.length) throw new TypeError('writeUtf8: too little room');
  requireWellFormed(text);
  return encoder.encodeInto(text, room).written;
}

function requireWellFormed(text: string): void {
  if (isWellFormed(text)) return;
  throw new Fault('bad_utf8', 'text', { expected: 'no lone surrogate' });
}

/** The text of UTF-8 `bytes`; a byte order mark is kept. Throws `bad_utf8`. */
export function parseUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new Fault('bad_utf8', 'text', { expected: 'UTF-8', cause });
  }
}

/** Whether every surrogate in `text` has its partner. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

// Under `u` a pair is one character, and engines know that text of one byte a character has neither.
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The order of well-formed texts by their UTF-8. It is that of `<`, but for characters above U+FFFF, which come last. */
export function compareUtf8(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i += 1) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return rankOf(x) - rankOf(y);
  }
  return a.length - b.length;
}

/** Where a UTF-16 code unit sorts: a half of a pair behind every unit that stands alone. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

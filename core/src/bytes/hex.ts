import { Fault } from '../fault.ts';
import { formatUtf8, parseUtf8 } from './utf8.ts';

const DIGITS: readonly string[] = Array.from({ length: 256 }, (_, i) =>
  i.toString(16).padStart(2, '0'),
);

/** What a byte is worth as a lower-case hex digit; -1 for all others. */
export const DIGIT_VALUES: Int8Array = new Int8Array(256).fill(-1);
for (const [i, digit] of Array.from('0123456789abcdef').entries()) {
  DIGIT_VALUES[digit.charCodeAt(0)] = i;
}

function nibble(code: number): number {
  return DIGIT_VALUES[code] ?? -1;
}

/** Lower-case hex, two digits a byte. */
export function formatHex(bytes: Uint8Array): string {
  if (bytes.length === HASH_BYTES) return formatHash(bytes);
  let out = '';
  for (const byte of bytes) out += DIGITS[byte];
  return out;
}

const HASH_BYTES = 32;
const hashDigits = new Uint8Array(2 * HASH_BYTES);
const DIGIT_CODES = formatUtf8('0123456789abcdef');

/**
 * A hash has its digits written as bytes first: a text that is joined of 32 pieces takes longer, and longer still to
 * be read for the first time.
 */
function formatHash(bytes: Uint8Array): string {
  for (let i = 0; i < HASH_BYTES; i += 1) {
    const byte = bytes[i] as number;
    hashDigits[2 * i] = DIGIT_CODES[byte >> 4] as number;
    hashDigits[2 * i + 1] = DIGIT_CODES[byte & 15] as number;
  }
  return parseUtf8(hashDigits);
}

/**
 * The bytes of lower-case hex; with `length`, exactly that many.
 * Throws `bad_hex` for upper case, odd length or another character, `bad_length` for the wrong length.
 */
export function parseHex(text: string, length?: number): Uint8Array {
  if (length !== undefined && text.length !== 2 * length) {
    throw new Fault('bad_length', 'hex', {
      expected: `${2 * length} digits`,
      found: `${text.length}`,
    });
  }
  if (text.length % 2 !== 0) {
    throw new Fault('bad_hex', 'hex', { expected: 'an even number of digits' });
  }
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i += 1) {
    const high = nibble(text.charCodeAt(2 * i));
    const low = nibble(text.charCodeAt(2 * i + 1));
    if (high < 0 || low < 0) {
      throw new Fault('bad_hex', 'hex', {
        at: `digit ${2 * i}`,
        expected: 'lower-case hex',
        found: JSON.stringify(text.slice(2 * i, 2 * i + 2)),
      });
    }
    out[i] = high * 16 + low;
  }
  return out;
}

/** Whether `text` is lower-case hex of exactly `length` bytes. */
export function isHex(text: string, length: number): boolean {
  if (text.length !== 2 * length) return false;
  for (let i = 0; i < text.length; i += 1) {
    // Of a character above 255 it is undefined, which is not at least 0 either.
    if (!((DIGIT_VALUES[text.charCodeAt(i)] as number) >= 0)) return false;
  }
  return true;
}

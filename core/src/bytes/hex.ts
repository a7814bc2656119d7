import { Fault } from '../fault.ts';

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
  let out = '';
  for (const byte of bytes) out += DIGITS[byte];
  return out;
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
  for (let i = 0; i < text.length; i += 1) if (nibble(text.charCodeAt(i)) < 0) return false;
  return true;
}

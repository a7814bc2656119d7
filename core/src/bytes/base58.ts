import { Fault } from '../fault.ts';

/** Base58 as Bitcoin and Solana write it: big endian, a `1` for each leading zero byte. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** For keys and signatures: the work grows with the square of the length. */
const MAX_BYTES = 64;

/** The text of at most 64 bytes. */
export function formatBase58(bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES) throw new TypeError(`formatBase58: over ${MAX_BYTES} bytes`);
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (; value > 0n; value /= 58n) text = `${ALPHABET[Number(value % 58n)]}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

/**
 * Parses a text of exactly `length` bytes, at most 64. Throws `malformed`, or `bad_length` for another length.
 */
export function parseBase58(text: string, length: number): Uint8Array {
  let value = 0n;
  if (text.length > 2 * length) throw wrongLength(length, `${text.length} characters`);
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) {
      throw new Fault('malformed', 'base58', { expected: 'base58', found: character });
    }
    value = value * 58n + BigInt(digit);
  }
  const bytes: number[] = [];
  for (; value > 0n; value >>= 8n) bytes.unshift(Number(value & 0xffn));
  const zeros = text.length - text.replace(/^1+/, '').length;
  if (zeros + bytes.length !== length) throw wrongLength(length, `${zeros + bytes.length} bytes`);
  return Uint8Array.from([...Array.from({ length: zeros }, () => 0), ...bytes]);
}

function wrongLength(length: number, found: string): Fault {
  return new Fault('bad_length', 'base58', { expected: `${length} bytes`, found });
}

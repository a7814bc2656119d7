import { equalBytes } from '../bytes/bytes.ts';
import { Fault } from '../fault.ts';
import type { HashHex } from '../hash/hash.ts';
import { formatHex } from '../bytes/hex.ts';

/** A little-endian view of an account's bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** 32 bytes at `at` as hex: a hash or a key. */
export function hexAt(bytes: Uint8Array, at: number): HashHex {
  return formatHex(bytes.subarray(at, at + 32)) as HashHex;
}

/**
 * Returns `value` where `format` makes `bytes` from it again, so that every byte is accounted for. Throws `malformed`
 * with the first byte that differs.
 */
export function requireExact<T>(
  title: string,
  bytes: Uint8Array,
  value: T,
  format: (value: T) => Uint8Array,
): T {
  const again = format(value);
  if (equalBytes(again, bytes)) return value;
  const at = again.findIndex((byte, i) => byte !== bytes[i]);
  throw new Fault('malformed', title, {
    at: `byte ${at}`,
    expected: String(again[at]),
    found: String(bytes[at]),
  });
}

export function malformed(title: string, expected: string, found: string | number): Fault {
  return new Fault('malformed', title, { expected, found: String(found) });
}

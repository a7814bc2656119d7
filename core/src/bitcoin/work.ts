import { Fault } from '../fault.ts';
import { requireLength } from '../bytes/bytes.ts';

const TWO_256 = 1n << 256n;

/**
 * The target that compact `bits` encode; `undefined` where Bitcoin Core's `CheckProofOfWork` accepts none:
 * negative, over 256 bits, or zero.
 *
 * Compact form (`arith_uint256::SetCompact`) is a floating-point number of base 256:
 *
 *     bits 31..24  size in bytes
 *     bit 23       sign
 *     bits 22..0   the first three of those bytes
 */
function readCompact(bits: number): bigint | undefined {
  const size = bits >>> 24;
  const word = size <= 3 ? (bits & 0x7fffff) >>> (8 * (3 - size)) : bits & 0x7fffff;
  if (word === 0) return undefined;
  const negative = (bits & 0x800000) !== 0;
  const overflow = size > 34 || (size > 33 && word > 0xff) || (size > 32 && word > 0xffff);
  if (negative || overflow) return undefined;
  return size <= 3 ? BigInt(word) : BigInt(word) << BigInt(8 * (size - 3));
}

/** The target of compact `bits` (u32), 1 to 2^256 - 1. Throws `bad_header` for zero, a negative one or one over 256 bits. */
export function targetOf(bits: number): bigint {
  if (bits !== bits >>> 0) throw new TypeError('targetOf: bits are a u32');
  const target = readCompact(bits);
  if (target === undefined) {
    throw new Fault('bad_header', 'compact target', {
      expected: 'a target from 1 to 2^256 - 1',
      found: formatBits(bits),
    });
  }
  return target;
}

/**
 * The compact form of a target, 0 to 2^256 - 1, truncated to what its 23 bits can hold
 * (`arith_uint256::GetCompact`). Throws a TypeError for a target out of range.
 */
export function compactOf(target: bigint): number {
  if (target < 0n || target >= TWO_256) throw new TypeError('compactOf: target is a u256');
  let size = 0;
  for (let left = target; left > 0n; left >>= 8n) size += 1;
  let word =
    size <= 3 ? Number(target) * 256 ** (3 - size) : Number(target >> BigInt(8 * (size - 3)));
  // The sign's bit stays clear: there is one more byte, and the first of them is zero.
  if (word > 0x7fffff) {
    word >>>= 8;
    size += 1;
  }
  return ((size << 24) | word) >>> 0;
}

/**
 * How many hashes a header of these bits takes on average: `floor(2^256 / (target + 1))`, as in Bitcoin Core's
 * `GetBlockProof`. Throws `bad_header` as `targetOf` does.
 */
export function workOf(bits: number): bigint {
  return TWO_256 / (targetOf(bits) + 1n);
}

/** The target of `bits` as 32 bytes, little endian like the hash of a header. Throws `bad_header`. */
export function targetBytes(bits: number): Uint8Array {
  const out = new Uint8Array(32);
  let left = targetOf(bits);
  for (let i = 0; left > 0n; i += 1) {
    out[i] = Number(left & 0xffn);
    left >>= 8n;
  }
  return out;
}

/** Whether `hash`, as a number in little endian, is at most `target`. Both are 32 bytes. */
export function isAtMost(hash: Uint8Array, target: Uint8Array): boolean {
  for (let i = 31; i >= 0; i -= 1) {
    const a = hash[i] as number;
    const b = target[i] as number;
    if (a !== b) return a < b;
  }
  return true;
}

/**
 * Whether a header's hash (32 bytes, internal order) meets the target of `bits`. It never does if `bits` encode
 * no target. The caller must check the network's limit. Throws `bad_length`.
 */
export function meetsTarget(hash: Uint8Array, bits: number): boolean {
  requireLength(hash, 32, 'header hash');
  return readCompact(bits) !== undefined && isAtMost(hash, targetBytes(bits));
}

/** Compact bits as RPC writes them: 8 hex digits. */
export function formatBits(bits: number): string {
  return bits.toString(16).padStart(8, '0');
}

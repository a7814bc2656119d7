import { requireLength } from '../bytes/bytes.ts';
import { type Hash, type HashHex, hashHex, type Sha256, toHash, toHashHex } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';

/** Bytes of a Bitcoin block header. */
export const HEADER_BYTES = 80;

/**
 * How many seconds a block's time may be ahead of the clocks of those who accept it (Bitcoin Core,
 * `MAX_FUTURE_BLOCK_TIME`).
 */
export const MAX_FUTURE_BLOCK_SECONDS = 7200;

/**
 * A Bitcoin block header, with integers in little endian.
 *
 *     version     4, signed
 *     prev       32, hash of the header before, internal order
 *     merkleRoot 32, root of the block's transactions, internal order
 *     time        4, seconds since 1970, unsigned
 *     bits        4, the target in compact form
 *     nonce       4
 *
 * Internal order is the order in which SHA-256 gives its bytes. Explorers and RPC write a hash reversed.
 */
export interface Header {
  readonly version: number;
  readonly prev: Uint8Array;
  readonly merkleRoot: Uint8Array;
  readonly time: number;
  readonly bits: number;
  readonly nonce: number;
}

/** Where the fields of a header are. */
export const PREV_AT = 4;
export const MERKLE_ROOT_AT = 36;
export const TIME_AT = 68;
export const BITS_AT = 72;

/** Parses 80 bytes as a header. Any 80 bytes are a header. Throws `bad_length`. */
export function parseHeader(bytes: Uint8Array): Header {
  requireLength(bytes, HEADER_BYTES, 'Bitcoin header');
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return {
    version: view.getInt32(0, true),
    prev: bytes.slice(PREV_AT, MERKLE_ROOT_AT),
    merkleRoot: bytes.slice(MERKLE_ROOT_AT, TIME_AT),
    time: view.getUint32(TIME_AT, true),
    bits: view.getUint32(BITS_AT, true),
    nonce: view.getUint32(76, true),
  };
}

/**
 * Formats the 80 bytes of a header. Throws `bad_length` for a hash, and a TypeError for a number out of range.
 */
export function formatHeader(header: Header): Uint8Array {
  const { version, time, bits, nonce } = header;
  if (version !== (version | 0)) throw new TypeError('formatHeader: version is an i32');
  for (const each of [time, bits, nonce]) {
    if (each !== each >>> 0) throw new TypeError('formatHeader: time, bits and nonce are u32');
  }
  const out = new Uint8Array(HEADER_BYTES);
  const view = new DataView(out.buffer);
  view.setInt32(0, version, true);
  out.set(requireLength(header.prev, 32, 'previous block'), PREV_AT);
  out.set(requireLength(header.merkleRoot, 32, 'Merkle root'), MERKLE_ROOT_AT);
  view.setUint32(TIME_AT, time, true);
  view.setUint32(BITS_AT, bits, true);
  view.setUint32(76, nonce, true);
  return out;
}

/** `sha256(sha256(header))` in internal order. Throws `bad_length` unless there are 80 bytes. */
export function headerHash(sha256: Sha256, bytes: Uint8Array): Hash {
  return sha256(sha256(requireLength(bytes, HEADER_BYTES, 'Bitcoin header'))) as Hash;
}

/** A block's id as explorers and RPC write it: the hash reversed, in hex. */
export function blockId(hash: Hash): HashHex {
  return hashHex(toHash(hash.toReversed()));
}

/** The hash of a block's id, in internal order. Throws `bad_hex` unless it is 64 lower-case digits. */
export function parseBlockId(id: string): Hash {
  return toHash(parseHex(toHashHex(id)).reverse());
}

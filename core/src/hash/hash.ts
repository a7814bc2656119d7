import { concatBytes, requireLength } from '../bytes/bytes.ts';
import { Fault } from '../fault.ts';
import { formatHex, isHex } from '../bytes/hex.ts';
import { MAX_ENTRY_BYTES } from '../limits.ts';
import { formatUtf8 } from '../bytes/utf8.ts';

declare const brand: unique symbol;

/** A SHA-256 digest, 32 bytes. Only this file makes one. */
export type Hash = Uint8Array & { readonly [brand]: 'hash' };

/** A SHA-256 digest as 64 lower-case hex digits. Only this file makes one. */
export type HashHex = string & { readonly [brand]: 'hash hex' };

/**
 * SHA-256 (FIPS 180-4) of `bytes`, 32 bytes. It is an argument wherever it is used: `node:crypto`
 * where there is Node, `@noble/hashes` elsewhere. It keeps neither `bytes`, which the caller writes
 * over, nor the result.
 */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** `bytes` as a hash. Throws `bad_length` unless it has 32 bytes. */
export function toHash(bytes: Uint8Array): Hash {
  return requireLength(bytes, 32, 'sha256') as Hash;
}

/** `text` as a hash in hex. Throws `bad_hex` unless it is 64 lower-case digits. */
export function toHashHex(text: string): HashHex {
  if (!isHex(text, 32)) {
    throw new Fault('bad_hex', 'sha256', { expected: '64 lower-case hex digits', found: text });
  }
  return text as HashHex;
}

export function hashHex(hash: Hash): HashHex {
  return formatHex(hash) as HashHex;
}

/** 64 zeros: the `prev` of the first entry. */
export const ZERO_HASH_HEX: HashHex = toHashHex('0'.repeat(64));

/** The hash of content: source bytes, manifests, canonical JSON. No tag: its first byte is `{` or its own. */
export function contentHash(sha256: Sha256, bytes: Uint8Array): Hash {
  return sha256(bytes) as Hash;
}

/** Room for the 0x00 and any entry; what is longer gets room of its own. */
const leafInput = new Uint8Array(1 + MAX_ENTRY_BYTES);

/** The part of that room that was used last: neighbours often have the same length. */
let lastInput = leafInput;

/** RFC 6962 leaf: `sha256(0x00 || entry)`. */
export function leafHash(sha256: Sha256, entry: Uint8Array): Hash {
  const length = entry.length + 1;
  let input = lastInput;
  if (length > leafInput.length) input = new Uint8Array(length);
  else if (length !== input.length) input = lastInput = leafInput.subarray(0, length);
  input.set(entry, 1);
  return sha256(input) as Hash;
}

const nodeInput = new Uint8Array(65);
nodeInput[0] = 1;

/** RFC 6962 interior node: `sha256(0x01 || left || right)`, each 32 bytes. Throws `bad_length`. */
export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Hash {
  nodeInput.set(requireLength(left, 32, 'left hash'), 1);
  nodeInput.set(requireLength(right, 32, 'right hash'), 33);
  return sha256(nodeInput) as Hash;
}

/**
 * The tags that begin a hashed or signed string which is neither a tree node nor JSON. Each starts
 * with `assay`, and where a 0x00 ends it no other tag can be a prefix of it.
 */
export type Tag =
  | 'assay/answer/v1'
  | 'assay/event/v1'
  | 'assay/forecast-signature/v1'
  | 'assay/forecast/v1'
  | 'assay/handle/v1'
  | 'assay/head/v1'
  | 'assay/index/event/v1'
  | 'assay/index/key/v1'
  | 'assay/index/print/v1'
  | 'assay/index/rule/v1'
  | 'assay/nonce/v1'
  | 'assay/plain-forecast/v1'
  | 'assay/price-salt/v1'
  | 'assay/question/v1'
  | 'assay/receipt/v1'
  | 'assay/replay/v1'
  | 'assay/row/v1'
  | 'assay/sealed-forecast/v1'
  | 'assay/series/v1'
  | 'assay/statement/v1'
  | 'assay/tick-salt/v1'
  | 'assay/tick/v1';

/** `tag 0x00 || parts`. */
export function taggedBytes(tag: Tag, ...parts: readonly Uint8Array[]): Uint8Array {
  return concatBytes(formatUtf8(tag), new Uint8Array(1), ...parts);
}

import { ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Sha256 } from '../hash/hash.ts';

/** The hash operations of OpenTimestamps. Paths of old proofs contain SHA-1 and RIPEMD-160. */
export type OtsHashName = 'sha1' | 'ripemd160' | 'sha256' | 'keccak256';

/** Neither its argument, which the caller overwrites, nor its result is kept by any of them. */
export type OtsHashes = Readonly<Record<OtsHashName, (bytes: Uint8Array) => Uint8Array>>;

/** Bytes of each digest. */
export const HASH_BYTES: Readonly<Record<OtsHashName, number>> = {
  sha1: 20,
  ripemd160: 20,
  sha256: 32,
  keccak256: 32,
};

/** The caller's SHA-256, which nearly all operations use, and the other three in plain JavaScript. */
export function otsHashes(sha256: Sha256): OtsHashes {
  return {
    sha1: (bytes) => sha1(bytes),
    ripemd160: (bytes) => ripemd160(bytes),
    sha256,
    keccak256: (bytes) => keccak_256(bytes),
  };
}

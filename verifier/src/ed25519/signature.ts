import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { Point } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';
import type { VerifySignature, VerifySignatureAsync } from './profile.ts';
import { isProfileKey, strictVerifier, strictVerifierAsync } from './profile.ts';

export type { VerifySignature, VerifySignatureAsync } from './profile.ts';

/** The part of WebCrypto's SubtleCrypto that verifying needs (W3C Web Cryptography Level 2). */
export interface SubtleEd25519 {
  importKey(
    format: 'raw',
    bytes: Uint8Array,
    algorithm: 'Ed25519',
    extractable: boolean,
    usages: ['verify'],
  ): Promise<unknown>;
  verify(
    algorithm: 'Ed25519',
    key: unknown,
    signature: Uint8Array,
    message: Uint8Array,
  ): Promise<boolean>;
}

const { n: ORDER } = Point.CURVE();

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${formatHex(new Uint8Array(bytes).reverse())}`);
}

/** The point that `bytes` encode, or `undefined` where the curve has none. */
function decodePoint(bytes: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(bytes, false);
  } catch {
    return undefined;
  }
}

const nobleEquation: VerifySignature = (publicKey, message, signature) => {
  const key = decodePoint(publicKey);
  if (key === undefined) return false;
  const r = signature.subarray(0, 32);
  const digest = sha512.create().update(r).update(publicKey).update(message).digest();
  // k is reduced before it multiplies A, as in every backend. The two results differ for a key with torsion.
  const k = littleEndian(digest) % ORDER;
  const s = littleEndian(signature.subarray(32));
  const recomputed = Point.BASE.multiply(s, false).subtract(key.multiply(k, false));
  return equalBytes(recomputed.toBytes(), r);
};

/** Verifies under the pinned profile in plain JavaScript, in any engine. */
export const verifySignature: VerifySignature = strictVerifier(nobleEquation);

interface ProbeCase {
  readonly publicKey: Uint8Array;
  readonly signature: Uint8Array;
  readonly accepted: boolean;
}

function probeCase(publicKey: string, signature: string, accepted: boolean): ProbeCase {
  return { publicKey: parseHex(publicKey, 32), signature: parseHex(signature, 64), accepted };
}

// Signatures on the empty message by one secret scalar; T is a point of order 8.
const PROBE_CASES: readonly ProbeCase[] = [
  // An honest signature.
  probeCase(
    '80bf6a1bda6f2506a5dda1a2e7230569c453585b74f2b4235239c856893bfac2',
    'fb7695e7cb0bb1a146b7a98375bf72c91c4afbb053f362b38c251c0d3269280ccddd60dd376b3eba6680fd49c96aab669b35b3e5380184d7795312d5d7b16e00',
    true,
  ),
  // A + T and R + T, where the torsion cancels. An engine that refuses any torsion rejects it.
  probeCase(
    '44b356db59d3728449a9ea27287dd8d79391503e001788ba78ee0bd32a3a42d6',
    'ef7caead7ab06e7126974c1ecc539fb7ab721e0c9fe0b1dc622e66532e2c06a784efd2c9f0943c649d7cd20a45973f8df285fd6b3b0b2bb372eaba54878a9200',
    true,
  ),
  // R + T. An engine that computes the cofactored equation accepts it.
  probeCase(
    '80bf6a1bda6f2506a5dda1a2e7230569c453585b74f2b4235239c856893bfac2',
    'a2f91d90ee328df824330bc2556e9f200df4c90d5bf7d765c87ee14d295afba4d5913d9f6f2713f178bb3ec0431678b4bf8c2e410cfc1d573fbd8af6842a8d07',
    false,
  ),
];

async function subtleEquation(
  subtle: SubtleEd25519,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const key = await subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, signature, message);
}

/** Whether `subtle` supports Ed25519 and computes the profile's equation rather than another one. */
async function computesProfile(subtle: SubtleEd25519): Promise<boolean> {
  try {
    const message = new Uint8Array(0);
    for (const { publicKey, signature, accepted } of PROBE_CASES) {
      if ((await subtleEquation(subtle, publicKey, message, signature)) !== accepted) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * A verifier over WebCrypto. `subtle` is probed at the first use. Plain JavaScript answers where there is no `subtle`,
 * where the probe finds other behaviour, and for any input for which `subtle` fails with an error.
 */
export function webCryptoVerifier(subtle: SubtleEd25519 | undefined): VerifySignatureAsync {
  let probe: Promise<boolean> | undefined;
  return strictVerifierAsync(async (publicKey, message, signature) => {
    if (subtle === undefined) return nobleEquation(publicKey, message, signature);
    probe ??= computesProfile(subtle);
    if (!(await probe)) return nobleEquation(publicKey, message, signature);
    try {
      return await subtleEquation(subtle, publicKey, message, signature);
    } catch {
      return nobleEquation(publicKey, message, signature);
    }
  });
}

/**
 * Verifies under the pinned profile with the engine's WebCrypto where it supports that. This is several times faster.
 */
export const verifySignatureAsync: VerifySignatureAsync = webCryptoVerifier(
  (globalThis as { readonly crypto?: { readonly subtle?: SubtleEd25519 } }).crypto?.subtle,
);

/**
 * Whether `publicKey` is a point of the prime-order group, as every honestly made key is. It is asked once, when a key
 * is registered. Signatures of other keys may still pass the profile.
 */
export function isTorsionFreeKey(publicKey: Uint8Array): boolean {
  if (!(publicKey instanceof Uint8Array)) throw new TypeError('publicKey must be a Uint8Array');
  const key = new Uint8Array(publicKey);
  return isProfileKey(key) && decodePoint(key)?.isTorsionFree() === true;
}

import { equalBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';

/** Whether `signature` (64 bytes) is `publicKey`'s (32 bytes) on `message`. Bad bytes are `false`. */
export type VerifySignature = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => boolean;

export type VerifySignatureAsync = (
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
) => Promise<boolean>;

/** The group order L, little-endian (RFC 8032, section 5.1). */
const ORDER = parseHex('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');

// The y of the eight points whose order divides 8, as little-endian bytes with the sign bit clear. With either sign
// they make 10 encodings. Both "-0" forms (x = 0 with its sign bit set) are among them, because x is 0 only where y is
// 1 or -1. The literature lists 14, since it adds p and p + 1, which decode to 0 and 1; they are left out here because
// y must be below p.
const SMALL_ORDER_Y: readonly Uint8Array[] = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
].map((hex) => parseHex(hex, 32));

function isSmallOrder(point: Uint8Array): boolean {
  const y = new Uint8Array(point);
  y[31] = (y[31] ?? 0) & 0x7f;
  return SMALL_ORDER_Y.some((small) => equalBytes(small, y));
}

/** Whether y, the low 255 bits, is below p = 2^255 - 19. */
function isCanonicalY(point: Uint8Array): boolean {
  if (((point[31] ?? 0) & 0x7f) !== 0x7f || (point[0] ?? 0) < 0xed) return true;
  for (let i = 1; i < 31; i += 1) if (point[i] !== 0xff) return true;
  return false;
}

function isBelowOrder(scalar: Uint8Array): boolean {
  for (let i = 31; i >= 0; i -= 1) {
    const byte = scalar[i] ?? 0;
    const limit = ORDER[i] ?? 0;
    if (byte !== limit) return byte < limit;
  }
  return false;
}

/** Whether the 32 bytes encode y < p and no point of small order. Whether they lie on the curve is not checked. */
export function isProfileKey(publicKey: Uint8Array): boolean {
  return publicKey.length === 32 && isCanonicalY(publicKey) && !isSmallOrder(publicKey);
}

/**
 * Whether the 64 bytes are R || S with S < L, and R as `isProfileKey` requires. A backend that compares bytes never
 * accepts an R with y >= p; the check here limits a backend that decodes R to the same set.
 */
export function isProfileSignature(signature: Uint8Array): boolean {
  return (
    signature.length === 64 &&
    isBelowOrder(signature.subarray(32)) &&
    isProfileKey(signature.subarray(0, 32))
  );
}

/** A copy of `bytes`, so that the backend reads exactly what was checked. */
function snapshot(bytes: Uint8Array, title: string): Uint8Array {
  if (!(bytes instanceof Uint8Array)) throw new TypeError(`${title} must be a Uint8Array`);
  return new Uint8Array(bytes);
}

/**
 * `equation`, narrowed to the one accepted set. The key and the signature pass the checks above, and [S]B - [k]A
 * encodes to the bytes of R, with k = SHA-512(R || A || message) mod L over the bytes as given. This is the
 * cofactorless equation, and never a batch (RFC 8032, section 5.1.7; Chalkias, Garillot and Nikolaenko, "Taming the
 * many EdDSAs", 2020). `equation` computes the second half and sees only inputs that passed the first. Throws
 * `TypeError` for anything but bytes.
 */
export function strictVerifier(equation: VerifySignature): VerifySignature {
  return (publicKey, message, signature) => {
    const key = snapshot(publicKey, 'publicKey');
    const signed = snapshot(signature, 'signature');
    if (!(message instanceof Uint8Array)) throw new TypeError('message must be a Uint8Array');
    return isProfileKey(key) && isProfileSignature(signed) && equation(key, message, signed);
  };
}

/** `strictVerifier` for an asynchronous backend. The caller may reuse its bytes once the call returns. */
export function strictVerifierAsync(equation: VerifySignatureAsync): VerifySignatureAsync {
  return async (publicKey, message, signature) => {
    const key = snapshot(publicKey, 'publicKey');
    const signed = snapshot(signature, 'signature');
    const text = snapshot(message, 'message');
    return isProfileKey(key) && isProfileSignature(signed) && equation(key, text, signed);
  };
}

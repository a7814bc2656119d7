import { bls12_381 } from '@noble/curves/bls12-381.js';
import { concatBytes, equalBytes, requireLength } from '../bytes/bytes.ts';
import { formatHex } from '../bytes/hex.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { Fault } from '../fault.ts';
import { nobleSha256 } from '../hash/noble-sha256.ts';
import { type BeaconChain, roundTime } from './beacon-chain.ts';
import { chainKey, roundPoint } from './beacon-signature.ts';
import { type PointG1, pointG1, pointG2 } from './curve-point.ts';
import { SEALED_BYTES, SEALED_MESSAGE_BYTES } from './sizes.ts';

// Identity-based encryption of Boneh and Franklin with the transformation of Fujisaki and Okamoto (CRYPTO 2001, section 4.2),
// where the identity is a round of a drand chain and the round's signature is its key. The bytes are those of drand's tlock.

const U_BYTES = SEALED_BYTES - 2 * SEALED_MESSAGE_BYTES;

const { fields, G2, pairing } = bls12_381;
type Gt = ReturnType<typeof pairing>;

/** Seals messages to one round of one chain. */
export interface Sealer {
  /**
   * The 160 bytes `U || V || W` of a message. `message` and `sigma` have 32 bytes each. `sigma` must be random and secret, and
   * a new one for each message; with the same one the same bytes come out. Throws `bad_length`.
   */
  seal(message: Uint8Array, sigma: Uint8Array): Uint8Array;
}

/**
 * A sealer to a round. The pairing that all messages to the round share is made here, once. Throws `out_of_range` for what is
 * no round of the chain, and `malformed` if the chain's public key is no point of G2.
 */
export function sealTo(chain: BeaconChain, round: number): Sealer {
  roundTime(chain, round);
  const key = chainKey(chain);
  if (key === undefined) {
    const expected = 'a point of G2 that is not infinity';
    throw new Fault('malformed', 'public key of a drand chain', { expected });
  }
  const shared = pairing(roundPoint(round), key);
  return {
    seal(message, sigma) {
      requireLength(message, SEALED_MESSAGE_BYTES, 'message to be sealed');
      requireLength(sigma, SEALED_MESSAGE_BYTES, 'sigma');
      const r = scalarOf(sigma, message);
      const v = xor(sigma, maskOf(fields.Fp12.pow(shared, r)));
      return concatBytes(G2.Point.BASE.multiply(r).toBytes(true), v, xor(message, padOf(sigma)));
    },
  };
}

/**
 * The 32 bytes that were sealed to the round whose signature is given; undefined for bytes that were not sealed to it as
 * `sealTo` does, which includes any bytes that were changed, and for what is no signature. Nothing is thrown.
 *
 * Whether the signature is the right one is for `verifyBeacon` to say: with a wrong one nothing opens.
 */
export function openSealed(signature: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length !== SEALED_BYTES) return undefined;
  const key = signaturePoint(signature);
  const u = pointG2(sealed.subarray(0, U_BYTES));
  if (key === undefined || u === undefined) return undefined;
  const v = sealed.subarray(U_BYTES, U_BYTES + SEALED_MESSAGE_BYTES);
  const w = sealed.subarray(U_BYTES + SEALED_MESSAGE_BYTES);
  const sigma = xor(v, maskOf(pairing(key, u)));
  const message = xor(w, padOf(sigma));
  // Only who knew sigma and message could choose this U, so nothing that was changed on its way opens. The scalar is no
  // secret any more, so the faster multiplication does.
  return G2.Point.BASE.multiplyUnsafe(scalarOf(sigma, message)).equals(u) ? message : undefined;
}

let last: { readonly bytes: Uint8Array; readonly point: PointG1 | undefined } | undefined;

/** The point of a signature. The last one is kept, because many messages are opened with one signature. */
function signaturePoint(bytes: Uint8Array): PointG1 | undefined {
  if (last === undefined || !equalBytes(last.bytes, bytes)) {
    last = { bytes: bytes.slice(), point: pointG1(bytes) };
  }
  return last.point;
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return Uint8Array.from(a, (byte, i) => byte ^ (b[i] as number));
}

function hashOf(tag: 'IBE-H2' | 'IBE-H3' | 'IBE-H4', ...parts: readonly Uint8Array[]): Uint8Array {
  return nobleSha256(concatBytes(formatUtf8(tag), ...parts));
}

/** H2: 32 bytes from an element of the target group, whose twelve coefficients are written from the highest to the lowest. */
function maskOf({ c0, c1 }: Gt): Uint8Array {
  const pairs = [c1.c2, c1.c1, c1.c0, c0.c2, c0.c1, c0.c0];
  const parts = pairs.flatMap((each) => [fields.Fp.toBytes(each.c1), fields.Fp.toBytes(each.c0)]);
  return hashOf('IBE-H2', ...parts);
}

/**
 * H3: the scalar of a ciphertext, below the order of the group. Of each try the first byte is shifted right by one bit, because
 * the order has 255 bits; nine tries of ten are below it.
 */
function scalarOf(sigma: Uint8Array, message: Uint8Array): bigint {
  const seed = hashOf('IBE-H3', sigma, message);
  for (let i = 1; i < 65_535; i += 1) {
    const digest = nobleSha256(concatBytes(Uint8Array.of(i & 255, i >> 8), seed));
    digest[0] = (digest[0] as number) >> 1;
    const scalar = BigInt(`0x${formatHex(digest)}`);
    if (scalar > 0n && scalar < fields.Fr.ORDER) return scalar;
  }
  throw new Error('65,534 digests in a row were above the order of the group');
}

/** H4: what a message is added to. */
function padOf(sigma: Uint8Array): Uint8Array {
  return hashOf('IBE-H4', sigma);
}

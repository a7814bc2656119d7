import { bls12_381 } from '@noble/curves/bls12-381.js';
import { parseHex } from '../bytes/hex.ts';
import { nobleSha256 } from '../hash/noble-sha256.ts';
import { type BeaconChain, roundTime } from './beacon-chain.ts';
import { type PointG1, pointG1, type PointG2, pointG2 } from './curve-point.ts';

/** The domain of hashing to G1 in `bls-unchained-g1-rfc9380` (RFC 9380, appendix J.9.1, under the tag of BLS signatures). */
const DOMAIN = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_';

const keys = new WeakMap<BeaconChain, { readonly point: PointG2 | undefined }>();

/** The point of a chain's public key, undefined if the key is none. It is parsed once for each chain. */
export function chainKey(chain: BeaconChain): PointG2 | undefined {
  let known = keys.get(chain);
  if (known === undefined) {
    known = { point: pointG2(parseHex(chain.public_key)) };
    keys.set(chain, known);
  }
  return known.point;
}

/** The point of G1 that the beacon signs for a round: the hash of `sha256(round u64 BE)` to the curve. */
export function roundPoint(round: number): PointG1 {
  const number = new Uint8Array(8);
  new DataView(number.buffer).setBigUint64(0, BigInt(round));
  return bls12_381.G1.hashToCurve(nobleSha256(number), { DST: DOMAIN });
}

/**
 * Whether `signature` is the chain's signature of `round`: 48 bytes, of which there is exactly one string for each round.
 * False for any other bytes and for a chain whose key is no point. Throws `out_of_range` for what is no round of the chain.
 *
 * The check is `e(signature, -G2) * e(roundPoint, key) = 1` (BLS signatures, draft-irtf-cfrg-bls-signature).
 */
export function verifyBeacon(chain: BeaconChain, round: number, signature: Uint8Array): boolean {
  roundTime(chain, round);
  const key = chainKey(chain);
  const point = pointG1(signature);
  if (key === undefined || point === undefined) return false;
  const { G2, fields, pairingBatch } = bls12_381;
  const product = pairingBatch([
    { g1: point, g2: G2.Point.BASE.negate() },
    { g1: roundPoint(round), g2: key },
  ]);
  return fields.Fp12.eql(product, fields.Fp12.ONE);
}

import { bls12_381 } from '@noble/curves/bls12-381.js';
import { requireLength } from '../bytes/bytes.ts';
import { formatHex } from '../bytes/hex.ts';
import { Fault } from '../fault.ts';
import { roundPoint } from './beacon-signature.ts';

// A drand chain whose secret one holder has: that of the development network and of tests. A chain of the League of Entropy
// has no such holder.

/** The bytes of a secret: a whole number from 1 below the order of the group, big-endian. */
export const BEACON_SECRET_BYTES = 32;

/** The 96 bytes of the public key, hex. Throws `bad_length` or `out_of_range` for what is no secret. */
export function beaconPublicKey(secret: Uint8Array): string {
  return bls12_381.G2.Point.BASE.multiply(scalar(secret)).toHex(true);
}

/** The 48 bytes of a round's signature. Throws as `beaconPublicKey`. */
export function signRound(secret: Uint8Array, round: number): Uint8Array {
  return roundPoint(round).multiply(scalar(secret)).toBytes(true);
}

function scalar(secret: Uint8Array): bigint {
  const value = BigInt(`0x${formatHex(requireLength(secret, BEACON_SECRET_BYTES, 'secret'))}`);
  if (value === 0n || value >= bls12_381.fields.Fr.ORDER) {
    const expected = 'a number from 1 below the order of the group';
    throw new Fault('out_of_range', 'secret of a beacon', { expected });
  }
  return value;
}

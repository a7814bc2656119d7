import { bls12_381 } from '@noble/curves/bls12-381.js';
import { equalBytes } from '../bytes/bytes.ts';
import { BEACON_KEY_BYTES, BEACON_SIGNATURE_BYTES } from './sizes.ts';

// This file loads the curve, which takes some 25 ms. Whoever needs it only now and then imports what imports it with
// `import()`.

export type PointG1 = InstanceType<typeof bls12_381.G1.Point>;
export type PointG2 = InstanceType<typeof bls12_381.G2.Point>;

/**
 * A point of G1 from its 48 compressed bytes, in the encoding of the pairing-friendly curves draft (appendix C). Undefined
 * for the point at infinity, for a point outside the subgroup, and for every other encoding than the one that the point has.
 */
export function pointG1(bytes: Uint8Array): PointG1 | undefined {
  return strictPoint(bls12_381.G1.Point, bytes, BEACON_SIGNATURE_BYTES);
}

/** A point of G2 from its 96 compressed bytes, as strictly. */
export function pointG2(bytes: Uint8Array): PointG2 | undefined {
  return strictPoint(bls12_381.G2.Point, bytes, BEACON_KEY_BYTES);
}

interface Decoded {
  is0(): boolean;
  assertValidity(): void;
  toBytes(isCompressed: boolean): Uint8Array;
}

function strictPoint<P extends Decoded>(
  group: { fromBytes(bytes: Uint8Array): P },
  bytes: Uint8Array,
  length: number,
): P | undefined {
  // A length is checked first, because the library takes points that are not compressed, too.
  if (bytes.length !== length) return undefined;
  let point: P;
  try {
    point = group.fromBytes(bytes);
    // On the curve and in the subgroup; the library takes infinity as valid.
    point.assertValidity();
  } catch {
    return undefined;
  }
  return !point.is0() && equalBytes(point.toBytes(true), bytes) ? point : undefined;
}

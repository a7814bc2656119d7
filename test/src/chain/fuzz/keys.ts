import assert from 'node:assert/strict';
import { addSet } from '@assay/chain/instructions';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import { Point } from '@noble/ed25519';
import fc from 'fast-check';
import { torsionPoint } from '../../verifier/fixture/ed25519-cases.ts';
import { PROGRAM } from '../fixture/world.ts';
import { fuzzWorld, restore, stateOf } from './fuzz-world.ts';

const candidateKeys: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
  // y at the ends of the field, either sign.
  fc.tuple(fc.integer({ min: -40, max: 40 }), fc.boolean()).map(([from, sign]) => {
    const y = from < 0 ? 2n ** 255n + BigInt(from) : BigInt(from);
    const whole = y + (sign ? 2n ** 255n : 0n);
    return Uint8Array.from({ length: 32 }, (_, i) => Number((whole >> BigInt(8 * i)) & 0xffn));
  }),
  // A point of the group, plus one of small order or none.
  fc.tuple(fc.bigInt({ min: 1n, max: 2n ** 252n }), fc.nat(7)).map(([scalar, part]) => {
    const point = Point.BASE.multiply(scalar);
    return point.add(torsionPoint(part)).toBytes();
  }),
);

/** What another library says of a key: canonical, on the curve, of the prime order. */
export function isStrictKey(bytes: Uint8Array): boolean {
  try {
    const point = Point.fromBytes(bytes, false);
    return !point.isSmallOrder() && point.isTorsionFree() && equalBytes(point.toBytes(), bytes);
  } catch {
    return false;
  }
}

/** Keys of every sort: the program registers exactly those that another library calls strict. */
export async function fuzzKeys(runs: number): Promise<ReadonlyMap<string, number>> {
  const world = await fuzzWorld();
  const before = stateOf(world);
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(candidateKeys, async (bytes) => {
      const key = formatHex(bytes);
      const { error } = await world.send(
        addSet(PROGRAM, world.publisher.signer, world.feed, 1, [key]),
      );
      seen.set(error ?? 'done', (seen.get(error ?? 'done') ?? 0) + 1);
      assert.equal(error, isStrictKey(bytes) ? null : 'bad_key', key);
      if (error === null) restore(world, before);
    }),
    { numRuns: runs },
  );
  return seen;
}

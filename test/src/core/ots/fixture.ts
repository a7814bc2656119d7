import { parseHex } from '@assay/core/bytes/hex';
import type { Attestation } from '@assay/core/ots/attestation';
import { type OtsHashes, otsHashes } from '@assay/core/ots/hashes';
import type { Operation } from '@assay/core/ots/operation';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';
import fc from 'fast-check';
import { sha256 } from '../fixture/fixture.ts';

/** With a SHA-256 that gives a Buffer, as that of Node does. */
export const HASHES: OtsHashes = otsHashes(sha256);

/** 00 to 1f. */
export const DIGEST: Uint8Array = Uint8Array.from({ length: 32 }, (_, i) => i);

/** `00`, an unknown tag and no payload: the shortest attestation, 10 bytes. */
export const SHORTEST: Uint8Array = parseHex('00010203040506070800');

export const BITCOIN: Item = { attestation: { kind: 'bitcoin', height: 7 } };

/** Records as an object literal makes them. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const URI_CHARACTERS = Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/:',
);

/** Few of each, so that two trees have some in common. */
export const attestations: fc.Arbitrary<Attestation> = fc.oneof(
  record({
    kind: fc.constantFrom('bitcoin' as const, 'litecoin' as const, 'ethereum' as const),
    height: fc.oneof(fc.nat({ max: 2 }), fc.maxSafeNat()),
  }),
  record({
    kind: fc.constant('pending' as const),
    uri: fc.string({ unit: fc.constantFrom(...URI_CHARACTERS), maxLength: 3 }),
  }),
  record({
    kind: fc.constant('unknown' as const),
    tag: fc.constantFrom('0102030405060708', 'ffffffffffffffff'),
    payload: fc.uint8Array({ maxLength: 2, max: 1 }),
  }),
);

export const operations: fc.Arbitrary<Operation> = fc.oneof(
  record({
    op: fc.constantFrom('append' as const, 'prepend' as const),
    argument: fc.uint8Array({ minLength: 1, maxLength: 2, max: 1 }),
  }),
  record({
    op: fc.constantFrom(
      'reverse' as const,
      'hexlify' as const,
      'sha1' as const,
      'ripemd160' as const,
      'sha256' as const,
      'keccak256' as const,
    ),
  }),
);

/** Trees of up to three items a node, doubles among them, items in any order. */
export const timestamps: fc.Arbitrary<Timestamp> = fc.letrec<{ tree: Timestamp; item: Item }>(
  (tie) => ({
    tree: record({ items: fc.array(tie('item'), { minLength: 1, maxLength: 3 }) }),
    item: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      record({ attestation: attestations }),
      record({ operation: operations, next: tie('tree') }),
    ),
  }),
).tree;

/** A line of `count` SHA-256 with an attestation at its end. */
export function chainOf(count: number): Timestamp {
  let timestamp: Timestamp = { items: [BITCOIN] };
  for (let i = 0; i < count; i += 1) {
    timestamp = { items: [{ operation: { op: 'sha256' }, next: timestamp }] };
  }
  return timestamp;
}

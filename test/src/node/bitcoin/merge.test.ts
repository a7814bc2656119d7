import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Attestation } from '@assay/core/ots/attestation';
import { evaluate } from '@assay/core/ots/evaluate';
import { mergeTimestamps, prune } from '@assay/node/bitcoin/merge';
import { formatTimestamp, parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import fc from 'fast-check';
import { vectors } from '../../core/fixture/fixture.ts';
import { BITCOIN, chainOf, DIGEST, HASHES, timestamps } from '../../core/ots/fixture.ts';

const hexOf = (timestamp: Timestamp): string => formatHex(formatTimestamp(timestamp));
const merged = (a: Timestamp, b: Timestamp): string => hexOf(mergeTimestamps(a, b));

/** Each attestation under the path to it. */
function paths(timestamp: Timestamp): readonly string[] {
  const found: string[] = [];
  const walk = ({ items }: Timestamp, path: string): void => {
    for (const item of items) {
      if ('next' in item) {
        const { operation, next } = item;
        const argument = 'argument' in operation ? formatHex(operation.argument) : '';
        walk(next, `${path} ${operation.op} ${argument}`);
      } else {
        found.push(`${path} ${hexOf({ items: [item] })}`);
      }
    }
  };
  walk(timestamp, '');
  return found;
}

test('merge: the vectors, whichever comes first', () => {
  interface Case {
    readonly name: string;
    readonly a: string;
    readonly b: string;
    readonly merged: string;
  }
  const cases = vectors<readonly Case[]>('ots/merge');
  assert.ok(cases.length >= 7);
  for (const each of cases) {
    const [a, b] = [parseTimestamp(parseHex(each.a), 32), parseTimestamp(parseHex(each.b), 32)];
    assert.equal(merged(a, b), each.merged, each.name);
    assert.equal(merged(b, a), each.merged, each.name);
  }
});

test('merge: the union of what both attest, nothing twice', () => {
  fc.assert(
    fc.property(timestamps, timestamps, (a, b) => {
      const found = paths(mergeTimestamps(a, b));
      assert.equal(new Set(found).size, found.length);
      assert.deepEqual(found.toSorted(), [...new Set([...paths(a), ...paths(b)])].sort());
    }),
    { numRuns: 500 },
  );
});

test('merge: no message is lost or added', () => {
  const messages = (timestamp: Timestamp): readonly string[] =>
    evaluate(timestamp, DIGEST, HASHES).map(
      ({ attestation, message }) => `${hexOf({ items: [{ attestation }] })} ${formatHex(message)}`,
    );
  fc.assert(
    fc.property(timestamps, timestamps, (a, b) => {
      const found = messages(mergeTimestamps(a, b));
      assert.deepEqual(new Set(found), new Set([...messages(a), ...messages(b)]));
    }),
  );
});

test('merge: the bytes do not depend on order or grouping', () => {
  fc.assert(
    fc.property(timestamps, timestamps, timestamps, (a, b, c) => {
      assert.equal(merged(a, b), merged(b, a));
      assert.equal(merged(mergeTimestamps(a, b), c), merged(a, mergeTimestamps(b, c)));
      const once = mergeTimestamps(a, a);
      assert.equal(merged(once, a), hexOf(once));
      assert.deepEqual(new Set(paths(once)), new Set(paths(a)));
    }),
  );
});

test('merge: its arguments stay as they are', () => {
  fc.assert(
    fc.property(timestamps, timestamps, (a, b) => {
      const before = [hexOf(a), hexOf(b)];
      mergeTimestamps(a, b);
      prune(a, () => false);
      assert.deepEqual([hexOf(a), hexOf(b)], before);
    }),
  );
});

test('merge: neither depth nor width overflows', () => {
  const wide: Timestamp = { items: Array.from({ length: 100_000 }, () => BITCOIN) };
  assert.deepEqual(mergeTimestamps(wide, wide), { items: [BITCOIN] });
  const deep = mergeTimestamps(chainOf(100_000), chainOf(99_999));
  assert.equal(deep.items.length, 1);
  assert.equal(
    prune(chainOf(100_000), () => false),
    undefined,
  );
});

test('prune: keeps exactly what it is given to keep, in its place', () => {
  const keep = (attestation: Attestation): boolean => attestation.kind !== 'pending';
  fc.assert(
    fc.property(timestamps, (timestamp) => {
      const left = prune(timestamp, keep);
      const expected = evaluate(timestamp, DIGEST, HASHES).filter((each) => keep(each.attestation));
      assert.deepEqual(left === undefined ? [] : evaluate(left, DIGEST, HASHES), expected);
      // No branch without an attestation: it could not be written.
      if (left !== undefined) assert.deepEqual(parseTimestamp(formatTimestamp(left), 32), left);
      assert.deepEqual(
        prune(timestamp, () => true),
        timestamp,
      );
      assert.equal(
        prune(timestamp, () => false),
        undefined,
      );
    }),
    { numRuns: 500 },
  );
});

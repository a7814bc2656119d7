import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import type { Attestation } from '@assay/core/ots/attestation';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { apply } from '@assay/core/ots/operation';
import {
  formatTimestamp,
  type Item,
  parseTimestamp,
  type Timestamp,
} from '@assay/core/ots/timestamp';
import fc from 'fast-check';
import { sha256 } from '../fixture/fixture.ts';
import { BITCOIN, chainOf, DIGEST, HASHES, SHORTEST, timestamps } from './fixture.ts';

interface Plain {
  readonly attestation: Attestation;
  readonly message: Uint8Array;
}

/** By recursion, a message of its own for each item. */
function expected(timestamp: Timestamp, message: Uint8Array): readonly Plain[] {
  return timestamp.items.flatMap((item) =>
    'attestation' in item
      ? [{ attestation: item.attestation, message: new Uint8Array(message) }]
      : expected(item.next, apply(item.operation, new Uint8Array(message), HASHES)),
  );
}

test('evaluate: each attestation with its message, in file order', () => {
  fc.assert(
    fc.property(timestamps, (timestamp) => {
      assert.deepEqual(evaluate(timestamp, DIGEST, HASHES), expected(timestamp, DIGEST));
    }),
    { numRuns: 500 },
  );
});

test('evaluate: a branch leaves the message to the next one as it was', () => {
  const fork: Timestamp = {
    items: [{ operation: { op: 'reverse' }, next: { items: [BITCOIN] } }, BITCOIN],
  };
  const [reversed, same] = evaluate(
    { items: [{ operation: { op: 'sha256' }, next: fork }] },
    DIGEST,
    HASHES,
  );
  assert.deepEqual(same?.message, new Uint8Array(sha256(DIGEST)));
  assert.deepEqual(reversed?.message, new Uint8Array(sha256(DIGEST)).reverse());
});

test('evaluate: each step is hashed once', () => {
  let count = 0;
  const hashes = otsHashes((bytes) => {
    count += 1;
    return sha256(bytes);
  });
  const many = Array.from({ length: 9 }, () => BITCOIN);
  const next: Timestamp = {
    items: [...many, { operation: { op: 'sha256' }, next: { items: many } }, ...many],
  };
  const found = evaluate({ items: [{ operation: { op: 'sha256' }, next }] }, DIGEST, hashes);
  assert.equal(found.length, 27);
  assert.equal(count, 2);
});

test('evaluate: the caller’s message is neither kept nor changed', () => {
  for (const message of [Buffer.from(DIGEST), DIGEST.slice()]) {
    const [found] = evaluate({ items: [BITCOIN] }, message, HASHES);
    message.fill(0);
    assert.deepEqual(found?.message, DIGEST);
  }
});

test('evaluate: attestations of one message share its bytes, however many there are', () => {
  const next: Timestamp = { items: [BITCOIN, BITCOIN, BITCOIN] };
  const [first, ...rest] = evaluate(
    { items: [{ operation: { op: 'sha256' }, next }] },
    DIGEST,
    HASHES,
  );
  for (const each of rest) assert.equal(each.message, first?.message);
});

test('evaluate: what the parser took for this length passes, at every limit', () => {
  const reverse = concatBytes(Uint8Array.of(0xff, 0xf2), SHORTEST);
  const start = concatBytes(Uint8Array.of(0xf0, 0xe0, 0x1f), new Uint8Array(4064));
  const most = concatBytes(start, ...Array.from({ length: 4095 }, () => reverse), SHORTEST);
  assert.equal(evaluate(parseTimestamp(most, 32), DIGEST, HASHES).length, 4096);
  const deepest = parseTimestamp(formatTimestamp(chainOf(255)), 32);
  assert.equal(evaluate(deepest, DIGEST, HASHES).length, 1);
});

test('evaluate: a limit holds for a tree that no parser saw', () => {
  assert.throws(() => evaluate(chainOf(256), DIGEST, HASHES), { code: 'bad_proof' });
  assert.throws(() => evaluate(chainOf(100_000), DIGEST, HASHES), { code: 'bad_proof' });
  const wide: Timestamp = { items: Array.from({ length: 50_001 }, () => BITCOIN) };
  assert.throws(() => evaluate(wide, DIGEST, HASHES), { code: 'bad_proof' });
  for (const op of ['reverse', 'sha256'] as const) {
    const item: Item = { operation: { op }, next: { items: [BITCOIN] } };
    const handled = (length: number): Timestamp => ({
      items: Array.from({ length }, () => item),
    });
    assert.equal(evaluate(handled(4096), new Uint8Array(4096), HASHES).length, 4096);
    assert.throws(() => evaluate(handled(4097), new Uint8Array(4096), HASHES), {
      code: 'bad_proof',
    });
  }
  const hexlify: Timestamp = {
    items: [{ operation: { op: 'hexlify' }, next: { items: [BITCOIN] } }],
  };
  assert.throws(() => evaluate(hexlify, new Uint8Array(2049), HASHES), { code: 'bad_proof' });
  assert.throws(() => evaluate({ items: [] }, DIGEST, HASHES), TypeError);
});

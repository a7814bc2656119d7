import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { graft } from '@assay/node/bitcoin/graft';
import { mergeTimestamps } from '@assay/node/bitcoin/merge';
import { apply, type Operation } from '@assay/core/ots/operation';
import { formatTimestamp, type Item, type Timestamp } from '@assay/core/ots/timestamp';
import fc from 'fast-check';
import { BITCOIN, DIGEST, HASHES, timestamps } from '../../core/ots/fixture.ts';

const hexOf = (timestamp: Timestamp): string => formatHex(formatTimestamp(timestamp));

const onto = (timestamp: Timestamp, commitment: Uint8Array, addition: Timestamp): Timestamp =>
  graft(timestamp, DIGEST, commitment, addition, HASHES);

/** Every message that a tree comes to, by the definition. */
function messagesOf(timestamp: Timestamp, message: Uint8Array = DIGEST): readonly Uint8Array[] {
  return [
    message,
    ...timestamp.items.flatMap((item) =>
      'next' in item ? messagesOf(item.next, apply(item.operation, message, HASHES)) : [],
    ),
  ];
}

/** What a tree says: each attestation with its message, once. */
function said(timestamp: Timestamp, message: Uint8Array = DIGEST): ReadonlySet<string> {
  return new Set(
    evaluate(timestamp, message, HASHES).map(
      (each) => `${hexOf({ items: [each] })} ${formatHex(each.message)}`,
    ),
  );
}

const pending: Item = { attestation: { kind: 'pending', uri: 'http://a' } };

test('graft: by the definition, it says what the tree said and what the addition says', () => {
  fc.assert(
    fc.property(timestamps, timestamps, fc.nat(), (timestamp, addition, pick) => {
      const messages = messagesOf(timestamp);
      const commitment = messages[pick % messages.length] as Uint8Array;
      const grafted = onto(timestamp, commitment, addition);
      assert.deepEqual(said(grafted), new Set([...said(timestamp), ...said(addition, commitment)]));
    }),
  );
});

test('graft: at the root it is a merge', () => {
  fc.assert(
    fc.property(timestamps, timestamps, (timestamp, addition) => {
      // The message may come again further in.
      fc.pre(messagesOf(timestamp).filter((each) => equalBytes(each, DIGEST)).length === 1);
      assert.equal(
        hexOf(onto(timestamp, DIGEST, addition)),
        hexOf(mergeTimestamps(timestamp, addition)),
      );
    }),
  );
});

test('graft: a commitment that occurs nowhere changes nothing', () => {
  fc.assert(
    fc.property(timestamps, timestamps, (timestamp, addition) => {
      const nowhere = new Uint8Array(33).fill(9);
      assert.equal(hexOf(onto(timestamp, nowhere, addition)), hexOf(timestamp));
    }),
  );
});

test('graft: the same again adds nothing, and the order of two does not matter', () => {
  const steps: readonly Operation[] = [1, 2, 3].map((n) => ({
    op: 'append',
    argument: Uint8Array.of(n),
  }));
  const tree: Timestamp = {
    items: steps.map((operation) => ({ operation, next: { items: [pending] } })),
  };
  const places = steps.map((step) => apply(step, DIGEST, HASHES));
  fc.assert(
    fc.property(timestamps, timestamps, fc.nat(2), fc.nat(2), (a, b, i, j) => {
      const [x, y] = [places[i] as Uint8Array, places[j] as Uint8Array];
      const one = onto(onto(tree, x, a), y, b);
      const other = onto(onto(tree, y, b), x, a);
      assert.deepEqual(said(one), said(other));
      // Where neither addition comes to the other's place, the bytes are the same, too.
      const met = [...messagesOf(a, x), ...messagesOf(b, y)].filter(
        (each) => equalBytes(each, x) || equalBytes(each, y),
      );
      if (met.length > 2) return;
      assert.equal(hexOf(one), hexOf(other));
      assert.equal(hexOf(onto(one, y, b)), hexOf(one));
    }),
  );
});

test('graft: every place where the message comes up gets the addition', () => {
  const reverse: Operation = { op: 'reverse' };
  const twice: Timestamp = {
    items: [
      pending,
      { operation: reverse, next: { items: [{ operation: reverse, next: { items: [pending] } }] } },
    ],
  };
  const grafted = onto(twice, DIGEST, { items: [BITCOIN] });
  const found = evaluate(grafted, DIGEST, HASHES).map(({ attestation }) => attestation.kind);
  assert.deepEqual(found.toSorted(), ['bitcoin', 'bitcoin', 'pending', 'pending']);
});

test('graft: neither tree is changed', () => {
  const tree: Timestamp = { items: [pending] };
  const addition: Timestamp = { items: [BITCOIN] };
  onto(tree, DIGEST, addition);
  assert.deepEqual([tree.items.length, addition.items.length], [1, 1]);
});

test('graft: as deep and as wide as it comes', () => {
  let deep: Timestamp = { items: [pending] };
  let message: Uint8Array = DIGEST;
  for (let i = 0; i < 254; i += 1) deep = { items: [{ operation: { op: 'sha256' }, next: deep }] };
  for (let i = 0; i < 254; i += 1) message = HASHES.sha256(message);
  const grafted = onto(deep, message, {
    items: [{ operation: { op: 'sha256' }, next: { items: [BITCOIN] } }],
  });
  assert.equal(evaluate(grafted, DIGEST, HASHES).length, 2);
  formatTimestamp(grafted);

  const wide: Timestamp = {
    items: Array.from({ length: 10_000 }, (_, i) => ({
      operation: { op: 'append', argument: Uint8Array.of(i, i >> 8) },
      next: { items: [pending] },
    })),
  };
  const last = apply({ op: 'append', argument: Uint8Array.of(15, 39) }, DIGEST, HASHES);
  const found = evaluate(onto(wide, last, { items: [BITCOIN] }), DIGEST, HASHES);
  assert.equal(found.length, 10_001);
  assert.deepEqual(
    found.filter(({ attestation }) => attestation.kind === 'bitcoin').map((each) => each.message),
    [new Uint8Array(last)],
  );

  let tower: Timestamp = { items: [pending] };
  for (let i = 0; i < 100_000; i += 1) {
    tower = { items: [{ operation: { op: 'reverse' }, next: tower }] };
  }
  assert.doesNotThrow(() => onto(tower, Uint8Array.of(1), { items: [BITCOIN] }));
});

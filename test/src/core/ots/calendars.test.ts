import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calendarsOf, type CalendarStatus } from '@assay/core/ots/calendars';
import { evaluate } from '@assay/core/ots/evaluate';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';
import fc from 'fast-check';
import { BITCOIN, DIGEST, HASHES, timestamps } from './fixture.ts';

const pending = (uri: string): Item => ({ attestation: { kind: 'pending', uri } });

/** `items` behind one step. */
function step(n: number, ...items: readonly Item[]): Item {
  return { operation: { op: 'append', argument: Uint8Array.of(n) }, next: { items } };
}

/** By the definition: node by node, with all that hangs on each. */
function slowly(timestamp: Timestamp): readonly CalendarStatus[] {
  const standing = new Map<string, boolean>();
  const walk = (node: Timestamp): void => {
    const holds = evaluate(node, DIGEST, HASHES).some(
      ({ attestation }) => attestation.kind === 'bitcoin',
    );
    for (const item of node.items) {
      if ('next' in item) walk(item.next);
      else if (item.attestation.kind === 'pending') {
        const { uri } = item.attestation;
        standing.set(uri, (standing.get(uri) ?? true) && holds);
      }
    }
  };
  walk(timestamp);
  return [...standing.keys()]
    .sort()
    .map((uri) => ({ uri, attested: standing.get(uri) as boolean }));
}

test('calendars: by the definition, of any tree', () => {
  fc.assert(
    fc.property(timestamps, (timestamp) => {
      assert.deepEqual(calendarsOf(timestamp), slowly(timestamp));
    }),
  );
});

test('calendars: ascending by URI, each once', () => {
  const tree: Timestamp = {
    items: [
      pending('http://b'),
      step(1, pending('http://c'), pending('http://a')),
      pending('http://B'),
    ],
  };
  assert.deepEqual(
    calendarsOf(tree).map(({ uri }) => uri),
    ['http://B', 'http://a', 'http://b', 'http://c'],
  );
});

test('calendars: attested by what hangs on their own message, beside them or further on', () => {
  const cases: readonly (readonly [Timestamp, boolean])[] = [
    [{ items: [pending('http://a')] }, false],
    [{ items: [pending('http://a'), BITCOIN] }, true],
    [{ items: [pending('http://a'), step(1, step(2, BITCOIN))] }, true],
    // Another's block, of another message.
    [{ items: [step(1, pending('http://a')), step(2, BITCOIN)] }, false],
    [{ items: [step(1, pending('http://a')), BITCOIN] }, false],
    // One of its two messages is still to come.
    [{ items: [step(1, pending('http://a'), BITCOIN), step(2, pending('http://a'))] }, false],
    [
      { items: [step(1, pending('http://a'), BITCOIN), step(2, pending('http://a'), BITCOIN)] },
      true,
    ],
    [{ items: [pending('http://a'), { attestation: { kind: 'litecoin', height: 7 } }] }, false],
  ];
  for (const [i, [tree, attested]] of cases.entries()) {
    assert.deepEqual(calendarsOf(tree), [{ uri: 'http://a', attested }], `case ${i}`);
  }
});

test('calendars: none in a tree without promises', () => {
  assert.deepEqual(calendarsOf({ items: [BITCOIN] }), []);
});

test('calendars: as deep and as wide as it comes', () => {
  let deep: Timestamp = { items: [BITCOIN] };
  for (let i = 0; i < 100_000; i += 1) deep = { items: [step(1, ...deep.items)] };
  const tree: Timestamp = { items: [pending('http://a'), ...deep.items] };
  assert.deepEqual(calendarsOf(tree), [{ uri: 'http://a', attested: true }]);
  const wide: Timestamp = {
    items: Array.from({ length: 10_000 }, (_, i) => step(i % 256, pending(`http://${i}`))),
  };
  assert.equal(calendarsOf(wide).length, 10_000);
});

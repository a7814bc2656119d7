import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { parseHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { MAX_NODES, MAX_PROOF_BYTES } from '@assay/core/ots/limits';
import {
  attestationCount,
  depthOf,
  formatTimestamp,
  type Item,
  parseTimestamp,
  type Timestamp,
} from '@assay/core/ots/timestamp';
import fc from 'fast-check';
import { BITCOIN, chainOf, DIGEST, HASHES, SHORTEST, timestamps } from './fixture.ts';

function repeated(bytes: Uint8Array, count: number): Uint8Array {
  const out = new Uint8Array(bytes.length * count);
  for (let i = 0; i < count; i += 1) out.set(bytes, i * bytes.length);
  return out;
}

/** `count` attestations on one message. */
function wide(count: number): Uint8Array {
  const fork = concatBytes(Uint8Array.of(0xff), SHORTEST);
  return concatBytes(repeated(fork, count - 1), SHORTEST);
}

test('timestamp: written and read, items in their order', () => {
  fc.assert(
    fc.property(timestamps, (timestamp) => {
      const bytes = formatTimestamp(timestamp);
      assert.deepEqual(parseTimestamp(bytes, 32), timestamp);
      assert.deepEqual(parseTimestamp(Buffer.from(bytes), 32), timestamp);
    }),
    { numRuns: 500 },
  );
});

test('timestamp: cut short anywhere, or followed by a byte, it is refused', () => {
  fc.assert(
    fc.property(timestamps, fc.nat({ max: 255 }), (timestamp, byte) => {
      const bytes = formatTimestamp(timestamp);
      for (let length = 0; length < bytes.length; length += 1) {
        assert.throws(() => parseTimestamp(bytes.subarray(0, length), 32), { code: 'bad_proof' });
      }
      assert.throws(() => parseTimestamp(concatBytes(bytes, Uint8Array.of(byte)), 32), {
        code: 'bad_proof',
        at: `byte ${bytes.length}`,
      });
    }),
  );
});

test('timestamp: whatever a changed byte makes of it, it is refused or written back the same', () => {
  fc.assert(
    fc.property(timestamps, fc.nat(), fc.nat({ max: 255 }), (timestamp, place, byte) => {
      const bytes = formatTimestamp(timestamp);
      bytes[place % bytes.length] = byte;
      try {
        assert.deepEqual(formatTimestamp(parseTimestamp(bytes, 32)), bytes);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
        assert.equal(error.code, 'bad_proof');
        assert.match(error.at ?? '', /^byte \d+$/);
      }
    }),
    { numRuns: 1000 },
  );
});

test('timestamp: the message’s length decides what an append may add', () => {
  const bytes = formatTimestamp({
    items: [
      { operation: { op: 'append', argument: new Uint8Array(4076) }, next: { items: [BITCOIN] } },
    ],
  });
  assert.equal(parseTimestamp(bytes, 20).items.length, 1);
  assert.throws(() => parseTimestamp(bytes, 21), { code: 'bad_proof', at: 'byte 0' });
  const bare = formatTimestamp({ items: [BITCOIN] });
  for (const length of [1, 4096]) assert.equal(parseTimestamp(bare, length).items.length, 1);
  for (const length of [0, -1, 4097, 1.5]) {
    assert.throws(() => parseTimestamp(bare, length), TypeError);
  }
});

test('timestamp: a tree that fits no message is not written', () => {
  const appended = (length: number): Timestamp => ({
    items: [
      { operation: { op: 'append', argument: new Uint8Array(length) }, next: { items: [BITCOIN] } },
    ],
  });
  assert.deepEqual(parseTimestamp(formatTimestamp(appended(4095)), 1), appended(4095));
  assert.throws(() => formatTimestamp(appended(4096)), { code: 'bad_proof' });
});

test('timestamp: 255 nested operations, and not one more', () => {
  const bytes = formatTimestamp(chainOf(255));
  assert.equal(depthOf(parseTimestamp(bytes, 32)), 255);
  assert.throws(() => parseTimestamp(concatBytes(Uint8Array.of(8), bytes), 32), {
    code: 'bad_proof',
    at: 'byte 255',
  });
  assert.throws(() => formatTimestamp(chainOf(256)), { code: 'bad_proof' });
});

test('timestamp: a hostile depth is refused where it begins', () => {
  const bytes = concatBytes(repeated(Uint8Array.of(8), 100_000), SHORTEST);
  assert.throws(() => parseTimestamp(bytes, 32), { code: 'bad_proof', at: 'byte 255' });
  const forks = repeated(Uint8Array.of(0xff, 8), 100_000);
  assert.throws(() => parseTimestamp(forks, 32), { code: 'bad_proof', at: 'byte 510' });
  assert.throws(() => formatTimestamp(chainOf(100_000)), { code: 'bad_proof' });
  assert.equal(depthOf(chainOf(100_000)), 100_000);
});

test('timestamp: as many attestations as evaluating it finds', () => {
  fc.assert(
    fc.property(timestamps, (timestamp) => {
      const found = evaluate(timestamp, DIGEST, HASHES).length;
      assert.equal(attestationCount(timestamp), found);
    }),
  );
  assert.equal(attestationCount(chainOf(100_000)), 1);
});

test('timestamp: as many nodes as a tree may have, and not one more', () => {
  const most = parseTimestamp(wide(MAX_NODES), 32);
  assert.equal(most.items.length, MAX_NODES);
  assert.equal(formatTimestamp(most).length, wide(MAX_NODES).length);
  assert.throws(() => parseTimestamp(wide(MAX_NODES + 1), 32), {
    code: 'bad_proof',
    at: `byte ${11 * MAX_NODES}`,
  });
  assert.throws(() => formatTimestamp({ items: [...most.items, BITCOIN] }), { code: 'bad_proof' });
});

test('timestamp: a fork at every depth comes back whole', () => {
  const comb = concatBytes(repeated(Uint8Array.of(0xff, 8), 255), repeated(SHORTEST, 256));
  assert.deepEqual(formatTimestamp(parseTimestamp(comb, 32)), comb);
});

test('timestamp: what all operations handle has a bound', () => {
  // A message of 4096 bytes, hashed again and again: 4095 times and the append are 2^24 bytes.
  const start = concatBytes(parseHex('f0e01f'), new Uint8Array(4064));
  const hashed = (tag: number, count: number): Uint8Array =>
    concatBytes(start, repeated(concatBytes(Uint8Array.of(0xff, tag), SHORTEST), count), SHORTEST);
  for (const tag of [0x02, 0x08, 0xf2]) {
    assert.equal(parseTimestamp(hashed(tag, 4095), 32).items.length, 1);
    assert.throws(() => parseTimestamp(hashed(tag, 4096), 32), {
      code: 'bad_proof',
      at: `byte ${start.length + 4095 * 12}`,
    });
  }
});

test('timestamp: a hostile length reads nothing', () => {
  for (const hex of [
    'f0ffffffffffffff0f',
    'f18120',
    '000102030405060708ffffffffffffff0f',
    '000102030405060708804000',
  ]) {
    assert.throws(() => parseTimestamp(parseHex(hex), 32), { code: 'bad_proof' }, hex);
  }
});

test('timestamp: as many bytes as a file may have, and not one more', () => {
  // 127 forks of 8204 bytes, and what is left for the last attestation: ff 00, tag, length, payload.
  const fork = concatBytes(parseHex('ff0001020304050607088040'), new Uint8Array(8192));
  const rest = MAX_PROOF_BYTES - 127 * fork.length - 11;
  const last = concatBytes(
    parseHex('000102030405060708'),
    Uint8Array.of((rest % 128) + 128, Math.floor(rest / 128)),
    new Uint8Array(rest),
  );
  const whole = concatBytes(repeated(fork, 127), last);
  assert.equal(whole.length, MAX_PROOF_BYTES);
  assert.deepEqual(formatTimestamp(parseTimestamp(whole, 32)), whole);
  assert.throws(() => parseTimestamp(concatBytes(whole, Uint8Array.of(0)), 32), {
    code: 'bad_proof',
    at: `byte ${MAX_PROOF_BYTES}`,
  });
});

test('timestamp: a node without items is no tree', () => {
  const empty = { items: [] as Item[] };
  assert.throws(() => formatTimestamp(empty), TypeError);
  assert.throws(
    () => formatTimestamp({ items: [{ operation: { op: 'sha256' }, next: empty }] }),
    TypeError,
  );
});

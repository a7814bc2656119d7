import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatHex } from '@assay/core/bytes/hex';
import {
  ENTRIES_END,
  entryKey,
  HEAD_KEY,
  readRow,
  OTHER_RANGES,
  tileKey,
  VIEW_RANGE,
  viewBytes,
  viewKey,
} from '@assay/node/ledger/store/store-key';

const VALUE = Uint8Array.of(1, 2, 3);
const DIGEST = new Uint8Array(32).fill(7);
const seq = fc.maxSafeNat();
const name = fc.string({ unit: 'grapheme' });

const compare = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);

test('store keys: the bytes, as drawn', () => {
  assert.equal(formatHex(entryKey(0x01_02_03_04_05_06)), '650000010203040506');
  assert.equal(formatHex(HEAD_KEY), '68');
  assert.equal(formatHex(tileKey(5, 258)), '74050000000000000102');
  assert.equal(formatHex(viewKey('log', 'é')), '766c6f6700c3a9');
});

test('store keys: what was written is read back', () => {
  fc.assert(
    fc.property(seq, fc.integer({ min: 0, max: 5 }), name, name, (number, level, table, key) => {
      assert.deepEqual(readRow(entryKey(number), VALUE), {
        part: 'entry',
        seq: number,
        bytes: VALUE,
      });
      assert.deepEqual(readRow(tileKey(level, number), VALUE), {
        part: 'tile',
        level,
        index: number,
        bytes: VALUE,
      });
      assert.deepEqual(readRow(viewKey(table, key), viewBytes({ value: VALUE, digest: DIGEST })), {
        part: 'view',
        table: table,
        key: key,
        value: VALUE,
        digest: DIGEST,
      });
    }),
  );
  assert.deepEqual(readRow(HEAD_KEY, VALUE), { part: 'head', bytes: VALUE });
});

test('store keys: the order of the bytes is the order of the numbers', () => {
  fc.assert(
    fc.property(seq, seq, (a, b) => {
      assert.equal(Math.sign(compare(entryKey(a), entryKey(b))), Math.sign(a - b));
      assert.equal(Math.sign(compare(tileKey(2, a), tileKey(2, b))), Math.sign(a - b));
    }),
  );
});

test('store keys: each part lies in its range, and the ranges do not meet', () => {
  const keys = [
    entryKey(0),
    entryKey(Number.MAX_SAFE_INTEGER),
    HEAD_KEY,
    tileKey(0, 0),
    tileKey(255, Number.MAX_SAFE_INTEGER),
    viewKey('', ''),
    viewKey('\u{10ffff}', '\u{10ffff}'),
  ];
  const inside = ({ gte, lt }: typeof VIEW_RANGE): readonly number[] =>
    keys.flatMap((key, i) => (compare(key, gte) >= 0 && compare(key, lt) < 0 ? [i] : []));
  assert.deepEqual(inside({ gte: entryKey(0), lt: ENTRIES_END }), [0, 1]);
  const rest = OTHER_RANGES.flatMap(({ gte = new Uint8Array(0), lt = Uint8Array.of(255) }) =>
    inside({ gte, lt }),
  );
  assert.deepEqual(rest, [3, 4]);
  assert.deepEqual(inside(VIEW_RANGE), [5, 6]);
});

test('store keys: every other key is unknown', () => {
  const strange = [
    [],
    [0x65],
    [...entryKey(1), 0],
    entryKey(1).slice(0, 8),
    [...HEAD_KEY, 0],
    [...tileKey(1, 1), 0],
    [0x74, 1],
    [0x76],
    [0x76, 0x61],
    [0x76, 0x61, 0, 0x62, 0, 0x63],
    [0x76, 0xff, 0, 0x61],
    [0x77],
    [0],
  ].map((key) => Uint8Array.from(key));
  for (const key of strange) {
    assert.deepEqual(readRow(key, VALUE), { part: 'unknown', key }, formatHex(key));
  }
});

test('store keys: a key is read where it lies in a larger buffer', () => {
  const larger = new Uint8Array(40).fill(0xee);
  larger.set(entryKey(77), 11);
  const row = readRow(larger.subarray(11, 20), VALUE);
  assert.deepEqual(row, { part: 'entry', seq: 77, bytes: VALUE });
});

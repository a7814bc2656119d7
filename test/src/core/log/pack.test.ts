import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { HashHex } from '@assay/core/hash/hash';
import {
  formatPack,
  formatPackPath,
  MAX_PACKED_BYTES,
  MAX_PART_BYTES,
  MAX_PARTS,
  parsePack,
  parsePackPath,
  partLength,
  splitPack,
} from '@assay/core/log/pack';
import fc from 'fast-check';
import { vectors } from '../fixture/fixture.ts';

interface PartRow {
  readonly part: number;
  readonly parts: number;
  readonly blobs: readonly { readonly sha256: HashHex; readonly text: string }[];
  readonly hex: string;
}

test('pack: parts by example, both ways', () => {
  for (const { part, parts, blobs, hex } of vectors<readonly PartRow[]>('pack/parts')) {
    const contents = {
      part,
      parts,
      blobs: blobs.map(({ sha256, text }) => ({ hash: sha256, bytes: formatUtf8(text) })),
    };
    assert.equal(formatHex(formatPack(contents)), hex);
    const read = parsePack(parseHex(hex));
    assert.deepEqual(
      {
        ...read,
        blobs: read.blobs.map(({ hash, bytes }) => ({ hash, bytes: new Uint8Array(bytes) })),
      },
      contents,
    );
    assert.equal(partLength(blobs.map(({ text }) => formatUtf8(text).length)), hex.length / 2);
  }
});

test('pack: bytes of another form are refused with their code', () => {
  type Row = { readonly name: string; readonly hex: string; readonly fault: string };
  for (const { name, hex, fault } of vectors<readonly Row[]>('pack/refused')) {
    assert.throws(() => parsePack(parseHex(hex)), { code: fault }, name);
  }
  assert.throws(() => parsePack(new Uint8Array(MAX_PART_BYTES + 1)), { code: 'bad_length' });
});

test('pack: whatever parses is what the formatter writes', () => {
  const good = formatPack({
    part: 0,
    parts: 1,
    blobs: [
      { hash: 'ab'.repeat(32) as HashHex, bytes: formatUtf8('one') },
      { hash: 'cd'.repeat(32) as HashHex, bytes: formatUtf8('') },
    ],
  });
  let parsed = 0;
  fc.assert(
    fc.property(
      fc.nat(good.length - 1),
      fc.nat(255),
      fc.integer({ min: 0, max: good.length }),
      (at, byte, end) => {
        const changed = good.slice(0, end);
        if (at < end) changed[at] = byte;
        let read;
        try {
          read = parsePack(changed);
        } catch {
          return;
        }
        parsed += 1;
        assert.deepEqual(formatPack(read), changed);
      },
    ),
    { numRuns: 2000 },
  );
  assert.ok(parsed > 0);
});

test('pack: blobs are split into parts by example', () => {
  type Row = {
    readonly lengths: readonly number[];
    readonly parts: readonly (readonly number[])[];
  };
  for (const { lengths, parts } of vectors<readonly Row[]>('pack/splits')) {
    assert.deepEqual(splitPack(lengths), parts);
  }
});

test('pack: every part has its bounds, and blobs keep their order', () => {
  const lengths = fc.array(fc.oneof(fc.nat(5000), fc.nat(2 * MAX_PACKED_BYTES)), { maxLength: 80 });
  fc.assert(
    fc.property(lengths, (each) => {
      const parts = splitPack(each);
      const order = parts.flat();
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(order).size, order.length);
      assert.ok(parts.length >= 1 && parts.length <= MAX_PARTS);
      for (const part of parts) {
        assert.ok(part.length > 0 || parts.length === 1);
        assert.ok(partLength(part.map((i) => each[i] as number)) <= MAX_PART_BYTES);
      }
      if (parts.length < MAX_PARTS) {
        assert.equal(order.length, each.filter((length) => length <= MAX_PACKED_BYTES).length);
      }
    }),
  );
});

test('pack: paths', () => {
  const cases = [
    ['pack/0/000', { part: 0, index: 0, width: 256 }],
    ['pack/3/x001/x234/067', { part: 3, index: 1_234_067, width: 256 }],
    ['pack/15/x001/000.p/7', { part: 15, index: 1000, width: 7 }],
  ] as const;
  for (const [path, part] of cases) {
    assert.equal(formatPackPath(part), path);
    assert.deepEqual(parsePackPath(path), part);
  }
  for (const path of [
    'pack/16/000',
    'pack/00/000',
    'pack/0/0',
    'pack/0/000.p/256',
    'pack/000',
    'pack/entries/000',
    'pack/0/000/',
    '/pack/0/000',
    'pack/0/../000',
    'tile/0/000',
    'pack/0/000\n',
  ]) {
    assert.throws(() => parsePackPath(path), { code: 'bad_path' }, path);
  }
});

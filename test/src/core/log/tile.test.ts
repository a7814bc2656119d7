import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { toHash } from '@assay/core/hash/hash';
import {
  formatEntryBundle,
  formatHashTile,
  formatTilePath,
  hasTile,
  levelLength,
  parseEntryBundle,
  parseHashTile,
  parseTilePath,
  type Tile,
  tilesOf,
} from '@assay/core/log/tile';
import fc from 'fast-check';
import { vectors } from '../fixture/fixture.ts';

interface PathVectors {
  readonly accepted: readonly (Tile & { readonly path: string })[];
  readonly refused: readonly string[];
  readonly sizes: readonly { readonly size: number; readonly tiles: readonly string[] }[];
}
const PATHS = vectors<PathVectors>('tile/paths');

test('tile: paths by example', () => {
  for (const { path, ...tile } of PATHS.accepted) {
    assert.equal(formatTilePath(tile), path);
    assert.deepEqual(parseTilePath(path), tile);
  }
  for (const path of PATHS.refused) {
    assert.throws(() => parseTilePath(path), { code: 'bad_path' }, JSON.stringify(path));
  }
});

test('tile: every tile has one path, and a changed path names another tile or none', () => {
  const tiles = fc.record(
    {
      level: fc.constantFrom(0, 1, 2, 3, 4, 5, 'entries' as const),
      index: fc.oneof(
        fc.nat(2000),
        fc.nat(999_999_999),
        fc.integer({ min: 0, max: 999_999_999_999_999 }),
      ),
      width: fc.integer({ min: 1, max: 256 }),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(
      tiles,
      fc.nat(),
      fc.constantFrom('0', '1', '9', 'x', '/', '.', 'p', ''),
      (tile, at, piece) => {
        const path = formatTilePath(tile);
        assert.deepEqual(parseTilePath(path), tile);
        const i = at % path.length;
        for (const changed of [
          path.slice(0, i) + piece + path.slice(i + 1),
          path.slice(0, i) + piece + path.slice(i),
        ]) {
          if (changed === path) continue;
          let other: Tile;
          try {
            other = parseTilePath(changed);
          } catch (error) {
            assert.equal((error as { code: string }).code, 'bad_path');
            continue;
          }
          assert.notDeepEqual(other, tile);
          assert.equal(formatTilePath(other), changed);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('tile: the tiles of a tree, partial ones included, none empty', () => {
  for (const { size, tiles } of PATHS.sizes) {
    assert.deepEqual([...tilesOf(size)].map(formatTilePath), tiles, `${size}`);
  }
  // The example of C2SP tlog-tiles: 70,000 leaves.
  const widths = new Map<Tile['level'], number[]>();
  for (const { level, width } of tilesOf(70_000))
    widths.set(level, [...(widths.get(level) ?? []), width]);
  assert.deepEqual([widths.get(0)?.length, widths.get(0)?.at(-1)], [274, 112]);
  assert.deepEqual(widths.get(1), [256, 17]);
  assert.deepEqual(widths.get(2), [1]);
  assert.equal(widths.get(3), undefined);
  const last = [...tilesOf(256 ** 3)].at(-1);
  assert.deepEqual(last, { level: 3, index: 0, width: 1 });
});

test('tile: a tree has a tile exactly when all of its hashes are final', () => {
  fc.assert(
    fc.property(fc.nat(300_000), (size) => {
      for (const tile of tilesOf(size)) {
        assert.ok(hasTile(tile, size));
        assert.equal(
          hasTile({ ...tile, width: tile.width + 1 }, size),
          tile.width < 256 ? false : hasTile({ ...tile, index: tile.index + 1, width: 1 }, size),
        );
        const first = typeof tile.level === 'number' ? size - 256 ** tile.level : size - 1;
        if (tile.width < 256) assert.equal(hasTile(tile, first), false);
      }
      assert.equal(levelLength(0, size), size);
      assert.equal(levelLength('entries', size), size);
      assert.equal(levelLength(2, size), Math.floor(size / 65_536));
    }),
    { numRuns: 20 },
  );
});

test('tile: hashes one after the other, exactly as many as named', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHash), {
        minLength: 1,
        maxLength: 5,
      }),
      (hashes) => {
        const bytes = formatHashTile(hashes);
        assert.equal(bytes.length, 32 * hashes.length);
        assert.deepEqual(parseHashTile(bytes, hashes.length), hashes);
        assert.throws(() => parseHashTile(bytes, hashes.length + 1), { code: 'bad_length' });
        assert.throws(() => parseHashTile(bytes, hashes.length - 1), { code: 'bad_length' });
        assert.throws(() => parseHashTile(bytes.subarray(1), hashes.length), {
          code: 'bad_length',
        });
      },
    ),
  );
});

test('tile: bundles by example', () => {
  for (const { entries, bundle } of vectors<{ entries: string[]; bundle: string }[]>(
    'tile/bundles',
  )) {
    const bytes = parseHex(bundle);
    assert.equal(formatHex(formatEntryBundle(entries.map((hex) => parseHex(hex)))), bundle);
    assert.deepEqual(parseEntryBundle(bytes, entries.length).map(formatHex), entries);
    for (const width of [entries.length - 1, entries.length + 1]) {
      assert.throws(() => parseEntryBundle(bytes, width), { code: 'bad_length' });
    }
  }
});

test('tile: bundle bytes are taken only if they are a bundle of that width', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 4 }), { maxLength: 4 }),
      fc.nat(),
      fc.integer({ min: 0, max: 255 }),
      (entries, at, value) => {
        const bytes = formatEntryBundle(entries);
        assert.deepEqual(
          parseEntryBundle(bytes, entries.length).map(formatHex),
          entries.map(formatHex),
        );
        if (bytes.length === 0) return;
        bytes[at % bytes.length] = value;
        for (const each of [bytes, bytes.subarray(0, -1), bytes.subarray(1)]) {
          let parsed: readonly Uint8Array[];
          try {
            parsed = parseEntryBundle(each, entries.length);
          } catch (error) {
            assert.equal((error as { code: string }).code, 'bad_length');
            continue;
          }
          assert.equal(parsed.length, entries.length);
          assert.deepEqual(formatEntryBundle(parsed), Uint8Array.from(each));
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test('tile: the largest entry fits a bundle, a larger one is a mistake', () => {
  const most = new Uint8Array(65_535).fill(7);
  assert.deepEqual(parseEntryBundle(formatEntryBundle([most, most]), 2), [most, most]);
  assert.throws(() => formatEntryBundle([new Uint8Array(65_536)]), TypeError);
});

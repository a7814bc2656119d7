import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTilePath, tilesOf } from '@assay/core/log/tile';
import { edgesBefore, tilesBetween } from '@assay/node/objects/log-files';

const paths = (from: number, to: number): readonly string[] =>
  [...tilesBetween(from, to)].map(formatTilePath);

test('log files: what a log has at a size, and had not at another', () => {
  assert.deepEqual(paths(0, 0), []);
  assert.deepEqual(paths(5, 5), []);
  assert.deepEqual(paths(5, 7), ['tile/entries/000.p/7', 'tile/0/000.p/7']);
  assert.deepEqual(paths(250, 256), ['tile/entries/000', 'tile/0/000', 'tile/1/000.p/1']);
  assert.deepEqual(paths(256, 257), ['tile/entries/001.p/1', 'tile/0/001.p/1']);
});

test('log files: steps from nothing to a size bring every tile of that size', () => {
  const sizes = [0, 1, 255, 256, 700, 65_536, 66_000, 140_000];
  const there = new Set<string>();
  for (const [i, to] of sizes.slice(1).entries()) {
    for (const path of paths(sizes[i] as number, to)) there.add(path);
    for (const tile of tilesOf(to))
      assert.ok(there.has(formatTilePath(tile)), `${to} ${formatTilePath(tile)}`);
  }
});

test('log files: the edge of a log that a larger one has in another width', () => {
  const edges = (from: number, to: number): readonly string[] =>
    [...edgesBefore(from, to)].map(formatTilePath);
  assert.deepEqual(edges(5, 5), []);
  assert.deepEqual(edges(256, 257), []);
  assert.deepEqual(edges(255, 256), ['tile/entries/000.p/255', 'tile/0/000.p/255']);
  assert.deepEqual(edges(300, 310), ['tile/entries/001.p/44', 'tile/0/001.p/44']);
  assert.deepEqual(edges(300, 512).at(-1), 'tile/1/000.p/1');
});

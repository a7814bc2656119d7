import { levelLength, MAX_TILE_LEVEL, type Tile, TILE_WIDTH } from '@assay/core/log/tile';

const LEVELS: readonly Tile['level'][] = [
  'entries',
  ...Array.from({ length: MAX_TILE_LEVEL + 1 }, (_, level) => level),
];

/**
 * The hash tiles and entry bundles that a log of `to` entries has and one of `from` entries had not, with the width
 * that they have at `to`: the full ones that became full, and those at the right edge.
 */
export function* tilesBetween(from: number, to: number): Generator<Tile> {
  for (const level of LEVELS) {
    const before = levelLength(level, from);
    const length = levelLength(level, to);
    if (length === before) continue;
    for (let index = Math.floor(before / TILE_WIDTH); index * TILE_WIDTH < length; index += 1) {
      yield { level, index, width: Math.min(TILE_WIDTH, length - index * TILE_WIDTH) };
    }
  }
}

/** The tiles at the right edge of a log of `from` entries that one of `to` entries has in another width. */
export function* edgesBefore(from: number, to: number): Generator<Tile> {
  for (const level of LEVELS) {
    const before = levelLength(level, from);
    const width = before % TILE_WIDTH;
    if (width === 0 || levelLength(level, to) === before) continue;
    yield { level, index: Math.floor(before / TILE_WIDTH), width };
  }
}

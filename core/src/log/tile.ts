import { Fault } from '../fault.ts';
import { type Hash, toHash } from '../hash/hash.ts';
import { MAX_ENTRY_BYTES } from '../limits.ts';

/** C2SP tlog-tiles, v1.0.0: hash tiles of 256 hashes and bundles of 256 entries. */
export const TILE_WIDTH = 256;

/**
 * A hash tile or an entry bundle. `level` is a number for hashes (hash i of tile n is the root of the leaves from
 * (256n+i)*256^level on) and `'entries'` for a bundle. `width` is 256 when full.
 */
export interface Tile {
  readonly level: number | 'entries';
  readonly index: number;
  readonly width: number;
}

/** Levels 0 to 5 hold 2^48 leaves, more than this log will ever have. */
export const MAX_TILE_LEVEL = 5;

/** `tile/<L>/<N>[.p/<W>]`, with the index in groups of three digits, all but the last of them after an `x`. */
export function formatTilePath(tile: Tile): string {
  const groups = [String(tile.index % 1000).padStart(3, '0')];
  for (let left = Math.floor(tile.index / 1000); left > 0; left = Math.floor(left / 1000)) {
    groups.unshift(`x${String(left % 1000).padStart(3, '0')}`);
  }
  const partial = tile.width === TILE_WIDTH ? '' : `.p/${tile.width}`;
  return `tile/${tile.level}/${groups.join('/')}${partial}`;
}

/** The tile that a path names. Throws `bad_path` for every other spelling. */
export function parseTilePath(path: string): Tile {
  const match =
    /^tile\/(entries|[0-9])\/((?:x[0-9]{3}\/){0,4}[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/.exec(path);
  if (match !== null) {
    const [, levelText = '', groups = '', widthText] = match;
    const level = levelText === 'entries' ? 'entries' : Number(levelText);
    const index = Number(groups.replaceAll(/[x/]/g, ''));
    const width = widthText === undefined ? TILE_WIDTH : Number(widthText);
    const tile: Tile = { level, index, width };
    if (
      (level === 'entries' || level <= MAX_TILE_LEVEL) &&
      (widthText === undefined || width < TILE_WIDTH) &&
      formatTilePath(tile) === path
    ) {
      return tile;
    }
  }
  throw new Fault('bad_path', 'tile path', {
    expected: 'tile/<level or entries>/<index>[.p/<width>]',
    found: JSON.stringify(path.slice(0, 80)),
  });
}

/** How many hashes (or entries) of this level a tree of `size` has. */
export function levelLength(level: number | 'entries', size: number): number {
  return Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level));
}

/** Every hash tile and entry bundle of a tree of `size`, including partial ones, but no empty ones. */
export function* tilesOf(size: number): Generator<Tile> {
  for (const level of ['entries', 0, 1, 2, 3, 4, 5] as const) {
    const length = levelLength(level, size);
    for (let index = 0; index * TILE_WIDTH < length; index += 1) {
      yield { level, index, width: Math.min(TILE_WIDTH, length - index * TILE_WIDTH) };
    }
  }
}

/** Whether a tree of `size` has this tile with this width, or a wider one. */
export function hasTile(tile: Tile, size: number): boolean {
  return tile.index * TILE_WIDTH + tile.width <= levelLength(tile.level, size);
}

export function formatHashTile(hashes: readonly Hash[]): Uint8Array {
  const out = new Uint8Array(hashes.length * 32);
  let at = 0;
  for (const hash of hashes) {
    out.set(hash, at);
    at += 32;
  }
  return out;
}

/** The hashes of a tile. Throws `bad_length` unless there are exactly `width` of them. */
export function parseHashTile(bytes: Uint8Array, width: number): readonly Hash[] {
  if (bytes.length !== width * 32) {
    throw new Fault('bad_length', 'hash tile', {
      expected: `${width * 32} bytes`,
      found: `${bytes.length} bytes`,
    });
  }
  return Array.from({ length: width }, (_, i) => toHash(bytes.slice(i * 32, i * 32 + 32)));
}

/** The entries one after the other, each after its length as u16, big endian. */
export function formatEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const entry of entries) length += 2 + entry.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const entry of entries) {
    if (entry.length > MAX_ENTRY_BYTES) throw new TypeError('formatEntryBundle: entry too large');
    out[at] = entry.length >> 8;
    out[at + 1] = entry.length & 0xff;
    out.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return out;
}

/** The entries of a bundle, as views into `bytes`. Throws `bad_length` unless there are exactly `width` of them. */
export function parseEntryBundle(bytes: Uint8Array, width: number): readonly Uint8Array[] {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length && entries.length <= width) {
    const high = bytes[at] as number;
    const low = bytes[at + 1] ?? 0;
    const end = at + 2 + high * 256 + low;
    if (end > bytes.length) break;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  if (at !== bytes.length || entries.length !== width) {
    throw new Fault('bad_length', 'entry bundle', {
      expected: `${width} entries and nothing else`,
      found: `${entries.length} entries, ${bytes.length - at} bytes left`,
    });
  }
  return entries;
}

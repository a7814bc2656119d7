import { equalBytes } from '@assay/core/bytes/bytes';
import { type Hash, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { MAX_ENTRY_BYTES } from '@assay/core/limits';
import { parseEntryBundle, type Tile, TILE_WIDTH } from '@assay/core/log/tile';
import { rootOf } from '@assay/core/log/tree';
import { type HeadTiles, unproven } from './head-tiles.ts';

/** An entry under a signed head. */
export interface SignedEntry {
  readonly entry: Uint8Array;
  readonly leaf: Hash;
}

/** Fetches the bytes of a bundle from a server, at most `maxBytes`. */
export type FetchBundle = (bundle: Tile, maxBytes: number) => Promise<Uint8Array>;

/** How many bundles are fetched at the same time. */
const AHEAD = 6;

/**
 * The entries from `start` on under the head of `tiles`, bundle by bundle, each compared with its hash under
 * the head. A bundle with some of the first `start` entries is fetched as a whole, because servers have no
 * other form. Throws `bad_proof`, or `bad_length` for what is no such bundle.
 */
export async function* newBundles(
  sha256: Sha256,
  fetch: FetchBundle,
  tiles: HeadTiles,
  start: number,
  size: number,
): AsyncGenerator<readonly SignedEntry[]> {
  const under: Promise<readonly SignedEntry[]>[] = [];
  let next = Math.floor(start / TILE_WIDTH);
  for (let index = next; index * TILE_WIDTH < size; index += 1) {
    while (under.length < AHEAD && next * TILE_WIDTH < size) {
      const fetched = signedBundle(sha256, fetch, tiles, next, size);
      // It is awaited later. Until then its rejection is not unhandled.
      fetched.catch(() => undefined);
      under.push(fetched);
      next += 1;
    }
    const entries = await (under.shift() as (typeof under)[0]);
    yield entries.slice(Math.max(0, start - index * TILE_WIDTH));
  }
}

async function signedBundle(
  sha256: Sha256,
  fetch: FetchBundle,
  tiles: HeadTiles,
  index: number,
  size: number,
): Promise<readonly SignedEntry[]> {
  const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
  const maxBytes = width * (2 + MAX_ENTRY_BYTES);
  const bundle = await fetch({ level: 'entries', index, width }, maxBytes);
  const entries = parseEntryBundle(bundle, width).map((entry) => ({
    entry,
    leaf: leafHash(sha256, entry),
  }));
  if (width === TILE_WIDTH) {
    const expected = await tiles.leavesRoot(index);
    const found = rootOf(
      sha256,
      entries.map(({ leaf }) => leaf),
    );
    if (!equalBytes(found, expected)) throw unproven(`entry bundle ${index}`, expected, found);
    return entries;
  }
  const hashes = await tiles.hashes(0, index);
  for (const [i, { leaf }] of entries.entries()) {
    const expected = hashes[i] as Hash;
    if (!equalBytes(leaf, expected)) {
      throw unproven(`entry ${index * TILE_WIDTH + i}`, expected, leaf);
    }
  }
  return entries;
}

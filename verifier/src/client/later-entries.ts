import { Fault } from '@assay/core/fault';
import { leafHash, type Sha256 } from '@assay/core/hash/hash';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { type Entry, parseEntry } from '@assay/core/log/entry';
import { formatTilePath, parseEntryBundle, TILE_WIDTH } from '@assay/core/log/tile';
import type { ReadTile } from '../reader/tile-proofs.ts';
import type { LogReader } from '../reader/log-reader.ts';
import { bodyOf } from './log-answer.ts';
import { ProvenLeaves } from './proven-leaves.ts';

/** Entries behind a number that are read for what is in them. A day of a busy log has a few hundred. */
const MAX_LATER = 20_000;

/**
 * The entries from `first` to the end of a signed tree, each with its inclusion in it checked. Throws `bad_proof`,
 * `bad_length`, `not_found`, `malformed` or `not_canonical` where they are not there, and `too_large` where they are too
 * many.
 */
export async function* laterEntries(
  reader: LogReader,
  tiles: ReadTile,
  first: number,
  checkpoint: Checkpoint,
  sha256: Sha256,
): AsyncGenerator<Entry> {
  const { size } = checkpoint;
  if (size - first > MAX_LATER) {
    const expected = `at most ${MAX_LATER} entries behind the number`;
    throw new Fault('too_large', 'log', { expected, found: `${size - first}` });
  }
  const leaves = new ProvenLeaves(tiles, sha256);
  for (let seq = first; seq < size;) {
    const index = Math.floor(seq / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    const path = `/${formatTilePath({ level: 'entries', index, width })}`;
    const entries = parseEntryBundle(await bodyOf(reader, path), width);
    for (const bytes of entries.slice(seq - index * TILE_WIDTH)) {
      await leaves.check(leafHash(sha256, bytes), seq, checkpoint);
      yield parseEntry(bytes);
      seq += 1;
    }
  }
}

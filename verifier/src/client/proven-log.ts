import { Fault } from '@assay/core/fault';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { type Entry, parseEntry } from '@assay/core/log/entry';
import { formatTilePath, parseEntryBundle, TILE_WIDTH } from '@assay/core/log/tile';
import { verifyInclusion } from '@assay/core/log/tree';
import { inclusionProof, type ReadTile } from '../reader/tile-proofs.ts';
import type { LogReader } from '../reader/log-reader.ts';
import type { Environment } from '../verdict/environment.ts';
import { Findings } from '../verdict/finding.ts';
import type { KeptFiles } from './kept-files.ts';
import { bodyOf } from './log-answer.ts';
import type { AcceptedHead, PinnedHead } from './pinned-head.ts';
import { type Refusal, refusedBy } from './refusal.ts';

/** An entry that is in the log, as its head shows. */
export interface IncludedEntry {
  readonly bytes: Uint8Array;
  readonly leaf: Hash;
  readonly entry: Entry;
}

/** What the parts of a client share. */
export interface ClientParts {
  readonly files: KeptFiles;
  readonly head: PinnedHead;
  readonly environment: Environment;
  /** The clock, in Unix seconds. */
  readonly now: () => number;
  /** Milliseconds for one number, with everything that is asked for it. */
  readonly numberMs: number;
  /** Seconds after which the newest entry of a production log is too old. */
  readonly maxAgeS: number;
}

/** The tiles of a log's server. */
export function tilesOf(reader: LogReader): ReadTile {
  return (tile) => bodyOf(reader, `/${formatTilePath(tile)}`);
}

/** The server's newest head, pinned. Throws as what was asked for does. */
export async function newestHead({
  files,
  head,
}: Pick<ClientParts, 'files' | 'head'>): Promise<AcceptedHead | Refusal> {
  const least = await head.size();
  const note = await bodyOf(files, '/checkpoint');
  const findings = new Findings();
  return (await head.accept(note, least, findings)) ?? refusedBy(findings);
}

/** An entry of a tree, with its inclusion checked. Throws `bad_proof`, and as its tiles do. */
export async function includedEntry(
  { files, environment }: Pick<ClientParts, 'files' | 'environment'>,
  { checkpoint: { size, root } }: AcceptedHead,
  seq: number,
): Promise<IncludedEntry> {
  const { sha256 } = environment;
  const tiles = tilesOf(files);
  const index = Math.floor(seq / TILE_WIDTH);
  const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
  const bundle = parseEntryBundle(await tiles({ level: 'entries', index, width }), width);
  const bytes = bundle[seq - index * TILE_WIDTH];
  if (bytes === undefined) throw new Fault('not_found', 'entry', { expected: `entry ${seq}` });
  const leaf = leafHash(sha256, bytes);
  verifyInclusion(sha256, leaf, seq, size, await inclusionProof(tiles, sha256, seq, size), root);
  return { bytes, leaf, entry: parseEntry(bytes) };
}

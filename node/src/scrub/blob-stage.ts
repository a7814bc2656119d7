import { type HashHex, toHashHex } from '@assay/core/hash/hash';
import type { BlobStore } from '../blob/blob-store.ts';
import type { DamageLog } from './damage-log.ts';
import type { ScrubStage, ScrubStep } from './scrub-stage.ts';

export interface BlobStageParts {
  /** The name of the stage. */
  readonly name: string;
  readonly blobs: Pick<BlobStore, 'list' | 'verify'>;
  readonly part: 'blob' | 'evidence';
  readonly damage: DamageLog;
  /** As `Damage.copy_of`. */
  readonly copyOf: string | null;
  /** Fetches undamaged bytes and stores them; throws if it cannot. Without it nothing is repaired. */
  readonly fetch?: (hash: HashHex) => Promise<unknown>;
}

/** How many bytes of small blobs make one step. */
const STEP_BYTES = 1024 * 1024;
const STEP_BLOBS = 256;
/** The digits of a hash that show the progress of a stage, because hashes are spread evenly. */
const SHARE_DIGITS = 8;

/** Hashes the blobs of a store, in the order of their names. */
export function blobStage(parts: BlobStageParts): ScrubStage {
  const { name, part, copyOf } = parts;
  return {
    name,
    steps: (place) => blobSteps(parts, place),
    recheck: { part, copyOf, check: (hash) => checkBlob(parts, toHashHex(hash)) },
  };
}

async function* blobSteps(parts: BlobStageParts, place: string): AsyncGenerator<ScrubStep> {
  let [bytes, count] = [0, 0];
  let last = place;
  for await (const hash of parts.blobs.list(place === '' ? undefined : toHashHex(place))) {
    bytes += await checkBlob(parts, hash);
    count += 1;
    last = hash;
    if (bytes < STEP_BYTES && count < STEP_BLOBS) continue;
    yield { place: last, share: shareOf(hash), bytes };
    [bytes, count] = [0, 0];
  }
  yield { place: last, share: 1, bytes };
}

/** Checks the bytes against their hash and records the result. Returns the number of bytes that were read. */
async function checkBlob(parts: BlobStageParts, hash: HashHex): Promise<number> {
  const { part, damage, copyOf, fetch } = parts;
  const found = await stateOf(parts, hash);
  if (typeof found === 'number') {
    damage.whole(part, hash, copyOf);
    return found;
  }
  if (fetch !== undefined) {
    try {
      await fetch(hash);
      const fetched = await stateOf(parts, hash);
      if (typeof fetched === 'number') {
        damage.note(part, hash, 'repaired', copyOf);
        return fetched;
      }
    } catch {
      // Whoever has it cannot be reached, or has lost it too.
    }
  }
  damage.note(part, hash, found, copyOf);
  return 0;
}

/**
 * The length of bytes that have their hash, or what is wrong with them. A file that cannot be read counts as
 * damaged.
 */
async function stateOf(
  { blobs }: BlobStageParts,
  hash: HashHex,
): Promise<number | 'damaged' | 'missing'> {
  try {
    return (await blobs.verify(hash)) ?? 'missing';
  } catch {
    return 'damaged';
  }
}

function shareOf(hash: HashHex): number {
  return Number.parseInt(hash.slice(0, SHARE_DIGITS), 16) / 16 ** SHARE_DIGITS;
}

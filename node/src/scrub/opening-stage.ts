import { type HashHex, toHashHex } from '@assay/core/hash/hash';
import type { StoredOpenings } from '../data/openings.ts';
import type { DamageLog } from './damage-log.ts';
import type { ScrubStage, ScrubStep } from './scrub-stage.ts';

export interface OpeningStageParts {
  readonly openings: Pick<StoredOpenings, 'names' | 'mend'>;
  readonly damage: DamageLog;
}

/** Openings that make one step. */
const STEP = 64;

/**
 * Checks the openings of withheld levels against their commitments. A damaged one is written again from memory.
 */
export function openingStage(parts: OpeningStageParts): ScrubStage {
  return { name: 'openings', steps: (place) => openingSteps(parts, place) };
}

async function* openingSteps(
  { openings, damage }: OpeningStageParts,
  place: string,
): AsyncGenerator<ScrubStep> {
  const names = openings.names();
  let bytes = 0;
  for (const [i, commitment] of names.entries()) {
    if (commitment <= place) continue;
    bytes += await mend(openings, damage, commitment);
    if ((i + 1) % STEP !== 0) continue;
    yield { place: commitment, share: (i + 1) / names.length, bytes };
    bytes = 0;
  }
  yield { place: names.at(-1) ?? place, share: 1, bytes };
}

async function mend(
  openings: Pick<StoredOpenings, 'mend'>,
  damage: DamageLog,
  commitment: HashHex,
): Promise<number> {
  try {
    const { bytes, isMended } = await openings.mend(toHashHex(commitment));
    if (isMended) damage.note('opening', commitment, 'repaired');
    else damage.whole('opening', commitment);
    return bytes;
  } catch {
    // The disk cannot be written. It is tried again in the next round.
    damage.note('opening', commitment);
    return 0;
  }
}

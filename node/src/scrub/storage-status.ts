import type { Damage, DamageLog } from './damage-log.ts';
import type { Scrub, ScrubStatus } from './scrub.ts';

/** The part of /status about what is stored. */
export interface StorageStatus {
  /** How many things are damaged or missing now. */
  readonly damaged: number;
  /** How often something was repaired since the start. */
  readonly repaired: number;
  /** The newest that were found, the newest last. */
  readonly found: readonly Damage[];
  /** Null if nothing is gone over because the record cannot be read. */
  readonly scrub: ScrubStatus | null;
}

/** How many things are listed one by one. */
const MOST_LISTED = 20;

export function storageStatus(
  damage: Pick<DamageLog, 'open' | 'repaired' | 'list'>,
  scrub: Pick<Scrub, 'status'> | undefined,
): StorageStatus {
  return {
    damaged: damage.open,
    repaired: damage.repaired,
    found: damage.list.slice(-MOST_LISTED),
    scrub: scrub?.status ?? null,
  };
}

import { readFile } from 'node:fs/promises';
import { array, nullable, object, oneOf, type Parse, string, time } from '@assay/core/wire/schema';
import type { TimeText } from '@assay/core/time/time';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { writeDurable } from '../platform/durable-file.ts';
import { type Damage, DAMAGE_STATES, STORED_PARTS } from './damage-log.ts';

/** What a scrub knows from one process to the next. */
export interface ScrubState {
  /** When the current round began; null between two rounds. */
  readonly began_at: TimeText | null;
  /** The name of the current stage, and the place in it. */
  readonly stage: string;
  readonly place: string;
  /** When the last round that went over everything began and ended; null before the first. */
  readonly last_began_at: TimeText | null;
  readonly last_ended_at: TimeText | null;
  /** What is damaged or missing. */
  readonly damages: readonly Damage[];
}

/** Where a scrub stores that. */
export interface ScrubMemory {
  /** Undefined if nothing is known, or what is stored cannot be read: the scrub begins anew. */
  readonly read: () => Promise<ScrubState | undefined>;
  /** Throws if it cannot be written. */
  readonly write: (state: ScrubState) => Promise<void>;
}

/** The most bytes of a place or a name. */
const MOST_TEXT = 1000;

const parseDamage = object<Damage>({
  part: oneOf(STORED_PARTS),
  name: string(0, MOST_TEXT),
  copy_of: nullable(string(0, MOST_TEXT)),
  found_at: time,
  state: oneOf(DAMAGE_STATES),
});

const parseState: Parse<ScrubState> = object<ScrubState>({
  began_at: nullable(time),
  stage: string(0, MOST_TEXT),
  place: string(0, MOST_TEXT),
  last_began_at: nullable(time),
  last_ended_at: nullable(time),
  damages: array(parseDamage, 0, 1000),
});

/**
 * Stores it in a file of canonical JSON. It is not synced: what a power failure loses of it is gone over again.
 */
export function scrubFile(path: string): ScrubMemory {
  return {
    read: async () => {
      try {
        return parseState(parseWire(new Uint8Array(await readFile(path))), 'scrub');
      } catch {
        return undefined;
      }
    },
    write: (state) => writeDurable(path, formatWire(state), { mode: 0o600, sync: false }),
  };
}

import { draftsOf } from '../../src/verifier/fixture/published.ts';
import { tickedLog } from '../../src/verifier/fixture/ticked-log.ts';
import { secondsOf } from './calendar.ts';
import type { Act } from './world.ts';

/** Entries behind genesis that a log takes of the Terminal: its score rule, its assets, and ticks without an event. */
const ENTRIES = 14;

let known: readonly Act[] | undefined;

/** A Terminal that stands beside the numbers, and has nothing to do with them. */
export function ticking(): readonly Act[] {
  if (known !== undefined) return known;
  const { entries, blobs } = tickedLog();
  known = draftsOf(entries.slice(1, 1 + ENTRIES)).map(({ at, kind, body }) => ({
    real: Math.ceil(secondsOf(at)),
    do: 'other',
    write(publisher, real) {
      for (const [hash, bytes] of blobs) publisher.blobs.set(hash, bytes);
      publisher.append(Math.max(publisher.lastAt, real), real, kind, body);
    },
  }));
  return known;
}

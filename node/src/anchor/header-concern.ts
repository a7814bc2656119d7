import { parseHeader } from '@assay/core/bitcoin/header';
import { formatTime } from '@assay/core/time/time';
import type { BeaconRow } from '@assay/core/view/beacons';
import type { Concern } from '../health/concern.ts';
import type { FollowerConcern, HeaderTip } from '../bitcoin/header-follower.ts';
import type { AnchorTiming } from './anchor-parts.ts';

/** The status of the headers that a node follows. */
export interface HeaderStatus {
  /** The newest block that the sources agree on. */
  readonly tip: HeaderTip | undefined;
  /** What the follower found wrong. */
  readonly found: readonly FollowerConcern[];
  readonly sources: number;
  /** Seconds since any source answered, or since the node began to ask. */
  readonly silentS: number;
  readonly beacon: Pick<BeaconRow, 'time'> | undefined;
  /** Whole sentences about beacons of the log that name no block of the chain. */
  readonly lost: readonly string[];
  /** The time by the node's clock. */
  readonly now: number;
}

/**
 * What is wrong with the headers, for readers. The text changes only when the problem does. If one source of
 * several fails, nothing is lost.
 */
export function headerConcerns(
  { tip, found, sources, silentS, beacon, lost, now }: HeaderStatus,
  { silentAfterS, staleAfterS }: Pick<AnchorTiming, 'silentAfterS' | 'staleAfterS'>,
): readonly Concern[] {
  const words: string[] = [];
  for (const { kind, detail } of found) {
    if (tip === undefined || kind === 'disagreement') words.push(detail);
  }
  if (silentS > silentAfterS) {
    words.push(`no source has answered for over ${durationOf(silentAfterS)}`);
  }
  const behind = new Set(found.flatMap((each) => (each.kind === 'behind' ? [each.source] : [])));
  if (sources > 0 && behind.size === sources) words.push('every source is behind what was known');
  const stale = durationOf(staleAfterS);
  const time = tip === undefined ? undefined : parseHeader(tip.header).time;
  if (time !== undefined && now - time > staleAfterS) {
    words.push(`the newest is of ${formatTime(time)}, over ${stale} ago`);
  }
  if (beacon !== undefined && now - beacon.time > staleAfterS) {
    words.push(`the newest in the log is of ${formatTime(beacon.time)}, over ${stale} ago`);
  }
  const reasons = [...words.map((each) => `Bitcoin headers: ${each}.`), ...lost];
  return reasons.map((reason) => ({ level: 'degraded', reason }));
}

function durationOf(seconds: number): string {
  const hours = Math.round(seconds / 3600);
  return hours === 1 ? 'an hour' : `${hours} hours`;
}

import type { Sha256 } from '@assay/core/hash/hash';
import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import type { OtsHashes } from '@assay/core/ots/hashes';
import type { CalendarClient } from '../bitcoin/calendar-client.ts';
import type { HeaderFollower } from '../bitcoin/header-follower.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OpenBatchStore } from './open-batch.ts';

/** What anchoring needs. */
export interface AnchorParts {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  readonly openBatch: OpenBatchStore;
  /** Undefined if nothing is stamped. */
  readonly calendars: CalendarClient | undefined;
  /** Undefined if no headers are followed. Then no height is ever recorded, and no beacon. */
  readonly headers: HeaderFollower | undefined;
  readonly network: BitcoinNetwork;
  readonly sha256: Sha256;
  readonly hashes: OtsHashes;
  readonly now: Clock;
  /** Seconds of a clock without steps, with any beginning. Pauses are measured with it. */
  readonly elapsed: Clock;
  /** Returns so many bytes that nobody can guess. */
  readonly random: (length: number) => Uint8Array;
  readonly timing: AnchorTiming;
}

/** In seconds, except `required`. */
export interface AnchorTiming {
  /** How many calendars must hold a batch before an entry records it. */
  readonly required: number;
  /** The time between two batches. */
  readonly stampEveryS: number;
  /** The time between two beacons. */
  readonly beaconEveryS: number;
  /**
   * The time after the stamp before a calendar is first asked for its proof. It is then asked less and less
   * often.
   */
  readonly upgradeAfterS: number;
  /**
   * The time after the stamp after which a silent calendar is given up, on the third day of requests since
   * then.
   */
  readonly expireAfterS: number;
  /** The time without an answer from any source of headers before that is reported. */
  readonly silentAfterS: number;
  /** The age of the newest header, and of the newest beacon's header, before that is reported. */
  readonly staleAfterS: number;
}

export const DEFAULT_TIMING: AnchorTiming = {
  required: 2,
  stampEveryS: 600,
  beaconEveryS: 3600,
  upgradeAfterS: 1800,
  expireAfterS: 30 * 86_400,
  silentAfterS: 3600,
  staleAfterS: 6 * 3600,
};

/**
 * The milliseconds between two polls: 30 seconds, or so few that a batch is begun, and tried again, about when
 * it is due.
 */
export function lookEveryMs({ stampEveryS }: AnchorTiming): number {
  return Math.max(1, Math.min(30, stampEveryS / 20)) * 1000;
}

/** The events of anchoring. */
export interface AnchorEvents {
  readonly onStamped: (batch: number, calendars: readonly string[]) => void;
  readonly onUpgraded: (batch: number, heights: readonly number[]) => void;
  readonly onBeacon: (height: number) => void;
  /** A calendar, by its address or its URI, gave no answer that can be used. */
  readonly onCalendarFailed: (calendar: string, reason: string) => void;
  /** Something failed that will be tried again; `what` is in plain English. */
  readonly onError: (what: string, reason: string) => void;
}

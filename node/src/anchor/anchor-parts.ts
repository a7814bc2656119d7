import type { Sha256 } from '@assay/core/hash/hash';
import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import type { OtsHashes } from '@assay/core/ots/hashes';
import type { CalendarClient } from '../bitcoin/calendar-client.ts';
import type { HeaderFollower } from '../bitcoin/header-follower.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OpenBatchStore } from './open-batch.ts';

/** What anchoring stands on. */
export interface AnchorParts {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  readonly openBatch: OpenBatchStore;
  /** Undefined where nothing is stamped. */
  readonly calendars: CalendarClient | undefined;
  /** Undefined where no headers are followed: then no height is ever recorded, and no beacon. */
  readonly headers: HeaderFollower | undefined;
  readonly network: BitcoinNetwork;
  readonly sha256: Sha256;
  readonly hashes: OtsHashes;
  readonly now: Clock;
  /** Seconds without steps, from any beginning: what is paced goes by it. */
  readonly elapsed: Clock;
  /** So many bytes that nobody can guess. */
  readonly random: (length: number) => Uint8Array;
  readonly timing: AnchorTiming;
}

/** In seconds, but for `required`. */
export interface AnchorTiming {
  /** Calendars that must hold a batch before an entry says so. */
  readonly required: number;
  /** Between two batches. */
  readonly stampEveryS: number;
  /** Between two beacons. */
  readonly beaconEveryS: number;
  /** After the stamp, before a calendar is asked what has come of it; then ever more rarely. */
  readonly upgradeAfterS: number;
  /** After the stamp, when a silent calendar is given up: on the third day of questions since then. */
  readonly expireAfterS: number;
  /** Without an answer by any source of headers, before that is said. */
  readonly silentAfterS: number;
  /** Age of the newest header, and of the newest beacon's, before that is said. */
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
 * Milliseconds between two looks: 30 seconds, or so little that a batch is begun, and tried again, about
 * when it is due.
 */
export function lookEveryMs({ stampEveryS }: AnchorTiming): number {
  return Math.max(1, Math.min(30, stampEveryS / 20)) * 1000;
}

/** What anchoring tells. */
export interface AnchorEvents {
  readonly onStamped: (batch: number, calendars: readonly string[]) => void;
  readonly onUpgraded: (batch: number, heights: readonly number[]) => void;
  readonly onBeacon: (height: number) => void;
  /** A calendar, by its address or its URI, did not answer, or not in a way that can be used. */
  readonly onCalendarFailed: (calendar: string, reason: string) => void;
  /** Something that is tried again; in plain words. */
  readonly onError: (what: string, reason: string) => void;
}

import type { Logger } from 'pino';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { NoteKey } from '@assay/core/log/note';
import type { Clock } from '../platform/clock.ts';
import type { AskHeads } from '../ledger/start.ts';
import type { CopyLimits } from '../mirror/log-mirror.ts';
import type { MirrorReader } from '../mirror/served-log.ts';
import type { Address, RunningService } from '../service.ts';
import type { ScrubSettings } from '../scrub/scrub.ts';
import type { AddressGuard } from '../source/address-guard.ts';
import type { Source } from '../source/source.ts';
import type { SourceHosts } from '../source/source-hosts.ts';
import type { Gathering } from '../witness/client/gathering.ts';
import type { RecounterData } from './recounter-data.ts';

/** Another log, and how it is reached. Nothing from there is trusted unchecked. */
export interface FollowedAddress {
  /** Its address, for people. */
  readonly url: string;
  readonly reader: MirrorReader;
  /** The key of its checkpoints. */
  readonly key: NoteKey;
  /** Null: the one that is found first is remembered. */
  readonly logId: HashHex | null;
}

/** The answer to a statement that was sent. */
export interface Posted {
  /** HTTP status. */
  readonly status: number;
  readonly body: Uint8Array;
}

/** Sends the bytes of a statement to the publisher. Throws if nobody answers. */
export type PostStatement = (body: Uint8Array, signal: AbortSignal) => Promise<Posted>;

export interface PublisherAddress extends FollowedAddress {
  /** Sends a JSON body to `POST /statements`. */
  readonly post: PostStatement;
  /**
   * The witnesses whose lines count, if the log's genesis requires any. Nothing is signed unless it is in a
   * checkpoint with enough of them, so nothing at all if there are fewer than it requires.
   */
  readonly witnesses: readonly NoteKey[];
}

/** Everything that a recounter needs. Everything outside of the process is passed in here. */
export interface RecounterParts extends Address {
  /** As `openRecounter` opens it. It is closed with the process, and if the start fails. */
  readonly data: RecounterData;
  /** The name of the operator, for people. */
  readonly name: string;
  readonly publisher: PublisherAddress;
  /** The other recounters of this publisher. */
  readonly peers: readonly FollowedAddress[];
  /** Whether it cosigns the publisher's checkpoints (`POST /add-checkpoint`). */
  readonly witness: boolean;
  /** Gathers the lines of its own log's witnesses. Without it, its heads are shown at once. */
  readonly witnesses?: Gathering;
  /** Asks witnesses and mirrors of its own log for their newest head; null if there are none. */
  readonly askHeads: AskHeads | null;
  /** What the copy of each log may hold. Without it, everything. */
  readonly copyLimits?: CopyLimits;
  /** Its own access to the sources. */
  readonly source: Source;
  /** The hosts that rules name but its operator has not listed. Without it, there are none. */
  readonly sourceHosts?: Pick<SourceHosts, 'waiting'>;
  /** The listed hosts that had addresses that are not public. Without it, there are none. */
  readonly sourceAddresses?: Pick<AddressGuard, 'refused'>;
  readonly now: Clock;
  /** Returns bytes that nobody can guess. */
  readonly random: (length: number) => Uint8Array;
  readonly sha256: Sha256;
  readonly log: Logger;
  readonly metrics: boolean;
  /** How everything that is stored is scrubbed. Without it, nothing is. */
  readonly scrub?: ScrubSettings;
  /** Milliseconds of real time between two polls of its own; null: it polls only when it is asked to. */
  readonly pollMs: number | null;
  /**
   * Milliseconds of real time for which one poll follows the publisher's log, and for which it asks for the
   * bytes under one report. The default is some minutes each.
   */
  readonly patience?: { readonly followMs: number; readonly keptMs: number };
  /**
   * False if the publisher's clock is simulated and may skip days, so that no index entry can be missing. The
   * default is true.
   */
  readonly everyDay?: boolean;
  /** Shown in /status; null if there is no notice. */
  readonly notice: string | null;
}

/** The result of one whole poll. */
export interface Polled {
  /** How many entries of the publisher's log it has followed. */
  readonly size: number;
  /** How many of its statements the publisher has not accepted yet, without those that it refused. */
  readonly unposted: number;
  /** Why the publisher's log could not be followed, or no longer is; undefined if it was. */
  readonly trouble: string | undefined;
}

/** A running recounter. `close` stops polls, requests and data, in that order, each once. */
export interface RunningRecounter extends RunningService {
  /** The id of its own log. */
  readonly log: HashHex;
  /** The key of its statements and prints, in hex. */
  readonly key: string;
  /** The key of its own log's checkpoints. */
  readonly checkpointVkey: string;
  /** Its key as a witness; null if it is none. */
  readonly witnessVkey: string | null;
  /**
   * Makes one whole poll, after the one under way: follows the publisher's log, reads what is due by the
   * calendar, recounts what is open, appends its statements to its own log and sends them. Never throws because
   * of others.
   */
  readonly follow: () => Promise<Polled>;
}

import type { Logger } from 'pino';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { NoteKey } from '@assay/core/log/note';
import type { Clock } from '../platform/clock.ts';
import type { AskHeads } from '../ledger/start.ts';
import type { CopyLimits, MirrorReader } from '../mirror/log-mirror.ts';
import type { Address, RunningService } from '../service.ts';
import type { ScrubSettings } from '../scrub/scrub.ts';
import type { AddressGuard } from '../source/address-guard.ts';
import type { Source } from '../source/source.ts';
import type { SourceHosts } from '../source/source-hosts.ts';
import type { Gathering } from '../witness/client/gathering.ts';
import type { RecounterData } from './recounter-data.ts';

/** Another log, and how it is reached. Nothing that comes from there is believed unchecked. */
export interface FollowedAddress {
  /** Its address, for people. */
  readonly url: string;
  readonly reader: MirrorReader;
  /** The key of its checkpoints. */
  readonly key: NoteKey;
  /** Null: the one that is found at first is kept. */
  readonly logId: HashHex | null;
}

/** The answer to a posted word. */
export interface Posted {
  /** HTTP status. */
  readonly status: number;
  readonly body: Uint8Array;
}

/** Brings the bytes of a word to the publisher. Throws where nobody answers. */
export type PostStatement = (body: Uint8Array, signal: AbortSignal) => Promise<Posted>;

export interface PublisherAddress extends FollowedAddress {
  /** `POST /statements`, JSON. */
  readonly post: PostStatement;
  /**
   * The witnesses whose lines count, where the log's genesis asks for any: nothing is signed that stands in no
   * checkpoint with enough of them, so nothing at all where they are fewer than it asks for.
   */
  readonly witnesses: readonly NoteKey[];
}

/** Everything a recounter stands on: the world comes in here and nowhere else. */
export interface RecounterParts extends Address {
  /** As `openRecounter` opens it. It is closed with the process, and where the start fails. */
  readonly data: RecounterData;
  /** Who runs it, for people. */
  readonly name: string;
  readonly publisher: PublisherAddress;
  /** Other recounters of this publisher. */
  readonly peers: readonly FollowedAddress[];
  /** Whether it cosigns the publisher's checkpoints (`POST /add-checkpoint`). */
  readonly witness: boolean;
  /** Gathers the lines of its own log's witnesses; its heads are shown at once without. */
  readonly witnesses?: Gathering;
  /** Asks witnesses and mirrors of its own log for their newest head; null where there are none. */
  readonly askHeads: AskHeads | null;
  /** What the copy of each log may hold; without, all of it. */
  readonly copyLimits?: CopyLimits;
  /** Its own way to the sources. */
  readonly source: Source;
  /** Which of the hosts that rules name its operator has not listed; none without. */
  readonly sourceHosts?: Pick<SourceHosts, 'waiting'>;
  /** Which of the listed hosts led to addresses that are not public; none without. */
  readonly sourceAddresses?: Pick<AddressGuard, 'refused'>;
  readonly now: Clock;
  /** Bytes that nobody can guess. */
  readonly random: (length: number) => Uint8Array;
  readonly sha256: Sha256;
  readonly log: Logger;
  readonly metrics: boolean;
  /** How everything that is stored is gone over; nothing is without. */
  readonly scrub?: ScrubSettings;
  /** Milliseconds of real time between two polls of its own; null: it looks only when it is told to. */
  readonly pollMs: number | null;
  /**
   * Milliseconds of real time that one poll follows the publisher's log, and that it is asked for the bytes under one
   * report; without, some minutes each.
   */
  readonly patience?: { readonly followMs: number; readonly keptMs: number };
  /** False where the publisher's clock is simulated and may pass over days: none of them owes an index entry. True without. */
  readonly everyDay?: boolean;
  /** Goes into /status; null where there is nothing to say. */
  readonly notice: string | null;
}

/** What one whole poll came to. */
export interface Polled {
  /** Entries of the publisher's log that it has followed. */
  readonly size: number;
  /** Statements that it has said and the publisher has not taken yet; those that it refused are not among them. */
  readonly unposted: number;
  /** Why the publisher's log could not be followed, or is not any more; undefined where it was. */
  readonly trouble: string | undefined;
}

/** A recounter at work. `close` stops polls, requests and data, in that order, each once. */
export interface RunningRecounter extends RunningService {
  /** Its own log: what it publishes of itself. */
  readonly log: HashHex;
  /** The key of its words and prints, hex. */
  readonly key: string;
  /** Of its own log's checkpoints. */
  readonly checkpointVkey: string;
  /** As a witness; null where it is none. */
  readonly witnessVkey: string | null;
  /**
   * One whole poll, after the one under way: follows the publisher's log, reads what the calendar has due,
   * recounts what is open, appends its words to its own log and posts them. Never throws for what others do.
   */
  readonly follow: () => Promise<Polled>;
}

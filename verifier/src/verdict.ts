import type { Finding } from './finding.ts';
import { printable } from './printable.ts';
import type { Pin } from './policy.ts';

/** What the trust in the log's key rests on. */
export type Trust = 'policy' | 'pinned' | 'first_use';

/** What was looked at, by count. */
export interface Checked {
  readonly entries: number;
  readonly tiles: number;
  readonly rules: number;
  readonly reports: number;
  readonly signatures: number;
  /** Reads whose rule was run again on the kept bytes. */
  readonly reads_reexecuted: number;
  readonly revisions: number;
  /** Closes drafted again from the rows before them. */
  readonly closes: number;
  /** Issues of batches, beacons, and timestamps followed to their blocks. */
  readonly anchors: number;
  readonly beacons: number;
  readonly proofs: number;
  readonly blobs: number;
  readonly api_answers: number;
  readonly view_rows: number;
}

/** Something that this verification did not look at, and why. Never a failure, never silent. */
export interface NotChecked {
  readonly what: string;
  readonly why: string;
}

/** The log as it was found. */
export interface LogFacts {
  readonly origin: string;
  readonly network: 'development' | 'production';
  readonly log_id: string;
  readonly checkpoint_vkey: string;
  readonly report_key: string;
  readonly size: number;
  readonly root: string;
}

/** The one number that a bundle is about. */
export interface NumberFacts {
  readonly ticker: string;
  readonly period: string;
  readonly status: string;
  /** Why it is not a plain final; null for a final. */
  readonly reason: string | null;
  readonly value: string | null;
  readonly unit: string;
  readonly settleable: boolean;
  readonly report_hash: string;
  readonly rule_hash: string;
  readonly published_at: string;
}

/**
 * What vouches for a block. `headers`: it is in a chain of headers checked from a known block on, or in
 * the verifier's own node. `work`: it and what is on top of it took work that the shipped table prices.
 * `explorer`: somebody says so. `none`: it has some work, and nothing says that it is Bitcoin's.
 */
export type BitcoinTrust = 'headers' | 'work' | 'explorer' | 'none';

export interface BlockFacts {
  readonly height: number;
  /** Block id as explorers show it. */
  readonly block: string;
  /** What its miner put as its time. */
  readonly time: string;
  /** How many headers from it on the log keeps, and the hashes that they took, decimal. */
  readonly headers: number;
  readonly work: string;
  readonly trust: BitcoinTrust;
  /** Why headers that were given do not vouch for it though they have it; null where there is no such reason. */
  readonly doubt: string | null;
}

/** A batch of stamps that no block holds yet. */
export interface PendingBatch {
  readonly batch: number;
  readonly from: number;
  readonly to: number;
  readonly since: string;
  /** The calendars that have promised one, as their attestations name them. */
  readonly calendars: readonly string[];
}

/** The two blocks between which an entry was written. */
export interface Window {
  readonly seq: number;
  readonly kind: string;
  /** It was written after this block: the newest that the log named before it. */
  readonly after: BlockFacts | null;
  /** It was written before this block, which holds a stamp over it. */
  readonly before: BlockFacts | null;
  /** Why there is no block before which it was written. */
  readonly pending: string | null;
}

/** What of a log stands in Bitcoin. On a development log the blocks are worth nothing. */
export interface BitcoinFacts {
  readonly network: 'bitcoin' | 'development';
  /** Of `anchored`; `none` where nothing is. */
  readonly trust: BitcoinTrust;
  /** The headers that were given, and their newest; null where there were none of this network. */
  readonly source: {
    readonly description: string;
    readonly height: number;
    readonly time: string;
    /**
     * What the headers after the shipped table are `worth`, in headers of its end, and how many they are;
     * null where they were not all seen.
     */
    readonly work: { readonly worth: number; readonly of: number } | null;
  } | null;
  /** The largest size of the log that a block holds, at the best trust there is. */
  readonly anchored: (BlockFacts & { readonly size: number }) | null;
  readonly newest_beacon: (BlockFacts & { readonly seq: number }) | null;
  /** The newest batches without a block, and how many there are. */
  readonly pending: readonly PendingBatch[];
  readonly pending_count: number;
  /**
   * The entries `from` to `to` - 1, the newest of the log, that no batch of stamps covers; null where there are
   * none. `late`: one of them that stamps are made for came over two hours after the newest batch.
   */
  readonly uncovered: { readonly from: number; readonly to: number; readonly late: boolean } | null;
  readonly windows: readonly Window[];
}

interface Common {
  readonly subject: 'log' | 'folder' | 'bundle';
  readonly checked: Checked;
  readonly not_checked: readonly NotChecked[];
}

/**
 * The one answer. There is no default: only `outcome: 'verified'` says yes, and it carries the facts
 * it says yes to.
 */
export type Verdict =
  | (Common & {
      readonly outcome: 'verified';
      readonly trust: Trust;
      readonly log: LogFacts;
      readonly bitcoin: BitcoinFacts | null;
      readonly number: NumberFacts | null;
      /** What the next visit should know; null for a bundle, which shows no whole log. */
      readonly pin: Pin | null;
    })
  | (Common & {
      readonly outcome: 'findings';
      readonly trust: Trust | null;
      readonly log: LogFacts | null;
      readonly bitcoin: BitcoinFacts | null;
      readonly findings: readonly Finding[];
      /** Findings in all; the list is cut at 1,000. */
      readonly findings_count: number;
    })
  | (Common & {
      /** It could not be carried out: nothing is said about the log, not even what was seen so far. */
      readonly outcome: 'incomplete';
      readonly reason: string;
      readonly findings: readonly Finding[];
    });

/** Whether a verdict says yes. */
export function isVerified(verdict: Verdict): boolean {
  return verdict.outcome === 'verified';
}

/** Counts while a verification runs. */
export type Tally = { -readonly [K in keyof Checked]: number };

export function emptyTally(): Tally {
  return {
    entries: 0,
    tiles: 0,
    rules: 0,
    reports: 0,
    signatures: 0,
    reads_reexecuted: 0,
    revisions: 0,
    closes: 0,
    anchors: 0,
    beacons: 0,
    proofs: 0,
    blobs: 0,
    api_answers: 0,
    view_rows: 0,
  };
}

/** Kinds of things that a verdict lists as not checked. */
const MAX_KINDS = 1000;

/** What was left out, each kind once with its count. */
export class NotCheckedList {
  readonly #items = new Map<string, { why: string; count: number }>();
  #others = 0;

  add(what: string, why: string): void {
    const item = this.#items.get(what);
    if (item !== undefined) item.count += 1;
    else if (this.#items.size < MAX_KINDS) this.#items.set(what, { why, count: 1 });
    else this.#others += 1;
  }

  get list(): readonly NotChecked[] {
    const listed = [...this.#items].map(([what, { why, count }]) => ({
      what: printable(count === 1 ? what : `${what} (${count} times)`),
      why: printable(why),
    }));
    if (this.#others === 0) return listed;
    return [...listed, { what: `${this.#others} other things`, why: 'too many kinds to list' }];
  }
}

import type { HashHex } from '@assay/core/hash/hash';
import type { TimeText } from '@assay/core/time/time';
import type { Finding } from './finding.ts';
import { printable } from './printable.ts';
import type { Pin } from './policy.ts';
import type { Remedy } from './remedy.ts';
import {
  MAX_NAMES,
  MAX_RESERVATIONS,
  noReservations,
  RESERVATION_CLASSES,
  type ReservationClass,
  type ReservationCount,
  type ReservationCounts,
} from './reservation.ts';
import type { VERDICT_TYPE } from './version.ts';

/** A witness of the policy that has cosigned a checkpoint. */
export interface Witnessed {
  readonly operator: string;
  /** The name in its key. */
  readonly name: string;
  /** When it signed, by its own clock. */
  readonly time: TimeText;
}

/** Who has seen a checkpoint: operators that the policy lists, each once. */
export interface WitnessFacts {
  /** Operators that the policy asks for. */
  readonly required: number;
  /** Lines that count, the newest of each operator. */
  readonly witnesses: readonly Witnessed[];
}

/** What a co-signer states in its own log. */
export interface StatementFacts {
  /** Its key, hex. */
  readonly cosigner: string;
  /** Ids of the logs that it has statements on, in the order of the first on each. */
  readonly logs: readonly HashHex[];
  readonly agreements: number;
  readonly dissents: number;
  readonly abstentions: number;
  /** The time that its newest entry with a statement claims. */
  readonly newest: TimeText;
}

/** What the trust in the log's key rests on. */
export type Trust = 'policy' | 'pinned' | 'first_use';

/** What was checked, by count. */
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
  /** Index entries whose lists were made again from the rows before them. */
  readonly indexes: number;
  /** Issues of batches, beacons, and timestamps followed to their blocks. */
  readonly anchors: number;
  readonly beacons: number;
  readonly proofs: number;
  /** Co-signers' agreements and dissents in the log. */
  readonly cosignatures: number;
  readonly dissents: number;
  /** Statements in a co-signer's log. */
  readonly statements: number;
  /** Of the Terminal: ticks, opened events and their outcomes, and studies made again. */
  readonly ticks: number;
  readonly events: number;
  readonly receipts: number;
  readonly benchmarks: number;
  readonly studies: number;
  /** Of the Referee: questions, the answers to them, and outcomes. */
  readonly questions: number;
  readonly answers: number;
  readonly outcomes: number;
  /** Of the Arena: rounds, forecasts, sealed forecasts that were opened, and the results of handles. */
  readonly rounds: number;
  readonly forecasts: number;
  readonly openings: number;
  readonly grades: number;
  /** Entries about the chain, and the accounts that were compared with the log. */
  readonly prints: number;
  readonly accounts: number;
  readonly blobs: number;
  readonly api_answers: number;
  readonly view_rows: number;
}

/** A reservation beside a positive verdict, and its reason. Never a failure, never silent. */
export interface NotChecked {
  readonly class: ReservationClass;
  readonly what: string;
  readonly why: string;
  /** What can be done about it. */
  readonly remedy: Remedy;
}

/** What the caller demanded: the part of the policy, and of the options, that a verdict depends on. */
export interface Demands {
  /** Whether the policy names the key or the id of the log. */
  readonly key: boolean;
  readonly strict: boolean;
  /** Operators of witnesses and of co-signers that the policy requires. */
  readonly witnesses: number;
  readonly cosigners: number;
  /** Whether nothing that is due may be missing. */
  readonly complete: boolean;
  /** The number that was asked for; null for each of the two that was not named. */
  readonly index: string | null;
  readonly period: string | null;
  /** Whether headers of Bitcoin, and accounts of the chain, were given. */
  readonly headers: boolean;
  readonly accounts: boolean;
}

/** The log as it was found. */
export interface LogFacts {
  readonly origin: string;
  readonly network: 'development' | 'production';
  readonly log_id: string;
  /** The checkpoint key in force for the head, its number in the log, and the entry that brought it, 0 for genesis. */
  readonly checkpoint_vkey: string;
  readonly checkpoint_key: number;
  readonly checkpoint_since: number;
  /** The report key in force at the end, hex. */
  readonly report_key: string;
  readonly size: number;
  readonly root: string;
}

/** The state of a number's recount by the co-signers of the set that its report names, each key once. */
export interface QuorumFacts {
  /** How many a settlement needs; 0 where the log asked for none. */
  readonly required: number;
  readonly have: number;
  /** Who agreed, from their own reads, in the order of the log. */
  readonly cosigners: readonly { readonly name: string; readonly key: string }[];
  /** How many of the set stated that they counted another number. */
  readonly dissents: number;
}

/** Where the print of a number is on chain, according to an RPC node. */
export interface AccountFacts {
  /** CAIP-2 id of the chain. */
  readonly chain: string;
  /** Addresses, base58. */
  readonly program: string;
  readonly feed: string;
  readonly page: string;
  /** The slot at which the print was written, as the page says, decimal. */
  readonly written: string;
  /** The slot at which the node read the page. */
  readonly slot: number;
  /** Keys that the page shows as co-signed, hex, in the order of the feed's set. */
  readonly cosigners: readonly string[];
  /** How many of the set it shows as dissenting from this print. */
  readonly dissents: number;
  /** Whether anybody dissented from a print of the period, this one or one that it replaced. */
  readonly dissent: boolean;
}

/**
 * What an index entry shows of a number's period: every print of it that the log had by then, so that there was no
 * other final or void. Only a verification of the whole log makes sure that the entry lists everything that the log
 * had.
 */
export interface IndexFacts {
  /** The UTC day that it ends, its entry, and the time that the entry claims. */
  readonly day: string;
  readonly seq: number;
  readonly at: string;
  /** Prints of all indexes in it. */
  readonly prints: number;
  /** Rule versions of all indexes in it. Where there is only one, it is the number's own. */
  readonly rules: number;
  /** Of this period, this number's own included. */
  readonly provisional: number;
  readonly settled: 'final' | 'void' | null;
  readonly corrected: number;
  /** Whether it has a later print of this period than this one. */
  readonly followed: boolean;
}

/** The number that a bundle is about, or that a whole log was asked for. */
export interface NumberFacts {
  readonly ticker: string;
  readonly period: string;
  readonly status: string;
  /** Why it is not a plain final; null for a final. */
  readonly reason: string | null;
  readonly value: string | null;
  readonly unit: string;
  /** Whether its rule lets a contract settle on it: of a final alone. */
  readonly settleable: boolean;
  /**
   * How many versions of its rule the log had; the number's own version governs its period. Null where a bundle does
   * not show them, so that another version may govern.
   */
  readonly versions: number | null;
  /**
   * What shows that the version of the number governs its period. `log`: the whole log, and the order of its times.
   * `index`: all versions that the index entry of a bundle lists, each recorded at the time that its entry claims; a
   * bundle cannot show whether one was dated back. `not_shown`: nothing, and `versions` is null.
   */
  readonly governs: 'log' | 'index' | 'not_shown';
  /**
   * What shows that no other number of its period was printed before it. `log`: the whole log. `index`: the index entry
   * of a bundle lists no earlier print, if its publisher wrote that entry truly. `not_shown`: the bundle has no index
   * entry, or its report supersedes one that the bundle does not have.
   */
  readonly first_print: 'log' | 'index' | 'not_shown';
  /**
   * When the clocks of its period start: `scheduled` at the release, `from_publication` at a late publication that a
   * quorum of co-signers saw. `not_shown` where its rule allows both and a bundle lacks the entries that decide it.
   */
  readonly clocks: 'scheduled' | 'from_publication' | 'not_shown';
  /**
   * Whether it is settleable and has the co-signatures that its log asks for. Read it together with what `governs` and
   * `first_print` do not show. Where `quorum.required` is 0, the log asks for none as far as the bundle shows, and only
   * the publisher states the number.
   */
  readonly settled: boolean;
  /**
   * Whose recount `settled` rests on. `policy`: the operators whom the policy lists and requires. `log`: co-signers
   * whom the publisher chose, all of whose sets the whole log shows. `bundle`: a set that the bundle names; only the
   * whole log shows that no other set replaced it before the report. `publisher`: nobody's.
   */
  readonly rests_on: 'policy' | 'log' | 'bundle' | 'publisher';
  /** The operators that the policy requires, and those who agreed. */
  readonly policy: { readonly required: number; readonly operators: readonly string[] };
  readonly report_hash: string;
  readonly rule_hash: string;
  readonly published_at: string;
  readonly quorum: QuorumFacts;
  /** Null where the bundle has no account bytes. */
  readonly account: AccountFacts | null;
  /**
   * Null where the bundle has no index proof, so that there may be another final or void. Null for a whole log, which
   * has no other.
   */
  readonly index: IndexFacts | null;
  /** Corrections of it. Null where only an index proof could count them (`index.corrected`). */
  readonly corrections: number | null;
}

/**
 * What vouches for a block. `headers`: it is in a chain of headers checked from a known block on, or in the verifier's
 * own node. `work`: the work on it and on top of it, priced by the shipped table. `explorer`: an explorer says so.
 * `none`: it has some work, and nothing shows that it is in Bitcoin.
 */
export type BitcoinTrust = 'headers' | 'work' | 'explorer' | 'none';

export interface BlockFacts {
  readonly height: number;
  /** Block id as explorers show it. */
  readonly block: string;
  /** The time that its miner gave. */
  readonly time: string;
  /** How many headers from it on the log keeps, and the number of hashes they took, decimal. */
  readonly headers: number;
  readonly work: string;
  readonly trust: BitcoinTrust;
  /** Why given headers that contain it do not vouch for it; null where there is no such reason. */
  readonly doubt: string | null;
}

/** A batch of stamps that no block holds yet. */
export interface PendingBatch {
  readonly batch: number;
  readonly from: number;
  readonly to: number;
  readonly since: string;
  /** The calendars that promised one, as their attestations name them. */
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

/** What Bitcoin shows of a log. On a development log the blocks are worth nothing. */
export interface BitcoinFacts {
  readonly network: 'bitcoin' | 'development';
  /** Of `anchored`; `none` where nothing is anchored. */
  readonly trust: BitcoinTrust;
  /** The headers that were given, and their newest; null where there were none for this network. */
  readonly source: {
    readonly description: string;
    readonly height: number;
    readonly time: string;
    /**
     * What the headers after the shipped table are `worth`, counted in headers at its end, and how many they are; null
     * where not all were seen.
     */
    readonly work: { readonly worth: number; readonly of: number } | null;
  } | null;
  /** The largest size of the log that a block holds, at the best available trust. */
  readonly anchored: (BlockFacts & { readonly size: number }) | null;
  readonly newest_beacon: (BlockFacts & { readonly seq: number }) | null;
  /** The newest batches without a block, and how many there are. */
  readonly pending: readonly PendingBatch[];
  readonly pending_count: number;
  /**
   * The entries `from` to `to` - 1, the newest of the log, that no batch of stamps covers; null where there are none.
   * `late`: one of them that needs a stamp came over two hours after the newest batch.
   */
  readonly uncovered: { readonly from: number; readonly to: number; readonly late: boolean } | null;
  readonly windows: readonly Window[];
}

/**
 * What is on the chain that the log names, by the accounts that were given. They rest on `source`: this proves only
 * that the log and the source agree.
 */
export interface OnchainFacts {
  /** CAIP-2 id. */
  readonly chain: string;
  /** The program that owns the accounts, base58. */
  readonly program: string;
  /** Who gave the accounts. */
  readonly source: string;
  /** A finalized slot from before the log was read. What came later may not be in the log. */
  readonly slot: number;
  /** Indexes that have a feed there, and the prints and versions of Closes in them. */
  readonly feeds: number;
  readonly prints: number;
  readonly closes: number;
  /** Prints and Closes that belong on chain, have their co-signatures, and are not there. */
  readonly behind: {
    readonly count: number;
    /** The oldest of them by its place in the log; null where there is none. */
    readonly oldest: {
      readonly of: 'print' | 'close';
      readonly ticker: string;
      readonly period: string;
      readonly seq: number;
    } | null;
  };
  /** Things on chain that are newer than the log that was read. */
  readonly newer: number;
  /**
   * Prints and Closes that the log says are on chain and that were not looked up: they are at later slots than the
   * accounts, or in accounts that were not given.
   */
  readonly unseen: number;
}

/**
 * Events by the time of the block that holds their opening: at most an hour after it, later, or in no block that is
 * vouched for. A later one may have been written with its outcome known. The miner's clock may be two hours off.
 */
export interface OpeningFacts {
  readonly within_hour: number;
  readonly later: number;
  readonly unproven: number;
}

/** The ticks of a class of assets. */
export interface TerminalFacts {
  readonly class: 'crypto' | 'stock';
  /** The rule of the newest tick, and how many versions the ticks have named. */
  readonly rule: { readonly version: number; readonly hash: string; readonly versions: number };
  /** The fewest sources that a good tick has needed. One source means a replay of recorded prices. */
  readonly sources: number;
  readonly ticks: number;
  /** The first and the newest. */
  readonly from: string;
  readonly to: string;
  /** Times of the grid between them without a tick. */
  readonly missed: number;
  /** Ticks whose entries claim to be written over a quarter of an hour after their time. */
  readonly late: number;
  /** Receipts that are void because their asset was delisted. */
  readonly delisted: number;
  /** What Bitcoin shows about when events were called. */
  readonly openings: OpeningFacts;
  /**
   * Vendor values are behind commitments. Events and receipts follow from the scores; what the scores follow from is
   * not shown here.
   */
  readonly scores: 'committed';
}

/** Why a verification said nothing about a log. */
export type IncompleteCause =
  | 'no_log' // the address or the folder has no checkpoint of a log
  | 'not_a_bundle' // the file is no bundle, or no longer one
  | 'reformatted' // the file has the content of a bundle in other bytes
  | 'interrupted'; // anything else: a server that does not answer, a limit, a deadline

interface Common {
  readonly type: typeof VERDICT_TYPE;
  /** The version of the verifier. */
  readonly verifier: string;
  readonly demands: Demands;
  readonly subject: 'log' | 'folder' | 'bundle';
  readonly checked: Checked;
  readonly not_checked: readonly NotChecked[];
  /**
   * The part of `not_checked` that a settlement rests on, as exact counts; of a whole log, and 0 where there are
   * findings.
   */
  readonly reservations: ReservationCounts;
}

/**
 * The one answer. There is no default: only `outcome: 'verified'` says yes, and it holds the facts that it confirms.
 */
export type Verdict =
  | (Common & {
      readonly outcome: 'verified';
      readonly trust: Trust;
      /** Whether somebody named the key: the policy, or that of the earlier visit which left the pin. */
      readonly key_vouched: boolean;
      readonly log: LogFacts;
      readonly bitcoin: BitcoinFacts | null;
      /** Null where no accounts were given, and for a log that names no chain. */
      readonly onchain: OnchainFacts | null;
      /** Null for a whole log where no number was asked for. */
      readonly number: NumberFacts | null;
      readonly witnesses: WitnessFacts;
      /** What a co-signer states in this log; null in any other log. */
      readonly words: StatementFacts | null;
      /** Classes that the log has ticks of. */
      readonly terminal: readonly TerminalFacts[];
      /** What the next visit needs; null for a bundle, which does not show a whole log. */
      readonly pin: Pin | null;
    })
  | (Common & {
      readonly outcome: 'findings';
      readonly trust: Trust | null;
      readonly key_vouched: boolean;
      readonly log: LogFacts | null;
      readonly bitcoin: BitcoinFacts | null;
      readonly onchain: OnchainFacts | null;
      readonly witnesses: WitnessFacts | null;
      readonly words: StatementFacts | null;
      readonly terminal: readonly TerminalFacts[];
      readonly findings: readonly Finding[];
      /** Findings in all. The list has at most 1,000 each of unmet demands and of all others. */
      readonly findings_count: number;
    })
  | (Common & {
      /** It could not be carried out. Nothing is said about the log, not even what was seen so far. */
      readonly outcome: 'incomplete';
      readonly cause: IncompleteCause;
      readonly reason: string;
      readonly findings: readonly Finding[];
    });

/** Whether a verdict says yes. */
export function isVerified(verdict: Verdict): boolean {
  return verdict.outcome === 'verified';
}

/** The counts of a running verification. */
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
    indexes: 0,
    anchors: 0,
    beacons: 0,
    proofs: 0,
    cosignatures: 0,
    dissents: 0,
    statements: 0,
    ticks: 0,
    events: 0,
    receipts: 0,
    benchmarks: 0,
    studies: 0,
    questions: 0,
    answers: 0,
    outcomes: 0,
    rounds: 0,
    forecasts: 0,
    openings: 0,
    grades: 0,
    prints: 0,
    accounts: 0,
    blobs: 0,
    api_answers: 0,
    view_rows: 0,
  };
}

interface Kept {
  readonly what: string;
  readonly why: string;
  readonly remedy: Remedy;
  /** The first of the names that the line is about. */
  readonly names: string[];
  /** Whether there are further names. */
  others: boolean;
  count: number;
}

interface KeptClass {
  readonly items: Map<string, Kept>;
  over: number;
}

/** What a `NotCheckedList` holds. */
export interface KeptReservations {
  readonly classes: ReadonlyMap<ReservationClass, KeptClass>;
  readonly counts: ReservationCounts;
}

/** What was left out, by class. Each pair of what and why is kept once, with its count. */
export class NotCheckedList {
  readonly #classes = new Map<ReservationClass, KeptClass>();
  readonly #counts = noReservations();

  get kept(): KeptReservations {
    return { classes: this.#classes, counts: this.#counts };
  }

  /** Has what the kept one has, instead of what it had. */
  resume({ classes, counts }: KeptReservations): void {
    this.#classes.clear();
    for (const [cls, kept] of classes) this.#classes.set(cls, kept);
    Object.assign(this.#counts, counts);
  }

  /** Adds to the counts of a verdict's first line. */
  count(what: ReservationCount, n: number): void {
    this.#counts[what] += n;
  }

  get counts(): ReservationCounts {
    return { ...this.#counts };
  }

  /**
   * Adds to a class. Where a publisher can make many of something, such as providers, its name comes as `of`: all of
   * them share one line, which lists the first few and has the exact count.
   */
  add(cls: ReservationClass, what: string, why: string, remedy: Remedy, of?: string): void {
    const kept = this.#classes.get(cls) ?? { items: new Map<string, Kept>(), over: 0 };
    this.#classes.set(cls, kept);
    const key = `${what}\0${why}`;
    const item = kept.items.get(key) ?? { what, why, remedy, names: [], others: false, count: 0 };
    if (item.count === 0) {
      if (kept.items.size >= MAX_RESERVATIONS[cls]) {
        kept.over += 1;
        return;
      }
      kept.items.set(key, item);
    }
    item.count += 1;
    if (of === undefined || item.names.includes(of)) return;
    if (item.names.length < MAX_NAMES) item.names.push(of);
    else item.others = true;
  }

  /**
   * Class by class, in the fixed order. Within a class they come as they were added, and the last line counts those
   * over its cap.
   */
  get list(): readonly NotChecked[] {
    return RESERVATION_CLASSES.flatMap((cls) => {
      const { items, over } = this.#classes.get(cls) ?? { items: new Map<string, Kept>(), over: 0 };
      const listed = [...items.values()].map((kept) => ({
        class: cls,
        what: printable(textOf(kept)),
        why: printable(kept.why),
        remedy: kept.remedy,
      }));
      if (over === 0) return listed;
      const what = `${over} other things of this class`;
      return [...listed, { class: cls, what, why: 'too many kinds to list', remedy: 'limits' }];
    });
  }
}

function textOf({ what, names, others, count }: Kept): string {
  const of = names.length === 0 ? '' : ` of ${names.join(', ')}${others ? ' and others' : ''}`;
  return `${what}${of}${count === 1 ? '' : ` (${count} times)`}`;
}

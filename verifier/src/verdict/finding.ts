import { NO_LIMIT, type WorkBudget } from '@assay/core/work-budget';
import { excerpt } from './printable.ts';

/**
 * What a verifier can find wrong. A code keeps its meaning for good; each finding says where, what
 * was expected and what was found.
 */
export const FINDING_CODES = [
  'checkpoint_missing', // a server or an export that gives no checkpoint
  'checkpoint_malformed', // the signed note or its three lines break their format
  'checkpoint_unsigned', // no signature of the log's key
  'checkpoint_bad_signature', // a signature line of the log's key that does not verify
  'checkpoint_unlisted_signature', // strict mode: a line that the policy does not list
  'checkpoint_origin', // another log's checkpoint
  'key_not_trusted', // the log's key is not the one that the policy or the pin names
  'log_id_differs', // entry 0 is not the one that the policy or the pin names
  'history_changed', // the log no longer holds the tree of a checkpoint seen before
  'log_shrunk', // the log is smaller than a checkpoint seen before
  'entry_missing', // an entry that the checkpoint covers is not there
  'entry_malformed', // an entry that is not canonical, or whose body does not fit its kind
  'entry_out_of_order', // a seq that is not the next one
  'chain_broken', // a prev that is not the leaf hash of the entry before
  'time_decreases', // an entry that claims to be older than the one before
  'genesis_misplaced', // genesis missing at 0, or found elsewhere
  'genesis_differs', // genesis names another origin or key than the checkpoint
  'not_understood', // a kind, or a status, that this version does not know
  'root_differs', // the entries do not have the checkpoint's root
  'tile_differs', // a hash tile that does not follow from the entries
  'tile_missing', // a tile that the checkpoint covers is not there
  'bundle_differs', // an entry bundle of another length or width
  'rule_not_allowed', // a rule out of its order, its network, or reaching back over printed periods
  'rule_mismatch', // a report under another rule than the one for its period
  'report_log', // a report made for another log
  'report_period', // a report for a date that is no period of its index
  'report_bad_signature', // a print message that the log's report key of its time did not sign
  'report_times', // read, published and recorded in an impossible order
  'report_not_reproduced', // drafting again from the reads gives another report
  'report_not_due', // a report where the rule says to wait, or after the round was over
  'read_differs', // re-executing the rule on the kept bytes gives another outcome
  'text_differs', // taking the text from the kept pages again gives another
  'read_unlisted', // reads of other providers than the rule's, or in another order
  'read_unfounded', // a value without a snapshot
  'request_differs', // a snapshot of another request than the rule's
  'snapshot_malformed', // a manifest that is not canonical or does not fit its schema
  'blob_missing', // bytes that the log says are kept are not there
  'blob_differs', // bytes that do not have their hash
  'revision_not_reproduced', // the kept bytes give other revisions
  'close_bad_signature', // a Close that the log's report key of its time did not sign
  'close_not_due', // a Close of another day than the one before it, or one too many of a day
  'close_not_reproduced', // a Close that the rows before it do not make
  'index_not_due', // an index entry of a day that is not over, or not after the day of the one before
  'index_differs', // an index entry with other counts or roots than the entries before it make, or than the keys and rule of its bundle
  'index_proof_invalid', // a proof that does not lead to its index entry, or that lacks what it is to show
  'index_contradicts', // an index entry that shows another print where a number's own is to be the only one, or before it than it supersedes
  'revision_missing', // kept bytes of a report show figures that the log does not record
  'api_differs', // an answer that is not the fold of the log at the size it names
  'api_missing', // an answer that the fold has and the API does not give
  'api_no_size', // an answer without the size that it stands for
  'api_behind', // an answer for a smaller log than the checkpoint given before it
  'view_differs', // a stored view row that is not the fold of the log
  'view_missing', // a view row of the fold that is not stored
  'view_unknown', // a stored view row that the fold does not have
  'row_unknown', // a database row of no known part
  'head_differs', // the database's head is not what its entries make
  'guard_missing', // no head guard beside the database
  'guard_differs', // the head guard holds a head that the database does not continue
  'bundle_malformed', // a bundle that is not canonical or does not fit its schema
  'bundle_incomplete', // a bundle without an entry or a blob that it needs
  'bundle_other', // a bundle of another index or period than was asked for
  'proof_invalid', // an inclusion proof that does not lead to the checkpoint's root
  'print_differs', // a print message that is not the report's
  'beacon_invalid', // a beacon without its work, of another network, or far below one before it
  'time_refuted', // a time that the log claims and a block of Bitcoin contradicts
  'anchor_not_reproduced', // a batch of stamps that the rows before it do not make
  'anchor_proof_invalid', // a timestamp that does not lead where its anchor or its bundle says
  'header_invalid', // a block's headers without their work, their links or their network's bits
  'header_differs', // a block that the chain of headers given does not have at its height
  'proof_differs', // a served .ots file that is not the path and the timestamp of the log
  'cosigners_not_allowed', // a set of co-signers out of its order, below the policy, or with a key that is none
  'key_not_allowed', // a report key out of its order, that nobody promised, or that stands elsewhere
  'key_bad_signature', // a report key that the one before, the one that comes or the recovery key did not sign
  'statement_differs', // a co-signer's word that is not about a report of this log as it stands there
  'statement_bad_signature', // a word, a co-signature or a dissent that its co-signer did not sign
  'cosigner_contradicts', // a co-signer with two words on one report, or two prints in one place
  'feed_entry_wrong', // an entry that says of the chain what cannot be, or what the accounts do not hold
  'feed_differs', // an account on chain with other facts than the log's, or that its program does not write
  'feed_unknown', // a feed on chain under the log's genesis key that the log has no rule for, or of another log
  'feed_print_unknown', // a print or a Close on chain that the log does not have
  'feed_print_missing', // a print or a Close that the log says is on chain, and that is not there
  'feed_signature_unlogged', // a co-signature or a dissent on chain that the log does not have
  'time_ahead', // an entry of a production log that claims to be over two hours ahead of the verifier's clock
  'witnesses_missing', // a checkpoint without the cosignatures of as many operators as the policy requires
  'witness_bad_line', // a line of a witness that the policy lists, which it did not sign, or of a time to come
  'quorum_below_policy', // a number with which fewer of the policy's co-signers agreed than it requires
  'log_incomplete', // what is due and missing under a policy that asks for all of it, or a subject that cannot show it
  'number_unsettled', // the number that was asked for is not in the log, or nothing settles on it
  'kinds_mixed', // a log that holds reports and words on reports, or such words and a change of key
  'score_rule_not_allowed', // a score rule out of its order, or with other receipts than the one before
  'asset_not_allowed', // an asset with another class or other decimals than at first, or listed again too soon
  'split_not_allowed', // a split of no asset of the log, of a time that has had its tick, or beside another
  'tick_rule', // a tick under another score rule than the newest that the log has for its class
  'tick_not_due', // a tick off its grid, not after the one before, or ahead of its own entry
  'tick_malformed', // a tick's blob that is no list of leaves
  'tick_differs', // a tick's leaves with another size, root or time than it says, or of an asset that is not listed
  'due_late', // an entry that a tick makes due and that says it was written at another time than its tick
  'score_unfounded', // a score that the leaves of the ticks before it do not allow
  'value_contradicts', // a return, a price's commitment or a breadth that an entry before says otherwise
  'event_missing', // an event, or its close, that a tick makes due and that does not follow it
  'event_differs', // an event, or its close, that says something else than the ticks make it
  'event_not_due', // an event, or its close, that no tick right before it makes due, or out of its order
  'receipt_missing', // a receipt that a tick makes due and that does not follow it
  'receipt_differs', // a receipt that says something else than the ticks make it
  'receipt_not_due', // a receipt that no tick right before it makes due, or out of its order
  'benchmark_missing', // what a receipt is held against, due at a tick and not behind it
  'benchmark_differs', // a benchmark over other ticks than a receipt's
  'benchmark_not_due', // a benchmark that no tick right before it makes due, or out of its order
  'study_malformed', // a study's blob that breaks its format
  'study_not_due', // a study of another range than the log gives it, or once more
  'study_differs', // a study that the events and the leaves of its range do not make
  'statement_contradicts', // a co-signer's own log with two words on one report, or two prints in one place
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

export interface Finding {
  readonly code: FindingCode;
  /** The place, such as `entry 17` or `/indices/LAYOFFS`. */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

/** What the auditor demands and a log does not give. These come first in a verdict, and have a room of their own. */
const DEMANDS: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'number_unsettled',
  'bundle_other',
  'witnesses_missing',
  'quorum_below_policy',
  'log_incomplete',
]);

/** Whether a finding is of a demand of the policy or of the caller, and not of the log by itself. */
export function isDemand({ code }: Pick<Finding, 'code'>): boolean {
  return DEMANDS.has(code);
}

/** Characters of one part of a finding. */
const MAX_WORDS = 300;

/**
 * Findings that a verdict lists, as many again of bytes that are not there, and as many again of the demands that were
 * not met.
 */
export const MAX_FINDINGS = 1000;

/**
 * Takes findings as they come. A flood is cut: the first ones tell, and the count is kept. Those of demands are kept apart, so
 * that no other finding takes their place; bytes that are not there, of which a damaged copy may lack thousands, take no
 * place of a finding in what is there. Once `work` was ended there are no more: what was ended in the middle is no
 * finding, and `add` throws its `work_exceeded` on.
 */
export class Findings {
  readonly #limit: number;
  readonly #work: WorkBudget;
  readonly #kept: Finding[] = [];
  readonly #demands: Finding[] = [];
  /** How many of those that are kept say that bytes are not there. */
  #missing = 0;
  #count = 0;

  constructor(limit: number = MAX_FINDINGS, work: WorkBudget = NO_LIMIT) {
    this.#limit = limit;
    this.#work = work;
  }

  add(code: FindingCode, place: string, expected: string, found: string): void {
    this.#work.requireLeft();
    this.#count += 1;
    const kept = DEMANDS.has(code) ? this.#demands : this.#kept;
    const isMissing = code === 'blob_missing';
    const room = isMissing
      ? this.#missing
      : kept.length - (kept === this.#kept ? this.#missing : 0);
    if (room < this.#limit) {
      if (isMissing) this.#missing += 1;
      kept.push({
        code,
        place: excerpt(place, MAX_WORDS),
        expected: excerpt(expected, MAX_WORDS),
        found: excerpt(found, MAX_WORDS),
      });
    }
  }

  get count(): number {
    return this.#count;
  }

  /** Whether there are more than a verdict lists: then looking on tells nobody anything. */
  get flooded(): boolean {
    return this.#count > this.#limit;
  }

  /** The findings so far, as they are now: first those of the demands that were not met. */
  get list(): readonly Finding[] {
    return [...this.#demands, ...this.#kept];
  }
}

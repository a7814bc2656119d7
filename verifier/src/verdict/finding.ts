import { NO_LIMIT, type WorkBudget } from '@assay/core/work-budget';
import { excerpt } from './printable.ts';

/**
 * What a verifier can find wrong. A code keeps its meaning for good; each finding says where, what
 * was expected and what was found.
 */
export const FINDING_CODES = [
  'checkpoint_missing', // a server or an export that has no checkpoint
  'checkpoint_malformed', // the signed note or its three lines break their format
  'checkpoint_unsigned', // no signature of the log's key
  'checkpoint_bad_signature', // a signature line of the log's key that does not verify
  'checkpoint_unlisted_signature', // strict mode: a line that the policy does not list
  'checkpoint_origin', // another log's checkpoint
  'key_not_trusted', // the log's key is not the one that the policy or the pin names
  'log_id_differs', // entry 0 is not the one that the policy or the pin names
  'history_changed', // the log no longer holds the tree of a checkpoint seen before
  'log_shrunk', // the log is smaller than a checkpoint seen before
  'entry_missing', // an entry that the checkpoint covers is missing
  'entry_malformed', // an entry that is not canonical, or whose body does not fit its kind
  'entry_out_of_order', // a seq that is not the next one
  'chain_broken', // a prev that is not the leaf hash of the entry before
  'time_decreases', // an entry that claims to be older than the one before
  'genesis_misplaced', // genesis missing at 0, or found elsewhere
  'genesis_differs', // genesis names another origin or key than the checkpoint
  'not_understood', // a kind, or a status, that this version does not know
  'root_differs', // the entries do not have the checkpoint's root
  'tile_differs', // a hash tile that does not follow from the entries
  'tile_missing', // a tile that the checkpoint covers is missing
  'bundle_differs', // an entry bundle of another length or width
  'rule_not_allowed', // a rule out of its order, of another network, or that reaches back over printed periods
  'rule_mismatch', // a report under another rule than the one for its period
  'report_log', // a report made for another log
  'report_period', // a report for a date that is no period of its index
  'report_bad_signature', // a print message that the report key of its time did not sign
  'report_times', // times of reading, publishing and recording in an impossible order
  'report_not_reproduced', // drafting the report again from its reads makes another report
  'report_not_due', // a report where the rule says to wait, or after the round was over
  'read_differs', // running the rule again on the kept bytes has another outcome
  'text_differs', // taking the text from the kept pages again makes another text
  'read_unlisted', // reads of other providers than the rule's, or in another order
  'read_unfounded', // a value without a snapshot
  'request_differs', // a snapshot of another request than the rule's
  'snapshot_malformed', // a manifest that is not canonical or does not fit its schema
  'blob_missing', // bytes that the log says are kept are missing
  'blob_differs', // bytes that do not have their hash
  'revision_not_reproduced', // the kept bytes make other revisions
  'close_bad_signature', // a Close that the report key of its time did not sign
  'close_not_due', // a Close of a day that does not follow the one before it, or one too many of a day
  'close_not_reproduced', // a Close that does not follow from the rows before it
  'index_not_due', // an index entry of a day that is not over, or not after the day of the one before
  'index_differs', // an index entry whose counts or roots do not follow from the entries before it, or from the keys and rule of its bundle
  'index_proof_invalid', // a proof that does not lead to its index entry, or that does not show what it must
  'index_contradicts', // an index entry that shows another print where the number must be the only one, or one before the print that it supersedes
  'revision_missing', // kept bytes of a report show figures that the log does not record
  'api_differs', // an answer that is not the fold of the log at the size that it names
  'api_missing', // an answer that the fold has and the API does not serve
  'api_no_size', // an answer that does not name the size of its log
  'api_behind', // an answer for a smaller log than the checkpoint served before it
  'view_differs', // a stored view row that is not the fold of the log
  'view_missing', // a view row of the fold that is not stored
  'view_unknown', // a stored view row that the fold does not have
  'row_unknown', // a database row that belongs to no known part
  'head_differs', // the database's head does not follow from its entries
  'guard_missing', // no head guard beside the database
  'guard_differs', // the head guard holds a head that the database does not continue
  'bundle_malformed', // a bundle that is not canonical or does not fit its schema
  'bundle_incomplete', // a bundle without an entry or a blob that it needs
  'bundle_other', // a bundle of another index or period than was asked for
  'proof_invalid', // an inclusion proof that does not lead to the checkpoint's root
  'print_differs', // a print message that is not the report's
  'beacon_invalid', // a beacon without its work, of another network, or far below one before it
  'time_refuted', // a time that the log claims and a Bitcoin block contradicts
  'anchor_not_reproduced', // a batch of stamps that does not follow from the rows before it
  'anchor_proof_invalid', // a timestamp that does not lead where its anchor or its bundle says
  'header_invalid', // a block's headers without their work, their links or their network's bits
  'header_differs', // a block that is not at its height in the chain of headers that was given
  'proof_differs', // a served .ots file that is not the path and the timestamp in the log
  'cosigners_not_allowed', // a set of co-signers out of its order, below the policy, or with an invalid key
  'key_not_allowed', // a report key out of its order, that nobody promised, or that has another role
  'key_bad_signature', // a report key without the signature of the previous key, its own, or that of the recovery key
  'statement_differs', // a co-signer's statement that is not about a report as this log holds it
  'statement_bad_signature', // a statement, a co-signature or a dissent that its co-signer did not sign
  'cosigner_contradicts', // a co-signer with two statements on one report, or two prints in one place
  'feed_entry_wrong', // an entry that records on chain what cannot be there, or what the accounts do not hold
  'feed_differs', // an account on chain with other facts than the log's, or that its program would not write
  'feed_unknown', // a feed on chain under the log's genesis key that is of another log, or that the log has no rule for
  'feed_print_unknown', // a print or a Close on chain that the log does not have
  'feed_print_missing', // a print or a Close that the log says is on chain, and that is not there
  'feed_signature_unlogged', // a co-signature or a dissent on chain that the log does not have
  'time_ahead', // an entry of a production log whose time is over two hours ahead of the verifier's clock
  'witnesses_missing', // a checkpoint without the cosignatures of as many operators as the policy requires
  'witness_bad_line', // a line of a witness that the policy lists, but that the witness did not sign or that lies in the future
  'quorum_below_policy', // a number with which fewer of the policy's co-signers agreed than the policy requires
  'log_incomplete', // something due is missing under a policy that requires all of it, or the subject cannot show it
  'block_missing', // a number that no block of the headers given holds, where the caller requires one
  'number_unsettled', // the number that was asked for is not in the log, or nothing settles on it
  'kinds_mixed', // a log that holds reports and statements on reports, or such statements and a change of key
  'score_rule_not_allowed', // a score rule out of its order, or with other receipts than the one before it
  'arena_rule_not_allowed', // an arena rule out of its order
  'asset_not_allowed', // an asset with another class or other decimals than at first, or listed again too soon
  'split_not_allowed', // a split of an asset that the log does not have, of a time that already had its tick, or beside another split
  'tick_rule', // a tick under another score rule than the newest that the log has for its class
  'tick_not_due', // a tick off its grid, not after the one before, or ahead of its own entry
  'tick_malformed', // a tick's blob that is not a list of leaves
  'tick_differs', // a tick's leaves with another size, root or time than it names, or of an asset that is not listed
  'due_late', // an entry that a tick makes due and whose time is not that of its tick
  'score_unfounded', // a score that does not follow from the leaves of the ticks before it
  'value_contradicts', // a return, a price's commitment or a breadth that an earlier entry contradicts
  'event_missing', // an event, or its close, that a tick makes due and that does not follow the tick
  'event_differs', // an event, or its close, that does not follow from the ticks
  'event_not_due', // an event, or its close, that the tick right before it does not make due, or out of its order
  'receipt_missing', // a receipt that a tick makes due and that does not follow the tick
  'receipt_differs', // a receipt that does not follow from the ticks
  'receipt_not_due', // a receipt that the tick right before it does not make due, or out of its order
  'benchmark_missing', // a receipt's benchmark that a tick makes due and that does not follow the tick
  'benchmark_differs', // a benchmark over other ticks than a receipt's
  'benchmark_not_due', // a benchmark that the tick right before it does not make due, or out of its order
  'study_malformed', // a study's blob that breaks its format
  'study_not_due', // a study of another range than the log determines, or a repeated one
  'study_differs', // a study that does not follow from the events and the leaves of its range
  'question_missing', // a question that an event makes due and that does not follow its tick
  'question_differs', // a question that does not follow from its event and the outcomes before it
  'question_not_due', // a question that no event right before it makes due, or out of its order
  'answers_not_due', // answers to no question of the log, outside the time for them, or after they were closed
  'answers_differs', // answers with another ordinal than the next, or closed with other counts, another root or other openings
  'answers_malformed', // a blob of openings that breaks its format
  'answers_late', // answers that were opened over an hour after the time for them
  'answers_missing', // an outcome of a question whose answers the log does not open
  'outcome_missing', // an outcome that a tick makes due and that does not follow the tick
  'outcome_differs', // an outcome that does not follow from the leaves of its tick
  'outcome_not_due', // an outcome that the tick right before it does not make due, or out of its order
  'round_not_due', // a round that no arena rule makes, at that time or at all, or a second one of a period
  'round_differs', // a round that does not follow from the calendar, the arena rule and the prints before it
  'forecast_not_due', // a forecast in no open round: of an unknown one, at its close or later, or after its freeze
  'forecast_differs', // a forecast with another ordinal than the next, or with a key or a counter that is not its handle's
  'forecast_bad_signature', // a forecast that the key of its handle did not sign
  'freeze_not_due', // a freeze before the close, of an unknown round, or a second one
  'freeze_differs', // a freeze with another count, root, handles, openings or weights than follow from the forecasts
  'openings_malformed', // a blob of openings of a round that breaks its format
  'forecast_unopened', // a forecast that is not sealed and that the openings of its freeze do not open
  'unseal_not_due', // an unsealing before the beacon or after the number, of a round that is not frozen, or a second one
  'unseal_void_refuted', // a void whose reason another entry of the log refutes: the beacon's signature was there, or the lines of the witnesses
  'unseal_bad_signature', // an unsealing without the signature of the beacon's round
  'unseal_unwitnessed', // an unsealing whose note does not show that the freeze was witnessed before the beacon
  'grade_not_due', // grades before the first final print or of a round that was not opened, or a part out of its order
  'grade_differs', // grades with another print, arena number, order, value or points than follow from the log
  'statement_contradicts', // a co-signer's log with two statements on one report, or two prints in one place
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

export interface Finding {
  readonly code: FindingCode;
  /** The place, such as `entry 17` or `/indices/LAYOFFS`. */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

/** Demands of the auditor that a log does not meet. They come first in a verdict and are kept apart. */
const DEMANDS: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'number_unsettled',
  'block_missing',
  'bundle_other',
  'witnesses_missing',
  'quorum_below_policy',
  'log_incomplete',
]);

/** Whether a finding is of a demand of the policy or of the caller, rather than of the log itself. */
export function isDemand({ code }: Pick<Finding, 'code'>): boolean {
  return DEMANDS.has(code);
}

/** Characters of one part of a finding that are kept. */
const MAX_WORDS = 300;

/** Findings that a verdict lists; as many again of missing bytes, and as many again of unmet demands. */
export const MAX_FINDINGS = 1000;

/**
 * Collects findings. A flood is cut: the first ones are kept, and all are counted. Findings of demands are kept apart,
 * so that no other takes their place. Missing bytes, of which a damaged copy may lack thousands, take no place of a
 * finding in the bytes that exist. Once `work` has ended, no more are added, because what was cut off is no finding,
 * and `add` throws its `work_exceeded` again.
 */
export class Findings {
  readonly #limit: number;
  readonly #work: WorkBudget;
  readonly #kept: Finding[] = [];
  readonly #demands: Finding[] = [];
  /** How many of the kept findings report missing bytes. */
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

  /** Whether there are more than a verdict lists, so that checking further is of no use. */
  get flooded(): boolean {
    return this.#count > this.#limit;
  }

  /** The findings so far, those of unmet demands first. */
  get list(): readonly Finding[] {
    return [...this.#demands, ...this.#kept];
  }
}

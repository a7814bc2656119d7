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
  'report_bad_signature', // a print message that the log's report key did not sign
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
  'close_bad_signature', // a Close that the log's report key did not sign
  'close_not_due', // a Close of another day than the one before it, or one too many of a day
  'close_not_reproduced', // a Close that the rows before it do not make
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
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

export interface Finding {
  readonly code: FindingCode;
  /** The place, such as `entry 17` or `/indices/LAYOFFS`. */
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

/** Characters of one part of a finding. */
const MAX_WORDS = 300;

/** Findings that a verdict lists. */
export const MAX_FINDINGS = 1000;

/** Takes findings as they come. A flood is cut: the first ones tell, and the count is kept. */
export class Findings {
  readonly #limit: number;
  readonly #kept: Finding[] = [];
  #count = 0;

  constructor(limit: number = MAX_FINDINGS) {
    this.#limit = limit;
  }

  add(code: FindingCode, place: string, expected: string, found: string): void {
    this.#count += 1;
    if (this.#kept.length < this.#limit) {
      this.#kept.push({
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

  /** The findings so far, as they are now. */
  get list(): readonly Finding[] {
    return [...this.#kept];
  }
}

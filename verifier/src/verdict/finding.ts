import { NO_LIMIT, type WorkBudget } from '@assay/core/work-budget';
import { excerpt } from './printable.ts';

/**
 * What a verifier can find wrong. A code keeps its meaning for good, which `FINDING_MEANINGS` says in a sentence; each
 * finding says where, what was expected and what was found.
 */
export const FINDING_CODES = [
  'checkpoint_missing',
  'checkpoint_malformed',
  'checkpoint_unsigned',
  'checkpoint_bad_signature',
  'checkpoint_unlisted_signature',
  'checkpoint_origin',
  'key_not_trusted',
  'log_id_differs',
  'history_changed',
  'log_shrunk',
  'entry_missing',
  'entry_malformed',
  'entry_out_of_order',
  'chain_broken',
  'time_decreases',
  'genesis_misplaced',
  'genesis_differs',
  'not_understood',
  'root_differs',
  'tile_differs',
  'tile_missing',
  'bundle_differs',
  'rule_not_allowed',
  'rule_mismatch',
  'report_log',
  'report_period',
  'report_bad_signature',
  'report_times',
  'report_not_reproduced',
  'report_not_due',
  'read_differs',
  'text_differs',
  'read_unlisted',
  'read_unfounded',
  'request_differs',
  'snapshot_malformed',
  'blob_missing',
  'blob_differs',
  'revision_not_reproduced',
  'close_bad_signature',
  'close_not_due',
  'close_not_reproduced',
  'index_not_due',
  'index_differs',
  'index_proof_invalid',
  'index_contradicts',
  'revision_missing',
  'api_differs',
  'api_missing',
  'api_no_size',
  'api_behind',
  'view_differs',
  'view_missing',
  'view_unknown',
  'row_unknown',
  'head_differs',
  'guard_missing',
  'guard_differs',
  'bundle_malformed',
  'bundle_incomplete',
  'bundle_other',
  'proof_invalid',
  'print_differs',
  'beacon_invalid',
  'time_refuted',
  'anchor_not_reproduced',
  'anchor_proof_invalid',
  'header_invalid',
  'header_differs',
  'proof_differs',
  'cosigners_not_allowed',
  'key_not_allowed',
  'key_bad_signature',
  'statement_differs',
  'statement_bad_signature',
  'cosigner_contradicts',
  'feed_entry_wrong',
  'feed_differs',
  'feed_unknown',
  'feed_print_unknown',
  'feed_print_missing',
  'feed_signature_unlogged',
  'time_ahead',
  'witnesses_missing',
  'witness_bad_line',
  'quorum_below_policy',
  'log_incomplete',
  'block_missing',
  'number_unsettled',
  'kinds_mixed',
  'score_rule_not_allowed',
  'arena_rule_not_allowed',
  'asset_not_allowed',
  'split_not_allowed',
  'tick_rule',
  'tick_not_due',
  'tick_malformed',
  'tick_differs',
  'due_late',
  'score_unfounded',
  'value_contradicts',
  'event_missing',
  'event_differs',
  'event_not_due',
  'receipt_missing',
  'receipt_differs',
  'receipt_not_due',
  'benchmark_missing',
  'benchmark_differs',
  'benchmark_not_due',
  'study_malformed',
  'study_not_due',
  'study_differs',
  'question_missing',
  'question_differs',
  'question_not_due',
  'answers_not_due',
  'answers_differs',
  'answers_malformed',
  'answers_late',
  'answers_missing',
  'outcome_missing',
  'outcome_differs',
  'outcome_not_due',
  'round_not_due',
  'round_differs',
  'forecast_not_due',
  'forecast_differs',
  'forecast_bad_signature',
  'freeze_not_due',
  'freeze_differs',
  'openings_malformed',
  'forecast_unopened',
  'unseal_not_due',
  'unseal_void_refuted',
  'unseal_bad_signature',
  'unseal_unwitnessed',
  'grade_not_due',
  'grade_differs',
  'statement_contradicts',
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

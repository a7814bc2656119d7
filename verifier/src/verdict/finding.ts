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
  'key_not_in_force',
  'closing_head_missing',
  'closing_head_differs',
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

/** A finding, and where it stands among those of its list. */
interface Placed {
  readonly finding: Finding;
  /** The turn in which its check began. */
  readonly turn: number;
}

/** The first findings of one kind, in the order in which their checks began. */
class Shelf {
  readonly #limit: number;
  #placed: Placed[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(placed: Placed): void {
    this.#placed.push(placed);
    // Those beyond the limit stay beyond it, whatever comes later. Sorting each time would cost the square.
    if (this.#placed.length >= 2 * this.#limit + 1) this.#placed = this.first();
  }

  /** The first ones, up to the limit. Those of one check stay in the order in which they came. */
  first(): Placed[] {
    return sorted(this.#placed).slice(0, this.#limit);
  }
}

function sorted(placed: readonly Placed[]): Placed[] {
  return [...placed].sort((a, b) => a.turn - b.turn);
}

/** What several collectors of one verification share. */
interface Book {
  readonly kept: Shelf;
  readonly demands: Shelf;
  readonly missing: Shelf;
  readonly limit: number;
  readonly work: WorkBudget;
  count: number;
  turn: number;
}

function emptyBook(limit: number, work: WorkBudget): Book {
  return {
    kept: new Shelf(limit),
    demands: new Shelf(limit),
    missing: new Shelf(limit),
    limit,
    work,
    count: 0,
    turn: 0,
  };
}

/**
 * Collects findings. A flood is cut: the first ones are kept, and all are counted. Findings of demands are kept apart,
 * so that no other takes their place. Missing bytes, of which a damaged copy may lack thousands, take no place of a
 * finding in the bytes that exist. Once `work` has ended, no more are added, because what was cut off is no finding,
 * and `add` throws its `work_exceeded` again.
 *
 * The order is that in which checks began. It does not depend on which of them ends first, so that a verdict is the same on
 * any number of threads.
 */
export class Findings {
  readonly #book: Book;
  /** The turn of the check that this collector is for; undefined for the one that all checks in turn share. */
  readonly #turn: number | undefined;

  constructor(limit: number = MAX_FINDINGS, work: WorkBudget = NO_LIMIT, of?: Findings) {
    this.#book = of === undefined ? emptyBook(limit, work) : of.#book;
    if (of !== undefined) this.#turn = this.#book.turn += 1;
  }

  /** A collector for a check that begins now and ends later. What it finds stands where it began. */
  later(): Findings {
    return new Findings(this.#book.limit, this.#book.work, this);
  }

  add(code: FindingCode, place: string, expected: string, found: string): void {
    const book = this.#book;
    book.work.requireLeft();
    book.count += 1;
    const shelf = DEMANDS.has(code)
      ? book.demands
      : code === 'blob_missing'
        ? book.missing
        : book.kept;
    const finding = {
      code,
      place: excerpt(place, MAX_WORDS),
      expected: excerpt(expected, MAX_WORDS),
      found: excerpt(found, MAX_WORDS),
    };
    shelf.add({ finding, turn: this.#turn ?? (book.turn += 1) });
  }

  get count(): number {
    return this.#book.count;
  }

  /** Whether there are more than a verdict lists, so that checking further is of no use. */
  get flooded(): boolean {
    return this.#book.count > this.#book.limit;
  }

  /** The findings so far, those of unmet demands first. */
  get list(): readonly Finding[] {
    const { demands, kept, missing } = this.#book;
    return [...demands.first(), ...sorted([...kept.first(), ...missing.first()])].map(
      ({ finding }) => finding,
    );
  }
}

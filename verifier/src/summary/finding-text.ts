import type { Finding, FindingCode } from '../verdict/finding.ts';

/** What findings mean to somebody who has never seen the format, and the codes that mean it. */
export const FINDING_GROUPS: readonly (readonly [string, readonly FindingCode[]])[] = [
  [
    'an entry is not the one that the signed head of the log holds',
    [
      'proof_invalid',
      'root_differs',
      'chain_broken',
      'entry_out_of_order',
      'tile_differs',
      'bundle_differs',
    ],
  ],
  [
    'a part of the log is missing',
    [
      'checkpoint_missing',
      'closing_head_missing',
      'entry_missing',
      'tile_missing',
      'blob_missing',
      'bundle_incomplete',
    ],
  ],
  [
    'the head of the log is not signed as it must be',
    [
      'checkpoint_malformed',
      'checkpoint_unsigned',
      'checkpoint_bad_signature',
      'checkpoint_unlisted_signature',
      'key_not_in_force',
      'closing_head_differs',
      'witness_bad_line',
    ],
  ],
  [
    'it is not the log whose key or id was named or pinned',
    ['key_not_trusted', 'log_id_differs', 'checkpoint_origin'],
  ],
  ['the log is no longer what it was before', ['history_changed', 'log_shrunk']],
  [
    'an entry breaks the format of the log',
    ['entry_malformed', 'genesis_misplaced', 'genesis_differs', 'not_understood', 'kinds_mixed'],
  ],
  [
    'the times in the log cannot be true',
    ['time_decreases', 'time_ahead', 'time_refuted', 'report_times', 'due_late'],
  ],
  ['the file is not as assay bundle writes it: it was changed', ['bundle_malformed']],
  [
    'the number does not follow from its rule and the source bytes',
    [
      'report_not_reproduced',
      'read_differs',
      'read_unlisted',
      'read_unfounded',
      'request_differs',
      'rule_mismatch',
      'report_log',
      'report_period',
      'report_not_due',
      'revision_not_reproduced',
      'revision_missing',
      'text_differs',
    ],
  ],
  ['source bytes are not the ones that the log names', ['blob_differs', 'snapshot_malformed']],
  [
    'a report, a Close or a key is not signed as it must be',
    ['report_bad_signature', 'close_bad_signature', 'key_bad_signature'],
  ],
  [
    'a rule, a key or a set of co-signers was not allowed to change as it did',
    [
      'rule_not_allowed',
      'key_not_allowed',
      'cosigners_not_allowed',
      'score_rule_not_allowed',
      'arena_rule_not_allowed',
      'asset_not_allowed',
      'split_not_allowed',
    ],
  ],
  ['the Close of a day does not follow from the log', ['close_not_due', 'close_not_reproduced']],
  [
    'the list of what a day holds is not true',
    ['index_not_due', 'index_differs', 'index_proof_invalid', 'index_contradicts'],
  ],
  [
    'the server answers something else than its log holds',
    ['api_differs', 'api_missing', 'api_no_size', 'api_behind', 'proof_differs'],
  ],
  [
    'the data folder holds something else than its log',
    [
      'view_differs',
      'view_missing',
      'view_unknown',
      'row_unknown',
      'head_differs',
      'guard_missing',
      'guard_differs',
    ],
  ],
  [
    'a proof of Bitcoin does not hold',
    [
      'beacon_invalid',
      'anchor_not_reproduced',
      'anchor_proof_invalid',
      'header_invalid',
      'header_differs',
    ],
  ],
  [
    'what a co-signer signed does not hold',
    [
      'statement_differs',
      'statement_bad_signature',
      'cosigner_contradicts',
      'statement_contradicts',
    ],
  ],
  [
    'what is on chain, or printed, is not what the log holds',
    [
      'print_differs',
      'feed_entry_wrong',
      'feed_differs',
      'feed_unknown',
      'feed_print_unknown',
      'feed_print_missing',
      'feed_signature_unlogged',
    ],
  ],
  [
    'a tick, or what follows from it, is not as the log makes it',
    [
      'tick_rule',
      'tick_not_due',
      'tick_malformed',
      'tick_differs',
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
    ],
  ],
  [
    'a question, its answers or its outcome is not as the log makes it',
    [
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
    ],
  ],
  [
    'a round of the Arena is not as the log makes it',
    [
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
    ],
  ],
  ['no block of the headers given holds the number', ['block_missing']],
  ['nothing settles on the number that you asked for', ['number_unsettled']],
  ['the file is about another number than the one that you asked for', ['bundle_other']],
  ['too few of the witnesses that you require have signed the head', ['witnesses_missing']],
  ['too few of the co-signers that you require agreed', ['quorum_below_policy']],
  ['something that is due is missing, or is not shown to be there', ['log_incomplete']],
];

const TEXT_OF: ReadonlyMap<FindingCode, string> = new Map(
  FINDING_GROUPS.flatMap(([text, codes]) => codes.map((code) => [code, text] as const)),
);

/** A finding as part of a sentence: what it means, and where it is. */
export function findingText({ code, place }: Pick<Finding, 'code' | 'place'>): string {
  const tampered = tamperedText(code, place);
  if (tampered !== undefined) return tampered;
  const text = TEXT_OF.get(code) ?? 'something is not as it must be';
  return place === '' ? text : `${text} (${place})`;
}

/** Whether a finding tells which entry was changed. */
export function isTampering({ code, place }: Pick<Finding, 'code' | 'place'>): boolean {
  return tamperedText(code, place) !== undefined;
}

function tamperedText(code: FindingCode, place: string): string | undefined {
  const [, seq = ''] = /^(?:bundle )?entry ([0-9]+)$/.exec(place) ?? [];
  if (seq === '') return undefined;
  if (code === 'proof_invalid') {
    return `entry ${seq} was changed, or its proof was: the signed head of the log does not hold it as it is here`;
  }
  if (code !== 'chain_broken' || seq === '0') return undefined;
  return `entry ${Number(seq) - 1} was changed: it is not the one after which entry ${seq} was written`;
}

/** The codes that have a text of their own. */
export const EXPLAINED: readonly FindingCode[] = [...TEXT_OF.keys()];

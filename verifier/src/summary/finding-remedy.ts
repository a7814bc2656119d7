import type { FindingCode } from '../verdict/finding.ts';

const CHANGED =
  'Do not rely on anything of this subject. Fetch it again from another address; if it is the same there, keep it, for it is what you can show to others.';
const ASK_PUBLISHER =
  'Settle on nothing that depends on it. Send the finding with its place to the publisher, and to the co-signers whom you know.';
const ASK_OPERATOR =
  'The log itself may be sound: verify a mirror or an export of it. Send the finding to the operator of the service.';

/**
 * What somebody can do about a finding, in whole sentences, by the first code of each group of `FINDING_GROUPS`. No check
 * reads it: `docs/reference/findings.md` is made of it.
 */
export const FINDING_REMEDIES: Readonly<Partial<Record<FindingCode, string>>> = {
  proof_invalid: CHANGED,
  checkpoint_missing:
    'Check that the address or the folder is that of the log itself and that the copy is complete, and verify again. If the part is missing everywhere, settle on nothing that depends on it, and ask the publisher for it.',
  checkpoint_malformed: CHANGED,
  key_not_trusted:
    'Check the key and the id that you named, and where you have them from. If they are right, this is not the log that you mean, or somebody signs in its name: do not rely on it, and ask its publisher through another channel.',
  history_changed:
    'Keep the pin file and the checkpoint that is served now: two heads of one key that exclude each other prove a fork to anybody. Settle on nothing of this log, and tell its witnesses and co-signers.',
  entry_malformed:
    'If the code is not_understood, verify with the release that the finding names. Otherwise do not rely on the log, and send the finding to the publisher.',
  time_decreases:
    'Rely on no time of this log that no Bitcoin block bounds, and ask the publisher about it. For time_ahead, check your own clock first.',
  bundle_malformed:
    'Make the file again with assay bundle, from the address of the log, and verify that one.',
  report_not_reproduced: ASK_PUBLISHER,
  blob_differs: `${CHANGED} The operator can bring the bytes back from a copy with assay restore.`,
  report_bad_signature: ASK_PUBLISHER,
  rule_not_allowed: ASK_PUBLISHER,
  close_not_due: ASK_PUBLISHER,
  index_not_due: ASK_PUBLISHER,
  api_differs: ASK_OPERATOR,
  view_differs:
    'Stop the node and run assay rebuild, which makes all rows again from the entries. If the head or the head guard differs, read the runbook first: assay recover and assay restore are for that.',
  beacon_invalid:
    'Rely on no time that this block or this stamp bounds. If you gave headers, check where they come from, and sync them again.',
  statement_differs:
    'Do not count this co-signer for the number, and ask it for its own log. assay watch compares the two logs.',
  print_differs:
    'Do not settle on the account. Read it again from another node, and ask the publisher if it is the same there.',
  tick_rule:
    'Rely on no score, event or receipt of this class of assets from this tick on, and ask the publisher.',
  question_missing: 'Rely on no score of the referee from this question on, and ask the publisher.',
  round_not_due:
    'Rely on no points of this round. If you have a receipt for a forecast in it, keep it.',
  block_missing:
    'Sync the headers to a newer block and try again; or make a new bundle of the number, which holds its block by now.',
  number_unsettled:
    'Pay nothing out on the number. The finding says what is there instead; if something may still come, verify again after the deadline of its round.',
  bundle_other:
    'Ask for the bundle of the index and the period that you mean. A server that answered with this one made a mistake, or tried to pass it off.',
  witnesses_missing:
    'Verify again in a minute, when the witnesses may have signed. If they stay away, ask them and the publisher.',
  quorum_below_policy:
    'Do not settle on the number. Verify again when its round is over; if the co-signers still do not agree, ask them what they counted.',
  log_incomplete:
    'Ask the publisher for what is missing. Of a bundle, verify the whole log instead.',
};

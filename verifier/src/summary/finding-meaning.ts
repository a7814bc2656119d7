import type { FindingCode } from '../verdict/finding.ts';

/** What each code means, in a sentence for people. No check reads it: `docs/reference/findings.md` is made of it. */
export const FINDING_MEANINGS: Readonly<Record<FindingCode, string>> = {
  checkpoint_missing: 'The server or the folder has no checkpoint.',
  checkpoint_malformed:
    'The signed note of the checkpoint, or one of its three lines, breaks its format.',
  checkpoint_unsigned:
    'The checkpoint, or a closing head, has no signature of the checkpoint key that is in force for its size.',
  checkpoint_bad_signature: 'A signature line of a key of the log does not verify.',
  checkpoint_unlisted_signature:
    'The policy is strict, and the checkpoint has a signature line that it does not list.',
  checkpoint_origin: "The checkpoint is another log's.",
  key_not_trusted:
    'The key that the policy or the pin names is no checkpoint key of the log, or did not sign heads of the pinned size.',
  key_not_in_force:
    'A head has a signature of a checkpoint key of the log that does not sign heads of its size.',
  closing_head_missing:
    'A checkpoint key was replaced, and no head by it leads to the key after it: neither its closing head nor the pinned one.',
  closing_head_differs:
    'The closing head of a checkpoint key is not of the size that its end asks for, or is of another history than the log.',
  log_id_differs: 'Entry 0 is not the one that the policy or the pin names.',
  history_changed: 'The log no longer holds the tree of a checkpoint that was seen before.',
  log_shrunk: 'The log is smaller than a checkpoint that was seen before.',
  entry_missing: 'An entry that the checkpoint covers is missing.',
  entry_malformed: 'An entry is not in canonical form, or its body does not fit its kind.',
  entry_out_of_order: 'An entry has a number that is not the next one.',
  chain_broken: 'An entry does not name the hash of the entry before it.',
  time_decreases: 'An entry claims to be older than the entry before it.',
  genesis_misplaced: 'Entry 0 is no genesis, or another entry is one.',
  genesis_differs: 'The genesis names another origin or another key than the checkpoint.',
  not_understood:
    'An entry has a kind or a status that this release does not read. The finding names the release that does, where one is known.',
  root_differs: 'The entries do not have the root that the checkpoint names.',
  tile_differs: 'A hash tile does not follow from the entries.',
  tile_missing: 'A tile that the checkpoint covers is missing.',
  bundle_differs:
    'A file of entries, as the log serves them, has another length than its name says.',
  rule_not_allowed:
    'A rule may not come next: its number or its first period does not rise, it is of another network, or a period that it covers was released when it was recorded.',
  rule_mismatch:
    'A report, or a revision, is under another version of the rule than the one that governs its period.',
  report_log: 'A report was made for another log.',
  report_period: 'A report is about a date that is no period of its index.',
  report_bad_signature: 'The print of a report is not signed by the report key of its time.',
  report_times: 'The times of reading, publishing and recording are in an order that cannot be.',
  report_not_reproduced:
    'The report was drafted again from the reads that it names, and another report came out.',
  report_not_due: 'There is a report where the rule says to wait, or after the round was over.',
  read_differs: 'The rule was run again on the kept bytes, and something else came out.',
  text_differs:
    'The text was taken from the kept pages again, and another text came out; or the rule reads the two texts differently.',
  read_unlisted: "A report has reads of other providers than the rule's, or in another order.",
  read_unfounded: 'A read has a value and names no kept bytes.',
  request_differs: "The kept bytes answer another request than the rule's.",
  snapshot_malformed:
    'The list of the pages of a kept answer is not in canonical form, or does not fit its schema.',
  blob_missing: 'Bytes that the log says are kept are missing.',
  blob_differs: 'Kept bytes do not have the hash under which they are kept.',
  revision_not_reproduced: 'The kept bytes make other revisions than the log has.',
  close_bad_signature: 'A Close is not signed by the report key of its time.',
  close_not_due:
    'A Close is of a day that does not follow the one before it, or is one too many of its day.',
  close_not_reproduced: 'A Close does not follow from the entries before it.',
  index_not_due:
    'An index entry is of a day that is not over, or does not come after the day of the one before.',
  index_differs:
    'An index entry has other counts or roots than the entries before it make: a print, a rule or a key is missing, is there twice, or is not there. In a bundle the keys or the rules are other ones than its entries make.',
  index_proof_invalid:
    'The proof in a bundle does not lead to its index entry, or shows less than it must.',
  index_contradicts:
    "The index entry has another final or void of the number's period, does not have the number itself, has another print before it than the one that it supersedes, or leaves out an issue.",
  revision_missing: 'The kept bytes of a report show figures that the log does not record.',
  api_differs: 'An answer of the API is not what the log makes at the size that the answer names.',
  api_missing: 'The log makes an answer that the API does not serve.',
  api_no_size: 'An answer of the API does not name the size of its log.',
  api_behind:
    'An answer of the API is of a smaller log than the checkpoint that was served before it.',
  view_differs: 'A stored row is not what the log makes.',
  view_missing: 'The log makes a row that is not stored.',
  view_unknown: 'A row is stored that the log does not make.',
  row_unknown: 'A row of the database belongs to no known part.',
  head_differs: 'The head of the database does not follow from its entries.',
  guard_missing: 'The head guard is missing beside the database.',
  guard_differs: 'The head guard holds a head that the database does not continue.',
  bundle_malformed: 'The bundle is not in canonical form, or does not fit its schema.',
  bundle_incomplete: 'The bundle lacks an entry or bytes that it needs.',
  bundle_other: 'The bundle is of another index or period than you asked for.',
  proof_invalid: 'A proof of inclusion does not lead to the root of the checkpoint.',
  print_differs: "A print, on chain or in a bundle, is not its report's.",
  beacon_invalid:
    'A block that the log names has no work of its own, is of another network, or lies far below one named before.',
  time_refuted: 'A Bitcoin block contradicts a time that the log claims, by more than two hours.',
  anchor_not_reproduced: 'A batch of stamps does not follow from the entries before it.',
  anchor_proof_invalid: 'A timestamp does not lead to where its anchor or its bundle says.',
  header_invalid:
    'The headers of a block are without their work, their links or the difficulty of their network.',
  header_differs: 'A block is not at its height in the headers that you gave.',
  proof_differs: 'A served .ots file is not the path and the timestamp that the log has.',
  cosigners_not_allowed:
    'A set of co-signers is out of its order, is below the policy of the log, comes while another one waits, has the publisher in it, or has a key that is none.',
  key_not_allowed:
    'A report key, a checkpoint key or the promise of one is out of its order, is not the key that was promised, or has another role already; or a checkpoint key ends the one before it at another size than its entry makes.',
  key_bad_signature:
    'A report key is not signed by the key before it, by itself, or by the recovery key, as it must be.',
  statement_differs: 'A statement is not about a report of this log as it is there.',
  statement_bad_signature:
    'A statement, a co-signature or a dissent is not signed by its co-signer.',
  cosigner_contradicts:
    'A co-signer has two statements on one report, or two prints in one place, in the log of the publisher.',
  feed_entry_wrong:
    'An entry says of the chain what cannot be there, or what the accounts do not hold.',
  feed_differs:
    'An account on chain has other facts than the log, or is one that its program does not write: a rule or a set that the log lacks, or a print without its quorum.',
  feed_unknown:
    'A feed on chain under the first key of the log is of another log, of a ticker that the log has no rule for, or a second one of a ticker.',
  feed_print_unknown: 'A print or a Close is on chain and not in the log.',
  feed_print_missing: 'The log says that a print or a Close is on chain, and it is not there.',
  feed_signature_unlogged:
    'A co-signature or a dissent is on chain and not in the log: the publisher was not given it, or left it out.',
  time_ahead:
    "An entry of a production log claims to be over two hours ahead of the verifier's clock.",
  witnesses_missing:
    'Fewer witnesses of the policy have signed the checkpoint than it requires, or they did so too long ago.',
  witness_bad_line:
    'A line in the name of a listed witness is not signed by it, or has a time in the future.',
  quorum_below_policy: 'Fewer co-signers of the policy agree with a number than it requires.',
  log_incomplete:
    'The policy asks for completeness, and a period, a Close or an index entry that was due is missing; or the subject is a bundle, which cannot show that.',
  block_missing:
    'With --recheck: none of the headers that you gave is of a block that holds the number.',
  number_unsettled:
    'The number that you asked for is not in the log, or is no final on which money may settle with the co-signatures that the log and the policy ask for.',
  kinds_mixed:
    "The log holds reports beside a co-signer's own statements, or such statements beside a change of key.",
  score_rule_not_allowed:
    'A score rule is out of its order, or has other receipts than the one before it.',
  arena_rule_not_allowed:
    'An arena rule is not of the version after the one before it, or not of version 1 where there is none.',
  asset_not_allowed:
    'An asset has another class or other decimals than at first, or is listed again too soon.',
  split_not_allowed:
    'A split is of no asset of the log, of a time that has had its tick, or less than a day from another split.',
  tick_rule: 'A tick is under another score rule than the newest that the log has for its class.',
  tick_not_due:
    'A tick is off its grid, does not come after the one before, or is ahead of its own entry.',
  tick_malformed: 'The stored leaves of a tick are no list of leaves.',
  tick_differs:
    'The leaves of a tick have another size, root or time than it says, or are of an asset that is not listed.',
  due_late:
    'An entry that a tick makes due says that it was written at another time than its tick.',
  score_unfounded: 'A score does not follow from the leaves of the ticks before it.',
  value_contradicts:
    'A return, the commitment of a price, or a breadth is another one than an earlier entry says.',
  event_missing:
    'A tick makes an event, or the close of one, due, and it does not follow the tick.',
  event_differs: 'An event, or the close of one, says something else than the ticks make it.',
  event_not_due:
    'An event, or the close of one, is not made due by the tick right before it, or is out of its order.',
  receipt_missing: 'A tick makes a receipt due, and it does not follow the tick.',
  receipt_differs: 'A receipt says something else than the ticks make it.',
  receipt_not_due: 'A receipt is not made due by the tick right before it, or is out of its order.',
  benchmark_missing:
    'A tick makes the benchmark of a receipt due, and it does not follow the tick.',
  benchmark_differs: 'A benchmark is over other ticks than its receipts.',
  benchmark_not_due:
    'A benchmark is not made due by the tick right before it, or is out of its order.',
  study_malformed: 'The stored bytes of a study break its format.',
  study_not_due:
    "A study is of another range than the log gives it, which is all before its month's first tick (in a replay, all before the study), or is one more of its month, or is of another version than the score rule of the newest tick in its range says.",
  study_differs:
    'A study does not follow from the entries and the leaves of its range, or it contradicts a return that the log states elsewhere.',
  question_missing:
    'An event makes a question due, and it does not follow what is written at its tick.',
  question_differs:
    'A question says something else than its event, the arena rule and the outcomes before it make it.',
  question_not_due:
    'A question is not made due by an event right before it, or is out of its order.',
  answers_not_due:
    'Answers are to no question of the log, are outside the time for them, or come after they were closed.',
  answers_differs:
    'Answers have another ordinal than the next; or they were closed with other counts, another root, or openings that do not make the leaves. An answer was dropped, added or changed.',
  answers_malformed: 'The stored openings of answers break their format.',
  answers_late: 'Answers were opened over an hour after the time for them was over.',
  answers_missing: 'There is an outcome of a question whose answers the log does not open.',
  outcome_missing: 'A tick makes an outcome due, and it does not follow the tick.',
  outcome_differs: 'An outcome has another score, tick or result than the leaves of its tick make.',
  outcome_not_due:
    'An outcome is not made due by the tick right before it, or is out of its order.',
  round_not_due:
    'A round is one that no arena rule makes, or not at that time, or is a second one of its period.',
  round_differs:
    'A round has another close, beacon, reference or house forecast than the calendar, the arena rule and the prints before it make.',
  forecast_not_due:
    'A forecast is in no open round: its round is unknown, has come to its close, or is frozen.',
  forecast_differs:
    "A forecast has another ordinal than the next, is in the name of the house, or has a key or a counter that is not its handle's.",
  forecast_bad_signature:
    'A forecast is not signed by the key of its handle: it was changed, invented, or taken from another round or log.',
  freeze_not_due: 'A freeze comes before the close, is of an unknown round, or is a second one.',
  freeze_differs:
    'A freeze has another count, root, handles, openings or weights than the forecasts before it make: one was dropped, added or changed.',
  openings_malformed: 'The stored openings of a round break their format.',
  forecast_unopened: 'The openings of a freeze do not open a forecast that is not sealed.',
  unseal_not_due:
    'An unsealing comes before the beacon or after the number was out, is a void before anybody could know it, is a second one, or is of a round that is not frozen.',
  unseal_void_refuted:
    "A round is void for a reason that another entry of the log refutes: the log has the beacon's signature from before the number, or the lines of the witnesses from before the beacon.",
  unseal_bad_signature: "An unsealing does not have the signature of the beacon's round.",
  unseal_unwitnessed:
    "The note of an unsealing does not show that as many of the rule's witnesses as it requires saw the freeze before the beacon.",
  grade_not_due:
    'Grades come before the first final print, are of a round that was not opened, or are a part out of its order.',
  grade_differs:
    'Grades have another print, arena number, order, value or points than follow from the openings and the first final print.',
  statement_contradicts:
    "A co-signer's own log has two statements on one report, or two prints in one place.",
};

import type { FindingCode } from './finding-store.ts';

/**
 * What each finding of a recounter means, and what whoever runs it does about it, in sentences for people. No check reads
 * it: `docs/reference/findings.md` is made of it.
 */
export const RECOUNTER_MEANINGS: Readonly<
  Record<FindingCode, { readonly meaning: string; readonly remedy: string }>
> = {
  fork: {
    meaning: "The publisher's key signed two histories of its log.",
    remedy: 'Publish the evidence file: it proves the fork to anybody.',
  },
  omission: {
    meaning:
      "The publisher's key signed that an entry holds a statement, and a tree with another entry in that place.",
    remedy: 'Publish the evidence file: it proves this to anybody.',
  },
  index_differs: {
    meaning: 'An index entry does not follow from the entries before it.',
    remedy: 'Ask the publisher. Anybody who verifies the log finds the same.',
  },
  index_not_due: {
    meaning: 'An index entry came before its day was over, or behind that of a later day.',
    remedy: 'Ask the publisher. Anybody who verifies the log finds the same.',
  },
  index_missing: {
    meaning: 'A day has no index entry a day after its end, though an earlier day has one.',
    remedy: 'Ask the publisher.',
  },
  too_many_reports: {
    meaning: "The publisher's log has more reports for one place than are recounted.",
    remedy: 'Ask the publisher. Those beyond have no statement of yours.',
  },
  two_prints: {
    meaning: 'The publisher signed two prints for one place.',
    remedy: 'Publish the evidence file, where there is one.',
  },
  copy_full: {
    meaning: 'A log, or what is kept under its reports, has more than its copy may hold.',
    remedy:
      'Raise copy_max_entries or copy_max_bytes if you want to follow it further, and restart.',
  },
  log_refused: {
    meaning: "What the publisher's key signed breaks the format of a log.",
    remedy: 'Ask the publisher, and read CHANGELOG.md: a later release may read it.',
  },
  publisher_silent: {
    meaning: "The publisher's log was reached, and has nothing of a period whose deadline is past.",
    remedy: 'Ask the publisher.',
  },
  publisher_unreachable: {
    meaning: "The deadline of a period is past, and the publisher's log could not be followed.",
    remedy: 'Look at your own network first, and ask the publisher then.',
  },
  report_refused: {
    meaning: 'A report may not be signed, whatever the sources show.',
    remedy: 'Ask the publisher. The text of the finding says what is wrong with the report.',
  },
  against_own_reads: {
    meaning: 'Your own reads, made in time for a first print, contradict a void or a final.',
    remedy: 'Keep the reads, and ask the publisher what its sources sent.',
  },
  unwitnessed: {
    meaning:
      'No statement could be made on a report in time, because the head of the publisher had the lines of too few witnesses.',
    remedy: 'Ask the witnesses and the publisher.',
  },
  word_refused: {
    meaning: 'The publisher refused a statement of yours.',
    remedy: 'Read why in the text of the finding. The statement is in your own log all the same.',
  },
  receipt_unmet: {
    meaning:
      'A head that the publisher signed when it took a statement of yours is not in its log a day later.',
    remedy:
      'Keep the receipt, and ask the publisher. The statement is in your own log all the same.',
  },
  word_withheld: {
    meaning: 'A statement that the publisher was given is not in its log a day later.',
    remedy: 'Ask the publisher. The statement is in your own log all the same.',
  },
  word_forged: {
    meaning: "The publisher's log has a statement in a co-signer's name that its key did not sign.",
    remedy: 'Tell the co-signer, and do not count the statement.',
  },
  peer_silent: {
    meaning: 'Another recounter made no statement on a report in time.',
    remedy: 'Ask its operator whether it runs.',
  },
  own_word_unknown: {
    meaning: "The publisher's log has a statement of your key that this recounter does not know.",
    remedy:
      'Nothing is signed until you know where it came from: docs/recount.md says what to do, under "A statement that it does not know".',
  },
};

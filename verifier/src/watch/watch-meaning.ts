import type { WatchCode } from './watch-finding.ts';

/**
 * What each code of a watch means, and what to do about it, in sentences for people. No check reads it:
 * `docs/reference/findings.md` is made of it.
 */
export const WATCH_MEANINGS: Readonly<
  Record<WatchCode, { readonly meaning: string; readonly remedy: string }>
> = {
  fork: {
    meaning:
      'Two checkpoints are signed by keys of one log, and no log can have both of them. A file proves it where one key signed both histories.',
    remedy:
      'Keep the evidence file where there is one: it proves the fork to anybody. Rely on nothing of this log.',
  },
  head_behind: {
    meaning:
      "An address shows less of a log than before, than all addresses showed in an earlier watch, or than others have shown for longer than the grace by the watcher's clock; or nobody shows as much of a publisher's log as a co-signer saw.",
    remedy: 'Ask whoever runs the address, and read the log at another one meanwhile.',
  },
  log_changed: {
    meaning: 'An address shows another log, by its name or its first entry, than it did before.',
    remedy: 'Check that the address is still the one that you mean, and ask its operator.',
  },
  key_twice: {
    meaning: "A co-signer's key is in force in two logs.",
    remedy: 'Do not count this co-signer until it has said which log is its own.',
  },
  history_differs: {
    meaning:
      "A co-signer speaks of a report that the publisher's log does not have in that place, or names a head that is not the publisher's tree of that size.",
    remedy:
      'Ask both. Keep what both showed: if the co-signer holds a signed checkpoint of the other history, it is evidence of a fork.',
  },
  dissent_hidden: {
    meaning: "A dissent in a co-signer's own log is not in the publisher's log after the grace.",
    remedy: 'Do not settle on that report before you know why the co-signer dissents.',
  },
  agreement_hidden: {
    meaning: "An agreement in a co-signer's own log is not in the publisher's log after the grace.",
    remedy: 'Ask the publisher. The number has fewer co-signers in its log than agreed with it.',
  },
  word_unlogged: {
    meaning:
      "A statement in the publisher's log is not in the co-signer's own log after the grace.",
    remedy: 'Do not count the statement before the co-signer has confirmed it.',
  },
  word_contradicts: {
    meaning: "A co-signer's statement on one report is there in two texts.",
    remedy: 'Do not count this co-signer. Keep the evidence file, where there is one.',
  },
  recounter_silent: {
    meaning:
      'A co-signer has no statement on reports whose time for reads, and the grace, are over. A report that the publisher has not signed asks for none.',
    remedy: 'Ask the co-signer whether its recounter runs.',
  },
  publisher_silent: {
    meaning:
      'A publisher that was reached owes a period, which has neither a final nor a void an hour after its deadline; or its newest entry is older than a release that is past by more than the grace.',
    remedy: 'Read its /status, and ask the publisher.',
  },
  index_missing: {
    meaning:
      'A publisher that was reached has no index entry of a day since its first rule, though the day ended before the grace, which is a day at least.',
    remedy:
      'Ask the publisher. Until the entry is there, no bundle shows that its number is the only one.',
  },
  print_contradicts: {
    meaning: 'Two prints in one place are both signed by the publisher.',
    remedy: 'Keep the evidence file, where there is one. Rely on nothing of this log.',
  },
};

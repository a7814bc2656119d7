import type { Kind } from './kinds.ts';

/** What an entry of a kind is, for people, and where the specification has it. */
export interface KindMeaning {
  /** A whole sentence. */
  readonly meaning: string;
  /** A page of `docs/spec`, with its place. */
  readonly page: string;
}

/** What each kind that this release reads is for. `docs/reference/kinds.md` is made of it. */
export const KIND_MEANINGS: Readonly<Record<Kind, KindMeaning>> = {
  'genesis/1': {
    meaning: 'Entry 0: the name of the log, its keys and what it promises for good.',
    page: 'entry.md#genesis1',
  },
  'rule/1': {
    meaning: 'A version of the rule by which the numbers of an index are made.',
    page: 'entry.md#rule1',
  },
  'report/1': {
    meaning: 'The signed record of the number of a period, or of why there is none.',
    page: 'entry.md#report1',
  },
  'revision/1': {
    meaning: 'A source changed a number that was printed before. What was settled stays.',
    page: 'revision.md',
  },
  'cosigners/1': {
    meaning: 'The set of co-signers from a time on, and how many of them a settlement needs.',
    page: 'cosigners.md#set',
  },
  'cosign/1': {
    meaning: "A co-signer's agreement with a report.",
    page: 'cosigners.md#statements',
  },
  'dissent/1': {
    meaning: "A co-signer's statement that a report is wrong, with what it found instead.",
    page: 'cosigners.md#statements',
  },
  'print/1': {
    meaning: 'A print is on chain: where, since when, and with whose signatures.',
    page: 'print-entry.md',
  },
  'statement/1': {
    meaning: "What a co-signer states about a report, in the co-signer's own log.",
    page: 'statement.md',
  },
  'key/1': { meaning: 'The next report key, after a rotation or a recovery.', page: 'key.md' },
  'key/2': {
    meaning:
      'The promise of the next checkpoint key, or the key that was promised, in the place of the one before it.',
    page: 'checkpoint-key.md',
  },
  'close/1': {
    meaning: 'The signed list of the newest number of each index at the end of a day.',
    page: 'close.md',
  },
  'index/1': {
    meaning:
      'Counts and roots of all prints, rules and keys at the end of a day, which show what is not there.',
    page: 'index.md',
  },
  'anchor/1': {
    meaning: 'A batch of stamps, and the Bitcoin blocks that hold it.',
    page: 'anchor.md#anchor1',
  },
  'beacon/1': {
    meaning: 'A recent Bitcoin block, after which the following entries were written.',
    page: 'anchor.md#beacon1',
  },
  'score-rule/1': {
    meaning: 'A version of the rule by which the Terminal scores assets.',
    page: 'score.md',
  },
  'asset/1': { meaning: 'An asset is listed, changed or delisted.', page: 'tick.md#asset' },
  'tick/1': { meaning: 'The scores of all assets of a class at one time.', page: 'tick.md#entry' },
  'event/1': {
    meaning: 'An event opened, because the score of an asset was high.',
    page: 'event.md#opening',
  },
  'event-close/1': { meaning: 'An event closed, and why.', page: 'event.md#close' },
  'receipt/1': {
    meaning: 'What became of an asset a day, a week or 30 days after its event.',
    page: 'receipt.md',
  },
  'benchmark/1': {
    meaning: 'What became of the whole class of an asset over the time of a receipt.',
    page: 'receipt.md#benchmark',
  },
  'split/1': { meaning: 'The units of an asset were split or joined.', page: 'score.md#split' },
  'study/1': {
    meaning:
      'A frozen study of what followed past events, by the first version of the method. No base rate is answered from it where the second is in force.',
    page: 'base-rate-1.md',
  },
  'study/2': {
    meaning: 'A frozen study of what followed past events, from which base rates are answered.',
    page: 'base-rate.md',
  },
  'arena-rule/1': {
    meaning: 'A version of the rule by which forecasts are taken, opened and graded.',
    page: 'arena-rule.md',
  },
  'round/1': { meaning: 'A round of the Arena opened.', page: 'arena.md#round' },
  'forecast/1': { meaning: 'A forecast, sealed or committed to.', page: 'arena.md#forecast' },
  'freeze/1': {
    meaning: 'A round of the Arena closed: how many forecasts it has, and the root over them.',
    page: 'arena.md#freeze',
  },
  'unseal/1': {
    meaning: 'The forecasts of a round were opened, or could not be.',
    page: 'arena.md#unseal',
  },
  'grade/1': { meaning: 'The points of a round of the Arena.', page: 'arena.md#grade' },
  'question/1': { meaning: 'A question about an event was asked.', page: 'referee.md#question' },
  'answers/1': {
    meaning: 'Answers to a question, committed to or opened.',
    page: 'referee.md#answers',
  },
  'outcome/1': {
    meaning: 'Whether the answer to a question was yes or no, or that it is void.',
    page: 'referee.md#outcome',
  },
  'note/1': {
    meaning:
      'Words of the operator, such as that entries were lost before a restore. They decide nothing.',
    page: 'entry.md#note1',
  },
};

/** What is too late, and how much is taken. */
export interface ReceptionLimits {
  /** Periods of each index that everybody is to be heard on; beyond them, what lacks its quorum. */
  readonly periods: number;
  /** Seconds without a word on a report after which it is said that there is none. */
  readonly silentAfterS: number;
  /** Seconds after which a report that settles, or puts right, is told of without its quorum. */
  readonly quorumAfterS: number;
  /** Words of one co-signer that may change something in a minute; what changes nothing is not counted. */
  readonly wordsPerMinute: number;
  /** Words that are looked into at once. */
  readonly atOnce: number;
  /** Milliseconds of real time that an answer waits for the checkpoint that holds its entry, and how many may wait. */
  readonly publishMs: number;
  readonly waiting: number;
}

export const RECEPTION_LIMITS: ReceptionLimits = {
  periods: 64,
  silentAfterS: 3600,
  quorumAfterS: 6 * 3600,
  wordsPerMinute: 600,
  atOnce: 16,
  publishMs: 10_000,
  waiting: 256,
};

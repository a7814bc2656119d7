/** What is too late, and how much is accepted. */
export interface ReceptionLimits {
  /**
   * For how many periods of each index everybody has to make a statement. For older ones only what lacks its
   * quorum is considered.
   */
  readonly periods: number;
  /** Seconds without a statement on a report after which that is reported. */
  readonly silentAfterS: number;
  /** Seconds after which a settling or correcting report without its quorum is reported. */
  readonly quorumAfterS: number;
  /**
   * How many statements of one co-signer may change something in a minute. What changes nothing is not counted.
   */
  readonly wordsPerMinute: number;
  /** How many statements are checked at once. */
  readonly atOnce: number;
  /**
   * How many milliseconds of real time an answer waits for the checkpoint that holds its entry, and how many
   * answers may wait.
   */
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

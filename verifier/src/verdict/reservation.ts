/**
 * The classes of reservations beside a positive verdict, in the order in which every verdict lists them. The list is
 * closed and its order is fixed; a settlement rests on the first four. Each class is kept and capped by itself, so that
 * nothing that a publisher writes moves, thins out or hides what another class holds.
 */
export const RESERVATION_CLASSES = [
  'quorum', // co-signatures that are missing or too few, and what co-signatures do not show
  'completeness', // periods, Closes, index entries or parts of the log that nobody has shown
  'calendar', // releases that were moved, and which version of a rule governs a period
  'trust', // keys, sets, signature lines and witnesses that were not checked against a policy or the whole log
  'times', // the clock, and Bitcoin blocks that are pending, unproven or missing
  'chain', // accounts that were not given, not seen or behind, or that rest on somebody's statement
  'sources', // reads that could not be run again, and what kept bytes cannot show
  'terminal', // vendor values of ticks, events and studies
  'scope', // what a subject of this kind never shows
] as const;

export type ReservationClass = (typeof RESERVATION_CLASSES)[number];

/** Lines of each class that a verdict lists. Those beyond them are counted. */
export const MAX_RESERVATIONS: Readonly<Record<ReservationClass, number>> = {
  quorum: 1000,
  completeness: 1000,
  calendar: 1000,
  trust: 1000,
  times: 100,
  chain: 100,
  sources: 100,
  terminal: 100,
  scope: 100,
};

/** How many names one line lists where a publisher chooses the names, such as those of providers. */
export const MAX_NAMES = 5;

/**
 * What the first line of a verdict counts, of the classes on which a settlement rests. The counts are exact, however
 * many lines are listed.
 */
export interface ReservationCounts {
  /** Of `quorum`: finals past the deadline of their round without the co-signatures that their log asks for. */
  readonly finals_without_quorum: number;
  /** Of `completeness`: periods past their deadline with neither a final nor a void. */
  readonly open_periods: number;
  /** Of `completeness`: days without their Close. */
  readonly missing_closes: number;
  /** Of `completeness`: days without their index entry. */
  readonly missing_indexes: number;
  /** Of `completeness`: stretches of periods or days that were too much to check. */
  readonly unseen_ranges: number;
  /** Of `completeness`: ranges of entries that the log says it lost. */
  readonly lost_ranges: number;
  /**
   * Of `completeness`: days between the newest entry of a production log and the verifier's clock, where there are over
   * two.
   */
  readonly stale_days: number;
  /** Of `calendar`: periods whose release was moved before it took place. */
  readonly moved_releases: number;
  /** Of `calendar`: periods whose clocks run from a late publication that co-signers saw. */
  readonly late_publications: number;
  /**
   * Of `chain`: feeds under the log's key that the log has no rule for and that are newer than what is known of the
   * log.
   */
  readonly newer_feeds: number;
}

export type ReservationCount = keyof ReservationCounts;

export function noReservations(): { -readonly [K in ReservationCount]: number } {
  return {
    finals_without_quorum: 0,
    open_periods: 0,
    missing_closes: 0,
    missing_indexes: 0,
    unseen_ranges: 0,
    lost_ranges: 0,
    stale_days: 0,
    moved_releases: 0,
    late_publications: 0,
    newer_feeds: 0,
  };
}

/** A change that was shipped, in the publisher's words. */
export interface Ship {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Number of the pull request. */
  readonly pr: number;
  readonly title: string;
  readonly summary: string;
}

/** The ship notes of `/changelog`, newest first. */
export const SHIPS: readonly Ship[] = [];

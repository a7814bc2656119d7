/** How lengths of time are spread, in seconds. */
export interface Spread {
  readonly count: number;
  /** The smallest value that at least half, or 95 %, of them do not exceed (the nearest rank). */
  readonly median_s: number;
  readonly p95_s: number;
  readonly worst_s: number;
  /** What the longest is of; of equal ones the newest. */
  readonly worst: string;
}

/** The spread of lengths, each with what it is of, oldest first; null of none. */
export function spreadOf(
  lengths: readonly { readonly seconds: number; readonly of: string }[],
): Spread | null {
  const sorted = lengths.toSorted((a, b) => a.seconds - b.seconds);
  const last = sorted.at(-1);
  if (last === undefined) return null;
  const rank = (part: number): number =>
    sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]?.seconds ?? last.seconds;
  return {
    count: sorted.length,
    median_s: rank(0.5),
    p95_s: rank(0.95),
    worst_s: last.seconds,
    worst: last.of,
  };
}

/** What is offered for a compute unit, in micro-lamports. */
export interface PriorityLimits {
  readonly floor: bigint;
  /** No attempt offers more. */
  readonly cap: bigint;
  /** The percentile, 0 to 100, of what was paid recently. */
  readonly percentile: number;
}

/**
 * The price of a unit at an attempt, counted from 1. It is the percentile (nearest rank) of what was paid
 * recently, but at least the floor; it doubles at each further attempt, up to the cap.
 */
export function priorityFee(
  recent: readonly bigint[],
  { floor, cap, percentile }: PriorityLimits,
  attempt: number,
): bigint {
  const sorted = [...recent].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const rank = Math.max(1, Math.ceil((sorted.length * percentile) / 100));
  const paid = sorted[rank - 1] ?? 0n;
  const asked = (paid > floor ? paid : floor) << BigInt(attempt - 1);
  return asked < cap ? asked : cap;
}

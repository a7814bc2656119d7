/** What is offered for a compute unit, micro-lamports. */
export interface PriorityLimits {
  readonly floor: bigint;
  /** No attempt offers more. */
  readonly cap: bigint;
  /** Of what was paid of late, 0 to 100. */
  readonly percentile: number;
}

/**
 * The price of a unit at an attempt, from 1: the percentile (nearest rank) of what was paid of late, not
 * below the floor, twice as much at each further attempt, not above the cap.
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

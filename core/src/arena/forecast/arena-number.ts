import { rational, roundScaled } from '../../number/rational.ts';

/** A handle whose forecast counts in the arena number, and how much. */
export interface Weighted {
  /** The handle's id, hex. */
  readonly handle: string;
  /** Hundredths of its mean points when the round was frozen. */
  readonly weight: number;
}

/** What the best handles expect of a round. It is not official. */
export interface ArenaNumber {
  /** A scaled integer as text; null where nobody who counts has a forecast that opened. */
  readonly value: string | null;
  /** How many forecasts it is made of. */
  readonly n: number;
}

/** The arena number of a round that has none. */
export const NO_ARENA_NUMBER: ArenaNumber = { value: null, n: 0 };

/**
 * The mean of the forecasts of `top`, weighted as frozen, rounded half away from zero to the index's last decimal. Handles
 * whose forecast did not open have no part in it. It is null where no weight is left.
 */
export function arenaNumber(
  top: readonly Weighted[],
  values: ReadonlyMap<string, bigint>,
): ArenaNumber {
  let [n, weights, sum] = [0, 0n, 0n];
  for (const { handle, weight } of top) {
    const value = values.get(handle);
    if (value === undefined) continue;
    n += 1;
    weights += BigInt(weight);
    sum += BigInt(weight) * value;
  }
  if (weights === 0n) return { value: null, n };
  return { value: roundScaled(rational(sum, weights), 0, 'half_away').toString(), n };
}

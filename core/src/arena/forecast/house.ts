import type { Sha256 } from '../../hash/hash.ts';
import { houseHandle } from './handle.ts';

/** The forecasters of the operator, in the order in which a round lists them. */
export const HOUSE_NAMES = ['house-last', 'house-median'] as const;
export type HouseName = (typeof HOUSE_NAMES)[number];

/** A house forecaster's forecast in a round. */
export interface HouseForecast {
  /** The forecaster's id, hex. */
  readonly handle: string;
  /** A scaled integer as text. */
  readonly value: string;
}

/** The ids of the house forecasters. */
export function houseHandles(sha256: Sha256): readonly string[] {
  return HOUSE_NAMES.map((name) => houseHandle(sha256, name));
}

/** The name of a house forecaster; undefined for any other handle. */
export function houseName(sha256: Sha256, handle: string): HouseName | undefined {
  return HOUSE_NAMES.find((name) => houseHandle(sha256, name) === handle);
}

/**
 * What the house forecasters expect, by a published formula: the newest print, and the median of `prints`, which are the
 * newest ones in any order. The median of an even count is the lower of the middle two, so that it is one of them.
 */
export function houseForecasts(
  sha256: Sha256,
  last: bigint,
  prints: readonly bigint[],
): readonly HouseForecast[] {
  const [first, second] = houseHandles(sha256) as [string, string];
  return [
    { handle: first, value: last.toString() },
    { handle: second, value: (lowerMedian(prints) ?? last).toString() },
  ];
}

function lowerMedian(values: readonly bigint[]): bigint | undefined {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted[(sorted.length - 1) >> 1];
}

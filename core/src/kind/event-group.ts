import type { Breadth } from './event.ts';

/** How far an asset had moved when its event opened, over the long return of the rule, in percent. */
export const BUCKETS = ['down_15', 'down_5', 'within_5', 'up_5', 'up_15', 'up_30'] as const;
export type Bucket = (typeof BUCKETS)[number];

/** What share of its class had moved the same way by 5 % or more: under 10 %, under 30 %, or more. */
export const BREADTHS = ['alone', 'some', 'broad'] as const;
export type BreadthName = (typeof BREADTHS)[number];

/** Events that are compared with each other, within one class. */
export interface EventGroup {
  readonly bucket: Bucket;
  readonly breadth: BreadthName;
}

/** Every group of a class: the buckets in order, each with every breadth. */
export const EVENT_GROUPS: readonly EventGroup[] = BUCKETS.flatMap((bucket) =>
  BREADTHS.map((breadth) => ({ bucket, breadth })),
);

/**
 * The bucket of a move in basis points: (-inf,-1500] (-1500,-500] (-500,500) [500,1500) [1500,3000) [3000,inf).
 */
export function bucketOf(move: number): Bucket {
  if (move <= -1500) return 'down_15';
  if (move <= -500) return 'down_5';
  if (move < 500) return 'within_5';
  if (move < 1500) return 'up_5';
  return move < 3000 ? 'up_15' : 'up_30';
}

/**
 * The breadth of a move: the share of assets that moved 5 % or more in its direction. A move of exactly 0 has
 * no direction and takes the larger side. Undefined if no asset has a move.
 */
export function breadthOf(move: number, { up, down, of }: Breadth): BreadthName | undefined {
  if (of === 0) return undefined;
  const same = move > 0 ? up : move < 0 ? down : Math.max(up, down);
  if (10 * same < of) return 'alone';
  return 10 * same < 3 * of ? 'some' : 'broad';
}

/** The group of a move; undefined without a move, or if no asset of the class has one. */
export function groupOf(move: number | null, breadth: Breadth): EventGroup | undefined {
  if (move === null) return undefined;
  const name = breadthOf(move, breadth);
  return name === undefined ? undefined : { bucket: bucketOf(move), breadth: name };
}

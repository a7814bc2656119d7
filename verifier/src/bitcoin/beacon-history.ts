import { MAX_REORGANISED } from '@assay/core/kind/anchor';
import type { CheckedBeacon } from './beacon-check.ts';
import { isVouched } from './block-time.ts';
import type { BlockFacts } from '../verdict/verdict.ts';

/** A beacon's block and the entry that names it. */
export type Named = BlockFacts & { readonly seq: number };

/** The entry of a good beacon, and what is known there of this beacon and of those before it. */
interface Good {
  readonly seq: number;
  /** The highest block; of equals the newest. */
  readonly top: Named;
  /** The block with the latest time, among those that something vouches for and among all. */
  readonly vouched: Named | undefined;
  readonly latest: Named;
}

/** What a `BeaconHistory` knows of each beacon, in the order of the log. */
export interface KeptBeacons {
  readonly seqs: readonly number[];
  readonly highest: readonly number[];
  readonly checked: readonly (CheckedBeacon | undefined)[];
}

/** The beacons of a log in its order. It finds the highest block that was known before each entry. */
export class BeaconHistory {
  /** For each beacon its entry, and the largest height so far. Both ascend. */
  readonly #seqs: number[] = [];
  readonly #highest: number[] = [];
  readonly #checked: (CheckedBeacon | undefined)[] = [];
  #good: Good[] = [];

  get kept(): KeptBeacons {
    return { seqs: this.#seqs, highest: this.#highest, checked: this.#checked };
  }

  /** Goes on as the one that was kept. */
  resume({ seqs, highest, checked }: KeptBeacons): void {
    for (const seq of seqs) this.#seqs.push(seq);
    for (const height of highest) this.#highest.push(height);
    for (const beacon of checked) this.#checked.push(beacon);
  }

  /**
   * Records the next beacon, in the order of the log, and returns its place for `checked`. Undefined for a beacon so
   * far below the highest one before it that no reorganisation explains it.
   */
  note(seq: number, height: number): number | undefined {
    const highest = this.#highest.at(-1) ?? 0;
    if (height < highest - MAX_REORGANISED) return undefined;
    this.#seqs.push(seq);
    this.#checked.push(undefined);
    return this.#highest.push(Math.max(height, highest)) - 1;
  }

  /** Records the result of a beacon's check. */
  checked(place: number, beacon: CheckedBeacon): void {
    this.#checked[place] = beacon;
  }

  /** The largest height that a beacon before entry `seq` names, as far as the walk has come. */
  heightBefore(seq: number): number | undefined {
    return this.#highest[countBelow(this.#seqs, (each) => each < seq) - 1];
  }

  /** Puts the good beacons in order, once all have been checked. */
  settle(): void {
    this.#good = [];
    let before: Good | undefined;
    for (const [i, beacon] of this.#checked.entries()) {
      if (beacon === undefined || beacon.stale) continue;
      const named = { seq: this.#seqs[i] as number, ...beacon.facts };
      before = {
        seq: named.seq,
        top: before !== undefined && before.top.height > named.height ? before.top : named,
        vouched: isVouched(named) ? later(before?.vouched, named) : before?.vouched,
        latest: later(before?.latest, named),
      };
      this.#good.push(before);
    }
  }

  /**
   * The highest good block that is named before entry `seq`, and that was known before any block of height `below` or
   * more was. An entry that a block of height `below` holds was written after it.
   */
  highestBefore(seq: number, below: number = Number.POSITIVE_INFINITY): Named | undefined {
    const known = countBelow(this.#good, (each) => each.seq < seq && each.top.height < below);
    return this.#good[known - 1]?.top;
  }

  /**
   * The good block with the latest time among those named before entry `seq`: of those that something vouches for, and
   * of all.
   */
  latestBefore(seq: number): Pick<Good, 'vouched' | 'latest'> | undefined {
    return this.#good[countBelow(this.#good, (each) => each.seq < seq) - 1];
  }
}

function later(before: Named | undefined, named: Named): Named {
  return before !== undefined && before.time > named.time ? before : named;
}

/** How many of `items` satisfy `isBelow`; all of those are at the front. */
function countBelow<T>(items: readonly T[], isBelow: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(items[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}

import type { Split } from '@assay/core/kind/split';
import { DAY_SECONDS, parseTime } from '@assay/core/time/time';
import { isBeside } from '@assay/core/view/splits';

/**
 * The splits that a log has had so far, by asset and by the UTC day from which they are in force. All splits within a
 * day of one are in its own day or in a neighbouring one, however many an asset has.
 */
export class SplitDays {
  #days = new Map<string, Split[]>();

  /** The splits so far, by asset and day. It changes with the next one. */
  get kept(): Map<string, Split[]> {
    return this.#days;
  }

  /** Goes on with the splits that were kept. Call it before the first one. */
  resume(kept: Map<string, Split[]>): void {
    this.#days = kept;
  }

  /** Adds a split. Returns an earlier split of the same asset that is less than a day away, if there is one. */
  add(split: Split): Split | undefined {
    const day = Math.floor(parseTime(split.effective_at) / DAY_SECONDS);
    const near = [day - 1, day, day + 1].flatMap((each) => this.#of(split, each));
    const own = this.#days.get(keyOf(split, day));
    if (own === undefined) this.#days.set(keyOf(split, day), [split]);
    else own.push(split);
    return near.find((each) => isBeside(each, split));
  }

  #of(split: Split, day: number): readonly Split[] {
    return this.#days.get(keyOf(split, day)) ?? [];
  }
}

function keyOf({ symbol }: Split, day: number): string {
  return `${symbol} ${day}`;
}

import { type TimeText, parseTime } from '@assay/core/time/time';
import { newestAnchor } from '@assay/core/view/anchors';
import type { ViewState } from '@assay/core/view/view';
import type { BitcoinFacts } from '../verdict/verdict.ts';

/** Seconds that an entry may wait for its batch before it counts as late. A node stamps every ten minutes. */
const LATE_S = 7200;

/** Kinds that cause no batch by themselves, because they are about the stamps of others. */
const QUIET: ReadonlySet<string> = new Set(['anchor/1', 'beacon/1']);

/** How far a log extends. */
export interface LogEnd {
  readonly size: number;
  /** When its newest entry was written; empty where it has none. */
  readonly at: TimeText | '';
  /** When the oldest entry that waits for a batch was written; undefined where none waits. */
  readonly since: TimeText | undefined;
}

interface Entry {
  readonly seq: number;
  readonly at: TimeText;
}

/** The oldest and the newest entry that wait for a batch; of those between them nothing is remembered. */
export interface KeptUnstamped {
  readonly oldest: Entry | undefined;
  readonly newest: Entry | undefined;
}

/** Tracks since when entries wait for a batch, while the walk meets entries and batches. */
export class Unstamped {
  #oldest: Entry | undefined;
  #newest: Entry | undefined;

  get kept(): KeptUnstamped {
    return { oldest: this.#oldest, newest: this.#newest };
  }

  /** Goes on as the one that was kept. */
  resume({ oldest, newest }: KeptUnstamped): void {
    this.#oldest = oldest;
    this.#newest = newest;
  }

  get since(): TimeText | undefined {
    return this.#oldest?.at;
  }

  entry(kind: string, seq: number, at: TimeText): void {
    if (!wantsStamp(kind)) return;
    this.#newest = { seq, at };
    this.#oldest ??= this.#newest;
  }

  /** Records a batch of the entries before `to`. Of those after it, only the newest is remembered. */
  batch(to: number): void {
    if (this.#oldest === undefined || this.#oldest.seq >= to) return;
    this.#oldest = (this.#newest?.seq ?? 0) >= to ? this.#newest : undefined;
  }
}

/** Whether a batch of stamps is made for an entry of this kind. */
export function wantsStamp(kind: string): boolean {
  return !QUIET.has(kind);
}

/** The entries at the end of a log that no batch of stamps covers. */
export function uncoveredOf(
  state: ViewState,
  { size, at, since }: LogEnd,
): BitcoinFacts['uncovered'] {
  const newest = newestAnchor(state);
  const from = newest?.to ?? 0;
  if (from >= size) return null;
  const late =
    newest === undefined ||
    (since !== undefined && at !== '' && parseTime(at) > parseTime(since) + LATE_S);
  return { from, to: size, late };
}

import { setImmediate } from 'node:timers/promises';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { priceUnits } from '@assay/core/terminal/tick/price-units';
import { parseTickLeaves, type TickLeaf } from '@assay/core/terminal/tick/tick-leaf';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { TickValues } from '@assay/core/terminal/tick/tick-values';
import { DAY_SECONDS, formatDate, formatTime, parseTime } from '@assay/core/time/time';
import { type TickRow, ticksBack } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';
import type { BlobStore } from '../blob/blob-store.ts';
import { readNamedBlob } from '../blob/named-blob.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { openedValues } from '../terminal/tick/opened-input.ts';
import type { DayOfTicks, TickOpenings } from '../terminal/tick/tick-openings.ts';

/** What a publisher has of its ticks: their leaves, and what opens them. */
export interface StoredTickParts {
  readonly blobs: Pick<BlobStore, 'read'>;
  readonly sha256: Sha256;
  /** By class; a class without them is made by nobody here. */
  readonly openings: Readonly<Partial<Record<AssetClass, Pick<TickOpenings, 'day'>>>>;
}

/** An asset at a tick. */
export interface StoredReading {
  /** Unix seconds. */
  readonly ts: number;
  /** The entry of the tick. */
  readonly seq: number;
  readonly good: boolean;
  readonly score: number | null;
  /** Null where they are no longer stored. */
  readonly values: TickValues | null;
}

/** How many days' files are in memory for one answer: the day of a tick, and that of a day before. */
const DAYS_HELD = 2;
/**
 * How many answers may wait for the one that is being made. A year takes a dozen seconds, and a payment that waits for longer than a
 * minute can no longer be settled.
 */
export const MOST_WAITING = 3;
/** After how many rows a walk lets other work run. */
const ROWS_AT_ONCE = 1000;

/**
 * Reads the ticks of a class back, each leaf held against its entry and each opening against its leaf. One answer reads at a
 * time: a year of a large market is many megabytes.
 */
export class StoredTicks {
  readonly #parts: StoredTickParts;
  readonly #semaphore = new Semaphore(1);

  constructor(parts: StoredTickParts) {
    this.#parts = parts;
  }

  /** Whether prices of a class are read here at all. */
  isWatched(of: AssetClass): boolean {
    return this.#parts.openings[of] !== undefined;
  }

  /** Whether as many answers wait as may. */
  get isBusy(): boolean {
    return this.#semaphore.waiting >= MOST_WAITING;
  }

  /** Runs `work` when no other answer is reading. Whoever calls it asks `isBusy` first. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#semaphore.run(work);
  }

  /**
   * The readings of an asset from `from` to `to` (unix seconds, both included), oldest first. A tick in which it has no
   * leaf is left out. Throws `blob_missing`, `replay_differs` and `ledger_corrupt`.
   */
  async *ofAsset(
    state: ViewState,
    of: AssetClass,
    symbol: string,
    [from, to]: readonly [from: number, to: number],
  ): AsyncGenerator<StoredReading> {
    const rows = await rowsBetween(state, of, from, to);
    const days = new HeldDays(this.#parts.openings[of]);
    for (const [ts, row] of rows.reverse()) {
      const leaf = (await this.#leaves(row, ts)).find((each) => each.symbol === symbol);
      if (leaf === undefined) continue;
      const day = await days.of(ts);
      yield this.#reading(row, leaf, day);
    }
  }

  /** The same of every asset at one tick, by symbol. */
  async atTick(
    of: AssetClass,
    row: TickRow,
    ts: number,
    days: HeldDays = new HeldDays(this.#parts.openings[of]),
  ): Promise<ReadonlyMap<string, StoredReading>> {
    const leaves = await this.#leaves(row, ts);
    const day = await days.of(ts);
    return new Map(leaves.map((leaf) => [leaf.symbol, this.#reading(row, leaf, day)]));
  }

  /** Whether an asset that `isSought` has a leaf at one tick, by the leaves alone. */
  async hasAtTick(
    row: TickRow,
    ts: number,
    isSought: (leaf: Pick<TickLeaf, 'symbol' | 'score'>) => boolean,
  ): Promise<boolean> {
    return (await this.#leaves(row, ts)).some(isSought);
  }

  /** The days of a class, for several reads of one answer. */
  days(of: AssetClass): HeldDays {
    return new HeldDays(this.#parts.openings[of]);
  }

  #reading(row: TickRow, leaf: TickLeaf, day: DayOfTicks | undefined): StoredReading {
    const { symbol, ts, score, good, commitment } = leaf;
    const opening = day?.ticks.get(ts)?.openings.find((each) => each.symbol === symbol);
    const values =
      opening === undefined ? null : openedValues(this.#parts.sha256, ts, opening, commitment);
    return { ts, seq: row.seq, good, score, values };
  }

  async #leaves({ blob }: TickRow, ts: number): Promise<readonly TickLeaf[]> {
    const bytes = await readNamedBlob(this.#parts.blobs, this.#parts.sha256, blob);
    if (bytes !== undefined) return parseTickLeaves(bytes);
    throw new Fault('blob_missing', 'tick leaves', { at: formatTime(ts), expected: blob });
  }
}

/** What opens the ticks of a few days, read once. */
export class HeldDays {
  readonly #openings: Pick<TickOpenings, 'day'> | undefined;
  readonly #held = new Map<string, DayOfTicks | undefined>();

  constructor(openings: Pick<TickOpenings, 'day'> | undefined) {
    this.#openings = openings;
  }

  async of(ts: number): Promise<DayOfTicks | undefined> {
    const name = formatDate(Math.floor(ts / DAY_SECONDS));
    if (this.#held.has(name)) return this.#held.get(name);
    const day = await this.#openings?.day(name);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= DAYS_HELD && oldest !== undefined) this.#held.delete(oldest);
    this.#held.set(name, day);
    return day;
  }
}

/**
 * The ticks of a class from `from` to `to` (unix seconds, both included), newest first. A year has 35,040, so it lets other work run
 * in between.
 */
export async function rowsBetween(
  state: ViewState,
  of: AssetClass,
  from: number,
  to: number,
): Promise<(readonly [ts: number, row: TickRow])[]> {
  const rows: (readonly [number, TickRow])[] = [];
  for (const [time, row] of ticksBack(state, of, formatTime(to + 1))) {
    const ts = parseTime(time);
    if (ts < from) break;
    rows.push([ts, row]);
    if (rows.length % ROWS_AT_ONCE === 0) await setImmediate();
  }
  return rows;
}

/** The newest of them. */
export function newestBetween(
  state: ViewState,
  of: AssetClass,
  from: number,
  to: number,
): readonly [ts: number, row: TickRow] | undefined {
  for (const [time, row] of ticksBack(state, of, formatTime(to + 1))) {
    const ts = parseTime(time);
    return ts < from ? undefined : [ts, row];
  }
  return undefined;
}

/** Units of an asset's price in a reading that is good; undefined where they are not stored. */
export function unitsOf({ good, values }: StoredReading, decimals: number): number | undefined {
  const price = good ? values?.price : null;
  return typeof price === 'string' ? priceUnits(price, decimals) : undefined;
}

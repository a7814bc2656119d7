import { DAY_SECONDS, HOUR_SECONDS } from '@assay/core/time/time';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import { NO_SCORE } from '@assay/core/terminal/tick/tick-leaf';

/** How many seconds a history goes back from its newest tick. */
export const HISTORY_SECONDS: number = 30 * DAY_SECONDS;
/** The most ticks in a history: one for each quarter of an hour, including both ends. */
const CAPACITY = HISTORY_SECONDS / GRID_SECONDS + 1;

/** Marks an asset whose leaf in the tick is not good. */
const NOT_GOOD = 254;
/** Marks an asset that has no leaf in the tick. */
const ABSENT = 253;

/** What the leaf of a tick gives for an asset. */
export interface ScoreReading {
  /** Unix seconds. */
  readonly ts: number;
  readonly score: number | null;
}

/** The fields of a leaf that a history stores. */
export interface ReadLeaf {
  readonly symbol: string;
  readonly score: number | null;
  readonly good: boolean;
}

/**
 * The scores of a class's assets over the last 30 days, from the public leaves of its ticks. It stores one byte
 * for each asset and tick, however long the log is.
 */
export class ScoreHistory {
  /** The times of the ticks in a ring. */
  readonly #times = new Float64Array(CAPACITY);
  readonly #scores = new Map<string, Uint8Array>();
  #newestGood: number | undefined;
  /** The number of ticks that were ever added. The place of the next one is `#count % CAPACITY`. */
  #count = 0;

  /** The time of the newest tick in unix seconds; undefined before the first. */
  get newest(): number | undefined {
    return this.#count === 0 ? undefined : this.#timeAt(this.#count - 1);
  }

  /**
   * The time of the newest tick that was good for any asset, in unix seconds; undefined if there is none in the
   * history.
   */
  get newestGood(): number | undefined {
    const [good, newest] = [this.#newestGood, this.newest];
    if (good === undefined || newest === undefined) return undefined;
    return good < newest - HISTORY_SECONDS ? undefined : good;
  }

  /** Adds a tick. A tick that is not after the newest is ignored, because the ticks of a class rise. */
  add(ts: number, leaves: Iterable<ReadLeaf>): void {
    const { newest } = this;
    if (newest !== undefined && ts <= newest) return;
    const slot = this.#count % CAPACITY;
    this.#times[slot] = ts;
    for (const scores of this.#scores.values()) scores[slot] = ABSENT;
    for (const { symbol, score, good } of leaves) {
      let scores = this.#scores.get(symbol);
      if (scores === undefined) {
        scores = new Uint8Array(CAPACITY).fill(ABSENT);
        this.#scores.set(symbol, scores);
      }
      scores[slot] = good ? (score ?? NO_SCORE) : NOT_GOOD;
      if (good) this.#newestGood = ts;
    }
    this.#count += 1;
  }

  /** The newest good reading of an asset; undefined if the history has none. */
  latest(symbol: string): ScoreReading | undefined {
    for (const [ts, byte] of this.#back(symbol)) {
      if (isGood(byte)) return { ts, score: scoreOf(byte) };
    }
    return undefined;
  }

  /** The score of the tick an hour before `ts`; null if there is no such tick or it has no score. */
  anHourBefore(symbol: string, ts: number): number | null {
    const wanted = ts - HOUR_SECONDS;
    for (const [at, byte] of this.#back(symbol)) {
      if (at === wanted) return scoreOf(byte);
      if (at < wanted) return null;
    }
    return null;
  }

  /**
   * The readings of an asset at full hours, which are every fourth tick, oldest first. A tick that is not good
   * has no score.
   */
  hourly(symbol: string): readonly ScoreReading[] {
    const found: ScoreReading[] = [];
    for (const [ts, byte] of this.#back(symbol)) {
      if (byte !== ABSENT && ts % HOUR_SECONDS === 0) found.push({ ts, score: scoreOf(byte) });
    }
    return found.reverse();
  }

  /** The highest score of an asset since `since` (unix seconds); null if there is none. */
  peak(symbol: string, since: number): number | null {
    let highest: number | null = null;
    for (const [ts, byte] of this.#back(symbol)) {
      if (ts < since) break;
      const score = scoreOf(byte);
      if (score !== null && (highest === null || score > highest)) highest = score;
    }
    return highest;
  }

  #timeAt(index: number): number {
    return this.#times[index % CAPACITY] as number;
  }

  /** The time and byte of an asset at each tick, newest first. */
  *#back(symbol: string): Generator<readonly [ts: number, byte: number]> {
    const scores = this.#scores.get(symbol);
    const { newest } = this;
    if (scores === undefined || newest === undefined) return;
    const first = Math.max(0, this.#count - CAPACITY);
    for (let i = this.#count - 1; i >= first; i -= 1) {
      const ts = this.#timeAt(i);
      if (ts < newest - HISTORY_SECONDS) return;
      yield [ts, scores[i % CAPACITY] as number];
    }
  }
}

function isGood(byte: number): boolean {
  return byte === NO_SCORE || byte <= 100;
}

function scoreOf(byte: number): number | null {
  return byte <= 100 ? byte : null;
}

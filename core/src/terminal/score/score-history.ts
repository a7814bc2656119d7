import { DAY_SECONDS, HOUR_SECONDS } from '../../time/time.ts';
import { GRID_SECONDS } from '../calendar/grid.ts';
import { NO_SCORE } from '../tick/tick-leaf.ts';

/** Seconds that a history goes back from its newest tick. */
export const HISTORY_SECONDS: number = 30 * DAY_SECONDS;
/** Ticks that a history holds at most: one each quarter of an hour, both ends among them. */
const CAPACITY = HISTORY_SECONDS / GRID_SECONDS + 1;

/** A slot of an asset that the tick has a leaf of, which is not good. */
const NOT_GOOD = 254;
/** A slot of an asset that the tick has no leaf of. */
const ABSENT = 253;

/** What a tick's leaf says of an asset. */
export interface ScoreReading {
  /** Unix seconds. */
  readonly ts: number;
  readonly score: number | null;
}

/** What of a leaf a history keeps. */
export interface ReadLeaf {
  readonly symbol: string;
  readonly score: number | null;
  readonly good: boolean;
}

/**
 * The scores of a class's assets over its last 30 days, as the public leaves of its ticks have them: one byte for each
 * asset and tick, whatever the length of the log.
 */
export class ScoreHistory {
  /** The times of the ticks, in a ring. */
  readonly #times = new Float64Array(CAPACITY);
  readonly #scores = new Map<string, Uint8Array>();
  #newestGood: number | undefined;
  /** Ticks ever added: the next one's place is `#count % CAPACITY`. */
  #count = 0;

  /** Time of the newest tick, unix seconds; undefined before the first. */
  get newest(): number | undefined {
    return this.#count === 0 ? undefined : this.#timeAt(this.#count - 1);
  }

  /** Time of the newest tick that was good for any asset, unix seconds; undefined where none of these days was. */
  get newestGood(): number | undefined {
    const [good, newest] = [this.#newestGood, this.newest];
    if (good === undefined || newest === undefined) return undefined;
    return good < newest - HISTORY_SECONDS ? undefined : good;
  }

  /** Takes up a tick. One that is not after the newest is left out: a class's ticks rise. */
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

  /** The newest good reading of an asset; undefined where it has had none in these days. */
  latest(symbol: string): ScoreReading | undefined {
    for (const [ts, byte] of this.#back(symbol)) {
      if (isGood(byte)) return { ts, score: scoreOf(byte) };
    }
    return undefined;
  }

  /** The score of the tick an hour before `ts`; null where there is no such tick, or no score in it. */
  anHourBefore(symbol: string, ts: number): number | null {
    const wanted = ts - HOUR_SECONDS;
    for (const [at, byte] of this.#back(symbol)) {
      if (at === wanted) return scoreOf(byte);
      if (at < wanted) return null;
    }
    return null;
  }

  /** The readings of an asset at full hours, oldest first: every fourth tick. A tick that is not good has no score. */
  hourly(symbol: string): readonly ScoreReading[] {
    const found: ScoreReading[] = [];
    for (const [ts, byte] of this.#back(symbol)) {
      if (byte !== ABSENT && ts % HOUR_SECONDS === 0) found.push({ ts, score: scoreOf(byte) });
    }
    return found.reverse();
  }

  /** The highest score of an asset from `since` (unix seconds) on; null without one. */
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

  /** Time and byte of an asset at each tick of these days, newest first. */
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

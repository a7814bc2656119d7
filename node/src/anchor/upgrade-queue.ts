import type { AnchorCalendar } from '@assay/core/kind/anchor';
import { parseTime } from '@assay/core/time/time';
import { type AnchorRow, anchorRow, anchorsBack } from '@assay/core/view/anchors';
import { newestBeacon } from '@assay/core/view/beacons';
import type { ViewState } from '@assay/core/view/view';
import type { HeaderTip } from '../bitcoin/header-follower.ts';
import type { Clock } from '../platform/clock.ts';
import type { AnchorTiming } from './anchor-parts.ts';
import { LateDays } from './late-days.ts';

/** The longest wait between two questions about a batch: 6 hours. */
const MAX_WAIT_S = 21_600;
/** Between two questions about a batch that calendars were given up for and no block holds: a week. */
const RARE_S = 604_800;
/** Parts of a week over which such batches are spread when a process begins. */
const RARE_PARTS = 100;
/** Blocks below the tip in which a recorded one is looked at again for a reorganisation. */
const WATCHED_BLOCKS = 144;
/** The last issue that an anchor can say. */
const LAST_ISSUE = 65_535;

/**
 * Which batches are to be asked about when, and whose blocks are to be looked at again. Times of
 * questions are of `elapsed`, which has no steps; a batch's age is of the node's clock as well.
 */
export class UpgradeQueue {
  readonly #state: ViewState;
  readonly #now: Clock;
  readonly #elapsed: Clock;
  readonly #timing: AnchorTiming;
  /** Batches with a calendar that is pending, and when each is due. */
  readonly #waiting = new Map<number, number>();
  /** Batches in no block, with a calendar that was given up, and when each is due. */
  readonly #rare = new Map<number, number>();
  /** When this process first knew of a batch. */
  readonly #since = new Map<number, number>();
  readonly #days: LateDays;
  /** The highest block of each batch that has one. */
  readonly #heights = new Map<number, number>();
  /** Batches whose blocks are near the tip, or were when the last process ended. */
  readonly #watched = new Set<number>();
  /** Batches that have to be looked at again although the tip is the same. */
  readonly #again = new Set<number>();
  #watchedAt: string | undefined;

  constructor(state: ViewState, now: Clock, elapsed: Clock, timing: AnchorTiming) {
    this.#state = state;
    this.#now = now;
    this.#elapsed = elapsed;
    this.#timing = timing;
    this.#days = new LateDays(elapsed, timing.expireAfterS / 30);
    // The chain may have changed since the newest block that the last process wrote down.
    // A beacon may name too great a height; a look too many does no harm.
    let tip = 0;
    for (const { bitcoin } of anchorsBack(state)) tip = Math.max(tip, bitcoin.at(-1)?.height ?? 0);
    tip = Math.min(tip, newestBeacon(state)?.height ?? tip);
    for (const row of anchorsBack(state)) {
      const part = ((row.batch % RARE_PARTS) + 1) / RARE_PARTS;
      this.#take(row, elapsed(), elapsed() + RARE_S * part);
      if (row.bitcoin.some(({ height }) => height > tip - WATCHED_BLOCKS)) {
        this.#watched.add(row.batch);
      }
    }
  }

  get pending(): number {
    return this.#waiting.size;
  }

  /** Batches with a calendar that is pending. */
  get open(): Iterable<number> {
    return this.#waiting.keys();
  }

  get attestedHeight(): number | undefined {
    let highest: number | undefined;
    for (const height of this.#heights.values()) highest = Math.max(highest ?? height, height);
    return highest;
  }

  /** Batches to be asked about now, the longest due first. */
  due(): readonly number[] {
    const time = this.#elapsed();
    const all = [...this.#waiting, ...this.#rare]
      .filter(([, at]) => at <= time)
      .sort(([, a], [, b]) => a - b)
      .map(([batch]) => batch);
    return [...new Set(all)];
  }

  /** Batches whose blocks are to be looked at again, now that the chain ends in `tip`. */
  watched(tip: HeaderTip): readonly number[] {
    if (tip.id === this.#watchedAt) {
      const again = [...this.#again];
      this.#again.clear();
      return again;
    }
    this.#watchedAt = tip.id;
    const all = [...new Set([...this.#watched, ...this.#again])].sort((a, b) => a - b);
    this.#again.clear();
    for (const batch of all) {
      const heights = anchorRow(this.#state, batch)?.bitcoin ?? [];
      // This once more, and no longer.
      if (heights.every(({ height }) => height <= tip.height - WATCHED_BLOCKS)) {
        this.#watched.delete(batch);
      }
    }
    return all;
  }

  /** A batch as its newest issue has it; `anew` where what had been asked so far counts no more. */
  note(row: AnchorRow, anew = false): void {
    if (anew) this.#days.forget(row.batch);
    this.#take(row, this.#next(row), this.#elapsed() + RARE_S);
    if (row.bitcoin.length > 0) this.#watched.add(row.batch);
    else this.#watched.delete(row.batch);
  }

  /** A batch is asked about now: of which calendars, by their state. When it is due again is set. */
  asked(row: AnchorRow): ReadonlySet<AnchorCalendar['state']> {
    const states = new Set<AnchorCalendar['state']>();
    if (this.#waiting.has(row.batch)) {
      this.#waiting.set(row.batch, this.#next(row));
      states.add('pending');
    }
    const time = this.#elapsed();
    if ((this.#rare.get(row.batch) ?? Number.POSITIVE_INFINITY) <= time) {
      this.#rare.set(row.batch, time + RARE_S);
      states.add('expired');
    }
    return states;
  }

  /** What came of a question about a batch: the calendar `answered`, whatever it said, or did not. */
  heard(row: AnchorRow, uri: string, answered: boolean): void {
    if (this.#age(row) > this.#timing.expireAfterS) this.#days.asked(row.batch, uri, answered);
    else this.#days.forget(row.batch);
  }

  /** Not before `at`, of `elapsed`, is there anyone to ask. */
  postpone(batch: number, at: number): void {
    if (this.#waiting.has(batch) && Number.isFinite(at)) this.#waiting.set(batch, at);
  }

  /** Something of the node's own kept it from looking at the blocks of a batch. */
  watchAgain(batch: number): void {
    this.#again.add(batch);
  }

  /** Nobody showed the blocks of a batch: they are looked at again when the tip is another. */
  watchLater(batch: number): void {
    this.#watched.add(batch);
  }

  /**
   * Whether a calendar is to be given up: the batch's time is over, and it has been asked on days enough
   * since then. One whose block is still to come, `waiting`, has twice the time.
   */
  givesUp(row: AnchorRow, uri: string, waiting: boolean): boolean {
    const { expireAfterS } = this.#timing;
    const most = waiting ? 2 * expireAfterS : expireAfterS;
    return this.#age(row) > most && this.#days.enough(row.batch, uri);
  }

  /** By the node's clock, or by the time that this process has known it: one may stand still. */
  #age({ batch, stamped_at: stamped }: AnchorRow): number {
    const time = this.#elapsed();
    const known = time - (this.#since.get(batch) ?? time);
    return Math.max(0, this.#now() - parseTime(stamped), known);
  }

  #next(row: AnchorRow): number {
    const wait = Math.min(this.#age(row) / 8, MAX_WAIT_S);
    return this.#elapsed() + Math.max(this.#timing.stampEveryS, wait);
  }

  #take(row: AnchorRow, at: number, rareAt: number): void {
    const { batch, calendars, issue, bitcoin } = row;
    const highest = bitcoin.at(-1)?.height;
    if (highest === undefined) this.#heights.delete(batch);
    else this.#heights.set(batch, highest);
    const open = (asked: AnchorCalendar['state']): boolean =>
      issue < LAST_ISSUE && calendars.some(({ state }) => state === asked);
    const rare = open('expired') && bitcoin.length === 0;
    if (!rare) this.#rare.delete(batch);
    else this.#rare.set(batch, this.#rare.get(batch) ?? rareAt);
    if (open('pending') || rare) {
      if (!this.#since.has(batch)) this.#since.set(batch, this.#elapsed());
    } else {
      this.#since.delete(batch);
      this.#days.forget(batch);
    }
    if (open('pending')) {
      const first = this.#elapsed() + this.#timing.upgradeAfterS - this.#age(row);
      this.#waiting.set(batch, Math.max(first, at));
    } else {
      this.#waiting.delete(batch);
    }
  }
}

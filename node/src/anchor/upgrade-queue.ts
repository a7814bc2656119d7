import type { AnchorCalendar } from '@assay/core/kind/anchor';
import { parseTime } from '@assay/core/time/time';
import { type AnchorRow, anchorRow, anchorsBack } from '@assay/core/view/anchors';
import { newestBeacon } from '@assay/core/view/beacons';
import type { ViewState } from '@assay/core/view/view';
import type { HeaderTip } from '../bitcoin/header-follower.ts';
import type { Clock } from '../platform/clock.ts';
import type { AnchorTiming } from './anchor-parts.ts';
import { LateDays } from './late-days.ts';

/** The longest wait between two requests about a batch: 6 hours. */
const MAX_WAIT_S = 21_600;
/**
 * The wait between two requests about a batch that calendars were given up for and that no block holds: a week.
 */
const RARE_S = 604_800;
/** The number of parts of a week over which such batches are spread when a process begins. */
const RARE_PARTS = 100;
/** How many blocks below the tip a recorded block is still checked for a reorganisation. */
const WATCHED_BLOCKS = 144;
/** The last issue that an anchor can have. */
const LAST_ISSUE = 65_535;

/**
 * Decides when to ask about which batches, and whose blocks to check again. The times of requests are by
 * `elapsed`, which has no steps; the age of a batch also depends on the node's clock.
 */
export class UpgradeQueue {
  readonly #state: ViewState;
  readonly #now: Clock;
  readonly #elapsed: Clock;
  readonly #timing: AnchorTiming;
  /** Batches with a pending calendar, and when each is due. */
  readonly #waiting = new Map<number, number>();
  /** Batches in no block with a calendar that was given up, and when each is due. */
  readonly #rare = new Map<number, number>();
  /** When this process first knew of a batch. */
  readonly #since = new Map<number, number>();
  readonly #days: LateDays;
  /** The highest block of each batch that has one. */
  readonly #heights = new Map<number, number>();
  /** Batches whose blocks are near the tip, or were when the last process ended. */
  readonly #watched = new Set<number>();
  /** Batches that have to be checked again although the tip is the same. */
  readonly #again = new Set<number>();
  #watchedAt: string | undefined;

  constructor(state: ViewState, now: Clock, elapsed: Clock, timing: AnchorTiming) {
    this.#state = state;
    this.#now = now;
    this.#elapsed = elapsed;
    this.#timing = timing;
    this.#days = new LateDays(elapsed, timing.expireAfterS / 30);
    // The chain may have changed since the newest block that the last process recorded. A beacon may name a
    // height that is too great, but an unnecessary check does no harm.
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

  /** Batches with a pending calendar. */
  get open(): Iterable<number> {
    return this.#waiting.keys();
  }

  get attestedHeight(): number | undefined {
    let highest: number | undefined;
    for (const height of this.#heights.values()) highest = Math.max(highest ?? height, height);
    return highest;
  }

  /** Batches that are due now, the longest due first. */
  due(): readonly number[] {
    const time = this.#elapsed();
    const all = [...this.#waiting, ...this.#rare]
      .filter(([, at]) => at <= time)
      .sort(([, a], [, b]) => a - b)
      .map(([batch]) => batch);
    return [...new Set(all)];
  }

  /** Batches whose blocks have to be checked again now that the chain ends in `tip`. */
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
      // One more check, and no further ones.
      if (heights.every(({ height }) => height <= tip.height - WATCHED_BLOCKS)) {
        this.#watched.delete(batch);
      }
    }
    return all;
  }

  /** Takes a batch in its newest issue. With `anew`, earlier requests no longer count. */
  note(row: AnchorRow, anew = false): void {
    if (anew) this.#days.forget(row.batch);
    this.#take(row, this.#next(row), this.#elapsed() + RARE_S);
    if (row.bitcoin.length > 0) this.#watched.add(row.batch);
    else this.#watched.delete(row.batch);
  }

  /** A batch is asked about now. Returns the states of the calendars to ask, and sets when it is due again. */
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

  /** The result of a request about a batch. `answered` is true whatever the calendar answered. */
  heard(row: AnchorRow, uri: string, answered: boolean): void {
    if (this.#age(row) > this.#timing.expireAfterS) this.#days.asked(row.batch, uri, answered);
    else this.#days.forget(row.batch);
  }

  /** Nobody can be asked before `at`, by `elapsed`. */
  postpone(batch: number, at: number): void {
    if (this.#waiting.has(batch) && Number.isFinite(at)) this.#waiting.set(batch, at);
  }

  /** A problem of the node itself prevented a check of the blocks of a batch. */
  watchAgain(batch: number): void {
    this.#again.add(batch);
  }

  /** No source showed the blocks of a batch. They are checked again when the tip has changed. */
  watchLater(batch: number): void {
    this.#watched.add(batch);
  }

  /**
   * Whether a calendar has to be given up: the time for the batch is over, and the calendar has been asked on
   * enough days since then. A calendar whose block is still expected (`waiting`) has twice the time.
   */
  givesUp(row: AnchorRow, uri: string, waiting: boolean): boolean {
    const { expireAfterS } = this.#timing;
    const most = waiting ? 2 * expireAfterS : expireAfterS;
    return this.#age(row) > most && this.#days.enough(row.batch, uri);
  }

  /**
   * By the node's clock, or by how long this process has known the batch, because the clock may have stopped.
   */
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

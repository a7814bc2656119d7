import { parseTime } from '@assay/core/time';
import { type AnchorRow, anchorRow, anchorsBack } from '@assay/core/view/anchors';
import { newestBeacon } from '@assay/core/view/beacons';
import type { ViewState } from '@assay/core/view/view';
import type { HeaderTip } from '../bitcoin/header-follower.ts';
import type { Clock } from '../clock.ts';
import type { AnchorTiming } from './anchor-parts.ts';

/** The longest wait between two questions about a batch: 6 hours. */
const MAX_WAIT_S = 21_600;
/** Blocks below the tip in which a recorded one is looked at again for a reorganisation. */
const WATCHED_BLOCKS = 144;
/** The last issue that an anchor can say. */
const LAST_ISSUE = 65_535;

/** Which batches are to be asked about when, and whose blocks are to be looked at again. */
export class UpgradeQueue {
  readonly #state: ViewState;
  readonly #now: Clock;
  readonly #timing: AnchorTiming;
  /** Batches with a calendar that is pending, and when each is due. */
  readonly #waiting = new Map<number, number>();
  /** When this process began to ask about a batch. */
  readonly #since = new Map<number, number>();
  /** Batches whose blocks are near the tip, or were when the last process ended. */
  readonly #watched = new Set<number>();
  /** Batches that have to be looked at again although the tip is the same. */
  readonly #again = new Set<number>();
  #watchedAt: string | undefined;
  #height: number | undefined;

  constructor(state: ViewState, now: Clock, timing: AnchorTiming) {
    this.#state = state;
    this.#now = now;
    this.#timing = timing;
    // The chain may have changed since the newest block that the last process wrote down.
    const tip = newestBeacon(state)?.height ?? 0;
    for (const row of anchorsBack(state)) {
      this.#take(row, now());
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
    return this.#height;
  }

  /** Batches to be asked about now, the longest due first. */
  due(): readonly number[] {
    const time = this.#now();
    return [...this.#waiting]
      .filter(([, at]) => at <= time)
      .sort(([, a], [, b]) => a - b)
      .map(([batch]) => batch);
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
    if (anew) this.#since.delete(row.batch);
    this.#take(row, this.#next(row));
    if (row.bitcoin.length > 0) this.#watched.add(row.batch);
    else this.#watched.delete(row.batch);
  }

  /** A batch is asked about now: when it is due again. */
  asked(row: AnchorRow): void {
    if (!this.#waiting.has(row.batch)) return;
    if (!this.#since.has(row.batch)) this.#since.set(row.batch, this.#now());
    this.#waiting.set(row.batch, this.#next(row));
  }

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
   * Whether a calendar that says nothing is to be given up: its time is over, and it was not only asked
   * once after the node was off for long. `very` when even a block that is still to come is not waited for.
   */
  lateness({ batch, stamped_at: stamped }: AnchorRow): 'late' | 'very' | undefined {
    const { expireAfterS } = this.#timing;
    const now = this.#now();
    const age = now - parseTime(stamped);
    const asked = now - (this.#since.get(batch) ?? now);
    if (age <= expireAfterS || asked < expireAfterS / 30) return undefined;
    return age > 2 * expireAfterS ? 'very' : 'late';
  }

  #next(row: AnchorRow): number {
    const age = this.#now() - parseTime(row.stamped_at);
    return this.#now() + Math.max(this.#timing.stampEveryS, Math.min(age / 8, MAX_WAIT_S));
  }

  #take({ batch, calendars, issue, stamped_at: stamped, bitcoin }: AnchorRow, at: number): void {
    const first = parseTime(stamped) + this.#timing.upgradeAfterS;
    const open = calendars.some(({ state }) => state === 'pending');
    if (open && issue < LAST_ISSUE) {
      this.#waiting.set(batch, Math.max(first, at));
    } else {
      this.#waiting.delete(batch);
      this.#since.delete(batch);
    }
    for (const { height } of bitcoin) this.#height = Math.max(this.#height ?? height, height);
  }
}

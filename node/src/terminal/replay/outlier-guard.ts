import { type FileDecimal, roughly } from './file-decimal.ts';

/** A row is out only if it is at least this many times above, or below, both closes beside it. */
const SPIKE_TIMES = 5;
/** These two are at most this many times apart. */
const BACK_TIMES = 2;
/** At most so many counts of the grid are from one to the other. */
const BACK_WITHIN = 3;

/** A row of a market file. */
export interface FileRow {
  /** The count of its time in the grid. */
  readonly index: number;
  /** In unix seconds. */
  readonly ts: number;
  /** The number of its line in the file. */
  readonly line: number;
  readonly price: FileDecimal;
  readonly volume: FileDecimal;
}

/** A row that was left out. */
export type Outlier = Pick<FileRow, 'line' | 'ts'>;

/**
 * Leaves out rows whose close is far from the close before it and from one soon behind it, while those two are
 * near each other (docs/spec/replay.md). It is a rule for recorded files alone, because it has to know the rows
 * that follow.
 */
export class OutlierGuard {
  /** In the order of the file. */
  readonly outliers: Outlier[] = [];
  readonly #keep: (row: FileRow) => void;
  /** Copies of rows that are not judged yet. The first of them is far from `#before`. */
  #waiting: FileRow[] = [];
  /** The newest row above 0 that was kept. */
  readonly #before = { index: Number.NaN, price: { digits: 0, decimals: 0 } as FileDecimal };

  /** `keep` receives each row that is not left out, in order. The row may change after the call. */
  constructor(keep: (row: FileRow) => void) {
    this.#keep = keep;
  }

  /** Judges the next row, which may change after the call. */
  take(row: FileRow): void {
    if (this.#waiting.length === 0 && !this.#isFar(row)) {
      this.#take(row);
      return;
    }
    const { index, ts, line, price, volume } = row;
    this.#waiting.push({ index, ts, line, price: { ...price }, volume: { ...volume } });
    this.#settle(false);
  }

  /** Judges what is left after the last row. */
  end(): void {
    this.#settle(true);
  }

  #settle(isEnd: boolean): void {
    for (;;) {
      const [row, ...behind] = this.#waiting;
      if (row === undefined) return;
      const last = this.#before.index + BACK_WITHIN;
      const isOut = this.#isFar(row) && behind.some((each) => this.#isBack(each, row, last));
      const isKnown = isEnd || !this.#isFar(row) || (behind.at(-1) ?? row).index >= last;
      if (!isOut && !isKnown) return;
      this.#waiting = behind;
      if (isOut) this.outliers.push({ line: row.line, ts: row.ts });
      else this.#take(row);
    }
  }

  /** Whether a row is far from the one before. Without one, or with a close of 0, it is not. */
  #isFar({ price }: FileRow): boolean {
    const before = this.#before.price;
    const [now, then] = [roughly(price), roughly(before)];
    // A little less than far, because these are rounded.
    if (now < then * (SPIKE_TIMES - 0.1) && then < now * (SPIKE_TIMES - 0.1)) return false;
    if (now === 0 || then === 0) return false;
    return isTimes(price, before, SPIKE_TIMES) || isTimes(before, price, SPIKE_TIMES);
  }

  /** Whether `row`, up to the count `last`, is near the one before the spike and as far from the spike. */
  #isBack(row: FileRow, spike: FileRow, last: number): boolean {
    if (row.index > last) return false;
    const { price: before } = this.#before;
    if (
      isTimes(row.price, before, BACK_TIMES, true) ||
      isTimes(before, row.price, BACK_TIMES, true)
    ) {
      return false;
    }
    const isUp = isTimes(spike.price, before, SPIKE_TIMES);
    return isUp
      ? isTimes(spike.price, row.price, SPIKE_TIMES)
      : isTimes(row.price, spike.price, SPIKE_TIMES);
  }

  #take(row: FileRow): void {
    const { index, price } = row;
    if (price.digits > 0) {
      this.#before.index = index;
      this.#before.price.digits = price.digits;
      this.#before.price.decimals = price.decimals;
    }
    this.#keep(row);
  }
}

/** Whether `high` is at least `times` times `low`, exactly; with `isMore`, more than that. */
function isTimes(high: FileDecimal, low: FileDecimal, times: number, isMore = false): boolean {
  const many = BigInt(high.digits) * 10n ** BigInt(low.decimals);
  const few = BigInt(low.digits) * BigInt(times) * 10n ** BigInt(high.decimals);
  return isMore ? many > few : many >= few;
}

import type { Ticker } from '@assay/core/rule/ticker';
import { type DateText, formatDate, parseDate } from '@assay/core/time/time';
import { periodRow, periodsBack } from '@assay/core/view/periods';
import type { ViewState } from '@assay/core/view/view';

/** How many periods of an index the first call looks at, which is all of them in most logs. */
const FIRST_SLICE = 1024;
/** How many older ones each later call looks at, until it has seen all of them. */
const SLICE = 128;

/** What is known of one index. */
interface Known {
  /** Periods that are provisional, or were about to be when they were named. */
  readonly open: Set<DateText>;
  /** The oldest period that was looked at; undefined before the first one. */
  last: DateText | undefined;
  /** Whether every period that was in the log at the first call has been looked at. */
  isDone: boolean;
}

/**
 * The periods of each index that are provisional, however old they are. They are found without a list of all periods
 * at each call: the log is gone through once, newest first and a slice at a time. After that only a period that was
 * noted can have become provisional, because no other round was run.
 */
export class OpenPeriods {
  readonly #known = new Map<Ticker, Known>();

  /** Notes periods whose round is about to be run, as day numbers. */
  note(ticker: Ticker, periods: Iterable<number>): void {
    const { open } = this.#of(ticker);
    for (const period of periods) open.add(formatDate(period));
  }

  /** The provisional periods that are known by now, as day numbers. Reads as many rows in a log of any length. */
  of(ticker: Ticker, state: ViewState): readonly number[] {
    const known = this.#of(ticker);
    this.#look(known, ticker, state);
    const found: number[] = [];
    for (const date of known.open) {
      const status = periodRow(state, ticker, date)?.status;
      if (status === 'provisional') found.push(parseDate(date));
      else known.open.delete(date);
    }
    return found;
  }

  #of(ticker: Ticker): Known {
    let known = this.#known.get(ticker);
    if (known === undefined) {
      known = { open: new Set(), last: undefined, isDone: false };
      this.#known.set(ticker, known);
    }
    return known;
  }

  #look(known: Known, ticker: Ticker, state: ViewState): void {
    if (known.isDone) return;
    let left = known.last === undefined ? FIRST_SLICE : SLICE;
    for (const [date, { status }] of periodsBack(state, ticker, known.last)) {
      if (left === 0) return;
      left -= 1;
      known.last = date;
      if (status === 'provisional') known.open.add(date);
    }
    known.isDone = known.last !== undefined;
  }
}

import type { Sha256 } from '@assay/core/hash/hash';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { periodRows, type PeriodRow } from '@assay/core/view/periods';
import { stampedBatch } from '@assay/core/view/stamps';
import type { ViewState } from '@assay/core/view/view';
import { type PrintTimes, timesOf } from './publisher-record.ts';

interface Kept {
  readonly key: string;
  readonly times: PrintTimes;
}

/**
 * The times of every period that was printed. Those of a period that is over, has its quorum and is in a block are kept
 * until it has another report or its batch another issue, so that a log of many years costs what is new in it.
 */
export class KeptTimes {
  readonly #sha256: Sha256;
  readonly #kept = new Map<Ticker, Map<DateText, Kept>>();

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  /** Those of an index, oldest first. */
  readonly of = (state: ViewState, ticker: Ticker): readonly PrintTimes[] => {
    const known = this.#kept.get(ticker) ?? new Map<DateText, Kept>();
    this.#kept.set(ticker, known);
    return periodRows(state, ticker).flatMap(([period, row]) => {
      if (row.basis !== 'print') return [];
      const key = keyOf(state, row);
      const kept = known.get(period);
      if (kept?.key === key) return [kept.times];
      const times = timesOf(state, this.#sha256, ticker, period);
      if (isOver(times)) known.set(period, { key, times });
      return [times];
    });
  };
}

/** Another for each newest report of a period, and for each issue of the batch that holds its first final. */
function keyOf(state: ViewState, { report, final_report: final }: PeriodRow): string {
  const anchor = final === null ? undefined : stampedBatch(state, final)?.anchor;
  return `${report ?? ''} ${anchor?.seq ?? ''}`;
}

/** Whether nothing of a period can change any more unless its key does. */
function isOver({ status, block, quorum_required, quorum_s }: PrintTimes): boolean {
  if (status === 'void') return true;
  return status === 'final' && block !== null && (quorum_required === 0 || quorum_s !== null);
}

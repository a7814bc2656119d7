import type { Sha256 } from '@assay/core/hash/hash';
import { IndexFold } from '@assay/core/view/completeness-fold';
import type { IndexEntry } from '@assay/core/kind/index-entry';
import { DAY_SECONDS, type DateText, dateOf, formatDate } from '@assay/core/time/time';
import { newestIndexDay } from '@assay/core/view/completeness';
import { ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { Clock } from '../platform/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';

/**
 * Appends the index entry of the UTC day that has ended, once. It remembers the lists, so that a day costs only
 * what it added; the first run after a start reads the whole log.
 */
export class IndexRound {
  readonly #ledger: Pick<Ledger, 'write' | 'blocked'>;
  readonly #sha256: Sha256;
  readonly #now: Clock;
  #fold: IndexFold;

  constructor(ledger: Pick<Ledger, 'write' | 'blocked'>, sha256: Sha256, now: Clock) {
    this.#ledger = ledger;
    this.#sha256 = sha256;
    this.#now = now;
    this.#fold = new IndexFold(this.#sha256);
  }

  /**
   * Returns the entry that was appended; undefined if the day has one already, if the log has no rule from that
   * day or before, and if nothing can be written. A day that was missed gets none.
   */
  async run(): Promise<IndexEntry | undefined> {
    if (this.#ledger.blocked !== undefined) return undefined;
    const today = Math.floor(this.#now() / DAY_SECONDS);
    const day = formatDate(today - 1);
    let body: IndexEntry | undefined;
    try {
      await this.#ledger.write(({ views, seq: size }) => {
        // One entry for a day in the future, made by a wrong clock, must not prevent all others.
        const newest = newestIndexDay(views, formatDate(today));
        if ((newest !== undefined && newest >= day) || !isOpen(views, day)) return [];
        body = { day, size, ...this.#fold.at(views, size) };
        return [{ kind: 'index/1', body }];
      });
    } catch (error) {
      // Entries of the same write may be undone and replaced by others.
      this.#fold = new IndexFold(this.#sha256);
      throw error;
    }
    return body;
  }
}

/** Whether the log had a rule by the end of a day. Before that there is nothing to index. */
function isOpen(state: ViewState, day: DateText): boolean {
  return tickers(state).some((ticker) => {
    const [first] = ruleVersions(state, ticker);
    return first !== undefined && dateOf(first.at) <= day;
  });
}

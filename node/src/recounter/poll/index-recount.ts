import type { Sha256 } from '@assay/core/hash/hash';
import { IndexFold } from '@assay/core/view/completeness-fold';
import type { IndexContent } from '@assay/core/kind/index-entry';
import { DAY_SECONDS, dateOf, type DateText, formatDate, parseDate } from '@assay/core/time/time';
import { indexEntries, type IndexRow } from '@assay/core/view/completeness';
import type { ViewState } from '@assay/core/view/view';
import { formatWire } from '@assay/core/wire/wire';
import type { Turns } from '../../ledger/store/slices.ts';

/** What is wrong with the index entries of a log. */
export interface IndexFault {
  /**
   * `index_differs`: an entry does not match the entries before it. `index_not_due`: an entry is about a day
   * that was not over, or not after the day of the one before. `index_missing`: a day that later ones have
   * followed has none.
   */
  readonly code: 'index_differs' | 'index_not_due' | 'index_missing';
  readonly day: DateText;
  /** The entry; for a missing day, that of the next day. */
  readonly seq: number;
}

/** How many days without an entry are reported for one gap, because a log may stop for years. */
const MOST_OF_GAP = 100;

/** Makes the index entries of a log again as it grows. */
export class IndexRecount {
  readonly #fold: IndexFold;
  readonly #everyDay: boolean;
  #seq = -1;
  /** The newest day that was over when its entry was written. */
  #newest: DateText | undefined;

  /** Without `everyDay` no day is missing, because a simulated clock may skip some. */
  constructor(sha256: Sha256, everyDay = true) {
    this.#fold = new IndexFold(sha256);
    this.#everyDay = everyDay;
  }

  /**
   * What is wrong with the entries since the last call. `state` has all rows so far. A step is an entry. One whose faults were
   * not all taken comes again.
   */
  async *poll(state: ViewState, { pause, signal }: Turns): AsyncGenerator<IndexFault> {
    for (const entry of indexEntries(state)) {
      if (entry.seq <= this.#seq) continue;
      await pause();
      if (signal?.aborted === true) return;
      const { day, seq } = entry;
      const { faults, isDue } = this.#faultsOf(state, entry);
      yield* faults;
      this.#seq = seq;
      if (isDue) this.#newest = day;
    }
  }

  #faultsOf(
    state: ViewState,
    { day, seq, at, size, prints, keys, rules, events }: IndexRow,
  ): { readonly faults: readonly IndexFault[]; readonly isDue: boolean } {
    const faults: IndexFault[] = [];
    const own = words(this.#fold.at(state, seq));
    const content = words({ prints, keys, rules, events });
    if (size !== seq || own !== content) faults.push({ code: 'index_differs', day, seq });
    const before = this.#newest;
    if (day >= dateOf(at) || (before !== undefined && day <= before)) {
      faults.push({ code: 'index_not_due', day, seq });
      return { faults, isDue: false };
    }
    for (const missing of this.#daysBetween(before, day)) {
      faults.push({ code: 'index_missing', day: missing, seq });
    }
    return { faults, isDue: true };
  }

  /**
   * The days that have been over for `graceS` seconds at `now` (unix seconds) and have no entry, after the
   * first that has one.
   */
  missing(now: number, graceS: number): readonly DateText[] {
    const end = formatDate(Math.floor((now - graceS) / DAY_SECONDS));
    return this.#daysBetween(this.#newest, end);
  }

  #daysBetween(before: DateText | undefined, day: DateText): readonly DateText[] {
    return this.#everyDay ? daysBetween(before, day) : [];
  }
}

/** The days between `before` and `day`, at most `MOST_OF_GAP`; none if there is no day before. */
function daysBetween(before: DateText | undefined, day: DateText): readonly DateText[] {
  if (before === undefined) return [];
  const first = parseDate(before) + 1;
  const count = Math.min(parseDate(day) - first, MOST_OF_GAP);
  return Array.from({ length: Math.max(count, 0) }, (_, i) => formatDate(first + i));
}

function words(content: IndexContent): string {
  return Buffer.from(formatWire(content)).toString();
}

import { SALT_BYTES } from '@assay/core/hash/commitment';
import { messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Read } from '@assay/core/report/report';
import { periodOf, shiftPeriod } from '@assay/core/rule/period';
import { periodClocks } from '@assay/core/round/period-clocks';
import { governingRule } from '@assay/core/round/governing';
import { isWithheld, type Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { DAY_SECONDS, formatDate, parseDate } from '@assay/core/time/time';
import { periodsUpTo } from '@assay/core/round/overdue';
import { settledReport } from '@assay/core/view/reports';
import { newestRule, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { Clock } from '../../platform/clock.ts';
import { lookBack } from '../../round/look-back.ts';
import type { LocalReads } from '../../cosign/local-recounter.ts';
import { readProviders } from '../../round/snapshot-reader.ts';
import type { Source } from '../../source/source.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import type { ReadStore } from '../read-store.ts';

export interface CalendarParts {
  readonly source: Source;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly random: (length: number) => Uint8Array;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly store: ReadStore;
  readonly onFailed: (ticker: Ticker, period: string, reason: string) => void;
}

/** Seconds between two reads of a period, doubled while they give the same, up to the second number. */
const FIRST_WAIT_S = 60;
const MOST_WAIT_S = 6 * 3600;
const MOST_LATE_WAIT_S = 600;
/** How many seconds before the end of the freeze window the last read inside it is made, at most. */
const LAST_LOOK_S = 300;
/** Seconds from the first day of a period for which its reads are stored, which is longer than any deadline. */
const KEEP_S = 500 * DAY_SECONDS;
const AT_ONCE = 4;

/** A period whose sources may show a first print now. */
export interface DuePeriod {
  readonly ticker: Ticker;
  readonly period: number;
  readonly rule: Rule;
  readonly hash: HashHex;
  /** Unix seconds after which a figure is a revision; infinite while nobody knows. */
  readonly frozen: number;
}

/**
 * The periods of every rule of a log whose scheduled release has passed while the time for first prints has
 * not, at `now` (unix seconds), whether or not the publisher has reported on them. Periods that it has settled
 * are left out, and so are withheld levels, which nobody else may read.
 */
export function calendarDue(state: ViewState, now: number): readonly DuePeriod[] {
  return tickers(state).flatMap((ticker) => {
    const last = newestRule(state, ticker);
    if (last === undefined) return [];
    const { period: kind } = last.rule;
    const newest = shiftPeriod(kind, periodOf(kind, Math.floor(now / DAY_SECONDS)), 1);
    const due: DuePeriod[] = [];
    const most = lookBack(state, ticker, now);
    for (const period of periodsUpTo(state, ticker, newest, most)) {
      const row = governingRule(state, ticker, period);
      if (row === undefined || isWithheld(row.rule)) continue;
      const { rule, hash } = row;
      const clocks = periodClocks(state, row, period, now);
      if (now < clocks.release || now > clocks.firstPrint) continue;
      if (settledReport(state, ticker, formatDate(period)) !== undefined) continue;
      due.push({ ticker, period, rule, hash, frozen: clocks.frozen });
    }
    return due;
  });
}

interface Wait {
  readonly until: number;
  readonly waitS: number;
  /** The result of the read before it. */
  readonly words: string;
}

/**
 * A recounter's own reads by the calendar of the rules. They are made whether or not the publisher reports
 * anything, and stored durably, so that what a source showed inside the freeze window is known after a restart.
 */
export class CalendarReads implements LocalReads {
  readonly #parts: CalendarParts;
  readonly #semaphore = new Semaphore(AT_ONCE);
  readonly #waits = new Map<string, Wait>();
  #pruned = Number.NEGATIVE_INFINITY;

  constructor(parts: CalendarParts) {
    this.#parts = parts;
  }

  readonly of: LocalReads['of'] = async (rule, hash, period) => {
    const sets = await this.#parts.store.of(rule.ticker, formatDate(period));
    return sets.filter((set) => set.rule === hash).map(({ reads }) => reads);
  };

  readonly read: LocalReads['read'] = async (rule, hash, period, signal) => {
    const { source, sha256, now, random, blobs, store } = this.#parts;
    const all = await readProviders(rule, period, {
      source,
      sha256,
      now,
      salt: random(SALT_BYTES),
      ...(signal === undefined ? {} : { signal }),
    });
    // Bytes first, because nothing may name them before they are stored.
    await Promise.all(all.flatMap((each) => each.blobs.map((bytes) => blobs.put(bytes))));
    const reads = all.map(({ read }) => read);
    await store.keep(rule.ticker, formatDate(period), { rule: hash, reads });
    return reads;
  };

  /** Reads what is due. Never throws because of one period: a failure is reported. */
  async poll(state: ViewState, signal: AbortSignal): Promise<void> {
    const now = this.#parts.now();
    await this.#prune(now);
    const all = calendarDue(state, now);
    const keys = new Set(all.map(keyOf));
    for (const key of this.#waits.keys()) if (!keys.has(key)) this.#waits.delete(key);
    const due = all.filter((each) => (this.#waits.get(keyOf(each))?.until ?? now) <= now);
    await Promise.all(due.map((each) => this.#semaphore.run(() => this.#poll(each, signal))));
  }

  async #poll(due: DuePeriod, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { now, onFailed } = this.#parts;
    const { ticker, rule, hash, period } = due;
    try {
      this.#wait(due, textOf(await this.read(rule, hash, period, signal)));
    } catch (error) {
      if (signal.aborted) return;
      onFailed(ticker, formatDate(period), messageOf(error));
      this.#waits.set(keyOf(due), { until: now() + FIRST_WAIT_S, waitS: FIRST_WAIT_S, words: '' });
    }
  }

  #wait(due: DuePeriod, words: string): void {
    const now = this.#parts.now();
    const before = this.#waits.get(keyOf(due));
    // Nobody knows when a late number will come, and its clocks run from when it is seen.
    const most = due.frozen === Number.POSITIVE_INFINITY ? MOST_LATE_WAIT_S : MOST_WAIT_S;
    const waitS = before?.words === words ? Math.min(before.waitS * 2, most) : FIRST_WAIT_S;
    const last = due.frozen - LAST_LOOK_S;
    const until = now < last ? Math.min(now + waitS, last) : now + waitS;
    this.#waits.set(keyOf(due), { until, waitS, words });
  }

  /** Once a day, drops reads that nobody can ask about any more. */
  async #prune(now: number): Promise<void> {
    if (now - this.#pruned < DAY_SECONDS) return;
    this.#pruned = now;
    const { store } = this.#parts;
    for (const [ticker, period] of await store.list()) {
      if (now - parseDate(period) * DAY_SECONDS > KEEP_S) {
        await store.forget(ticker, period);
      }
    }
  }
}

function keyOf({ ticker, period }: DuePeriod): string {
  return `${ticker}/${period}`;
}

function textOf(reads: readonly Read[]): string {
  return reads.map(({ outcome, snapshot }) => `${outcome} ${snapshot}`).join();
}

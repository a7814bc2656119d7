import { faultCode } from '@assay/core/fault';
import { formatDate } from '@assay/core/time/time';
import type { Ticker } from '@assay/core/rule/ticker';
import { periodRow } from '@assay/core/view/periods';
import { ruleVersions, tickers } from '@assay/core/view/rules';
import { type Concern, roundConcerns } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import { duePeriods } from './due.ts';
import { OpenPeriods } from './open-periods.ts';
import { runRound, type RoundParts, type RoundResult } from './round.ts';

/** The events of the scheduler: each round that ended, and each that could not be carried out. */
export interface RoundEvents {
  readonly onRound: (ticker: Ticker, period: string, result: RoundResult) => void;
  readonly onRoundFailed: (ticker: Ticker, period: string, error: unknown) => void;
}

/** Claims space on the disk for a round of so many providers, and returns a function that returns it. */
export type ClaimRoom = (ticker: Ticker, providers: number) => Promise<() => void>;

/** How many times the interval between polls the wait for an unchanged source may become. */
const MAX_WAIT_LOOKS = 32;

/** Outcomes of a source that works, whether or not it has the number. */
const WELL: ReadonlySet<string> = new Set(['ok', 'not_published', 'no_source', 'superseded']);

/** What readers are shown about a round that threw. The error itself may name things of the machine. */
const FAILED = 'an error that is in the log of the operator; it is tried again';

/** A round that changed nothing: when it may run again, and how long the wait was. */
interface Wait {
  readonly untilMs: number;
  readonly waitMs: number;
}

/**
 * Runs the rounds that are due, again and again. A source without news is asked less and less often, down to
 * every 32nd poll.
 */
export class Scheduler implements Service {
  readonly #parts: RoundParts;
  readonly #events: RoundEvents;
  readonly #everyMs: number;
  readonly #afterPoll: () => Promise<void>;
  readonly #hold: () => () => void;
  readonly #claim: ClaimRoom;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  readonly #abort = new AbortController();
  readonly #waits = new Map<string, Wait>();
  readonly #open = new OpenPeriods();
  #stopped = false;
  /** Why the newest round of each index failed; empty if all succeeded. */
  readonly failures: Map<Ticker, string> = new Map<Ticker, string>();

  /**
   * `afterPoll` runs after each poll of the timer, for what needs all rounds to be done. It never throws.
   * `hold` stops a simulated clock for a round, and returns a function that lets it go on. `claim` throws
   * `no_room` for a round that could not be finished, which is then left for a later poll.
   */
  constructor(
    parts: RoundParts,
    everyMs: number,
    events: RoundEvents,
    afterPoll: () => Promise<void> = () => Promise.resolve(),
    hold: () => () => void = () => () => undefined,
    claim: ClaimRoom = () => Promise.resolve(() => undefined),
  ) {
    this.#claim = claim;
    this.#hold = hold;
    this.#parts = { ...parts, signal: this.#abort.signal };
    this.#everyMs = everyMs;
    this.#events = events;
    this.#afterPoll = afterPoll;
  }

  /** Polls at once, then `everyMs` after the end of each poll. */
  start(): void {
    if (this.#stopped || this.#running !== undefined) return;
    this.#running = this.#lookAndAfter().finally(() => {
      this.#running = undefined;
      if (!this.#stopped) this.#timer = setTimeout(() => this.start(), this.#everyMs);
    });
  }

  async #lookAndAfter(): Promise<void> {
    await this.#poll(false);
    if (!this.#stopped) await this.#afterPoll();
  }

  /** Runs every round that is due now, whatever its last result was. Never throws: a failure is reported. */
  runDue(): Promise<void> {
    return this.#poll(true);
  }

  /** Runs these rounds now, in the order of each index. Never throws: a failure is reported. */
  async run(
    rounds: readonly { readonly ticker: Ticker; readonly period: number }[],
  ): Promise<void> {
    const own = new Map<Ticker, number[]>();
    for (const { ticker, period } of rounds) {
      own.set(ticker, [...(own.get(ticker) ?? []), period]);
      this.#open.note(ticker, [period]);
    }
    await Promise.all([...own].map(([ticker, periods]) => this.#rounds(ticker, periods, true)));
  }

  /** No index waits for another's sources. Within an index the periods follow one another. */
  async #poll(all: boolean): Promise<void> {
    const { ledger } = this.#parts;
    await Promise.all(tickers(ledger.tip).map((ticker) => this.#index(ticker, all)));
  }

  async #index(ticker: Ticker, all: boolean): Promise<void> {
    const { ledger, now } = this.#parts;
    await this.#rounds(ticker, duePeriods(ticker, ledger.tip, now(), this.#open), all);
  }

  async #rounds(ticker: Ticker, periods: readonly number[], all: boolean): Promise<void> {
    for (const period of periods) {
      if (this.#stopped || this.#parts.ledger.blocked !== undefined) return;
      await this.#round(ticker, period, all);
    }
  }

  /** Aborts the reads under way and waits for their round to end; no other follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#abort.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  concerns(): readonly Concern[] {
    return roundConcerns(this.failures);
  }

  async #round(ticker: Ticker, period: number, all: boolean): Promise<void> {
    const date = formatDate(period);
    // An earlier round of this poll may have loaded the period as history.
    const row = periodRow(this.#parts.ledger.tip, ticker, date);
    if (row !== undefined && row.status !== 'provisional') return;
    const key = `${ticker}/${date}`;
    const wait = this.#waits.get(key);
    if (!all && wait !== undefined && performance.now() < wait.untilMs) return;
    const giveBack = await this.#room(ticker);
    if (giveBack === undefined) return;
    const release = this.#hold();
    try {
      const result = await runRound(ticker, period, this.#parts);
      this.#note(ticker, date, result);
      if (result.report === undefined && result.revisions === 0) this.#wait(key, wait);
      else this.#waits.delete(key);
      this.#events.onRound(ticker, date, result);
    } catch (error) {
      if (this.#stopped) return;
      this.#wait(key, wait);
      this.failures.set(ticker, FAILED);
      this.#events.onRoundFailed(ticker, date, error);
    } finally {
      release();
      giveBack();
    }
  }

  /**
   * Claims the space for a round and returns a function that returns it; undefined if there is none, which the
   * watch over the disk reports.
   */
  async #room(ticker: Ticker): Promise<(() => void) | undefined> {
    try {
      const versions = ruleVersions(this.#parts.ledger.tip, ticker);
      const most = Math.max(0, ...versions.map(({ rule }) => rule.providers.length));
      const giveBack = await this.#claim(ticker, most);
      if (!this.#stopped && this.#parts.ledger.blocked === undefined) return giveBack;
      giveBack();
      return undefined;
    } catch (error) {
      if (faultCode(error) === 'no_room') return undefined;
      throw error;
    }
  }

  /** Remembers an index while none of its sources can be read. */
  #note(ticker: Ticker, date: string, { reads }: RoundResult): void {
    const well = reads.some(({ read }) => WELL.has(read.outcome));
    if (well) {
      this.failures.delete(ticker);
      return;
    }
    const outcomes = reads.map(({ read }) => `${read.provider} ${read.outcome}`);
    this.failures.set(ticker, `no source could be read for ${date} (${outcomes.join(', ')})`);
  }

  #wait(key: string, last: Wait | undefined): void {
    const waitMs = Math.min(
      (last?.waitMs ?? this.#everyMs / 2) * 2,
      MAX_WAIT_LOOKS * this.#everyMs,
    );
    this.#waits.set(key, { untilMs: performance.now() + waitMs, waitMs });
  }
}

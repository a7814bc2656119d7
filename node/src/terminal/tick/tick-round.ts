import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { withRefereeDues } from '@assay/core/referee/referee-dues';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { judgeTick, TICK_WINDOW_S, type TickInput } from '@assay/core/terminal/score/good';
import { GRID_SECONDS, type TickGrid } from '@assay/core/terminal/calendar/grid';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import type { BoardRow, Terminal } from '@assay/core/terminal/terminal';
import { formatTime, parseTime } from '@assay/core/time/time';
import { assetRow, assetRows } from '@assay/core/view/assets';
import { newestTick } from '@assay/core/view/ticks';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { CHECKED_TICKS, resumeTerminal } from './resume-terminal.ts';
import type { TickOpenings } from './tick-openings.ts';
import type { TickReading } from './tick-reading.ts';
import { type TickSource, type TickSourceRead, unread } from '../vendor/tick-source.ts';

/** Seconds after which a reading without a result is tried again. */
export const AGAIN_S = 30;

export interface TickRoundParts {
  readonly ledger: Pick<Ledger, 'write' | 'nextSeq' | 'tip' | 'idle' | 'blocked'>;
  /** The first so many entries of the log. */
  readonly entries: (size: number) => AsyncIterable<Uint8Array>;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly openings: Pick<TickOpenings, 'put' | 'at' | 'since'>;
  readonly sha256: Sha256;
  readonly seed: Uint8Array;
  readonly rule: ScoreRule;
  readonly grid: TickGrid;
  /** The first one that has a price is scored. */
  readonly sources: readonly TickSource[];
  readonly now: Clock;
  /** Milliseconds that the sources have for a tick. */
  readonly readMs: number;
  /** Called before a tick is written, for what has to be in the log before it. */
  readonly before?: (() => Promise<void>) | undefined;
}

/** The result for a tick's time. */
export type TickOutcome =
  /** The tick is in the log. */
  | { readonly kind: 'ticked'; readonly good: number; readonly of: number; readonly events: number }
  /** No source had a price for anything, none of it is good yet, or they were too late: nothing is written. */
  | { readonly kind: 'nothing'; readonly reason: string };

/** The ticks of one class: read, scored and written, one after the other. */
export class TickRound {
  readonly #parts: TickRoundParts;
  #terminal: Terminal | undefined;
  /** The values of each of the last `CHECKED_TICKS` ticks, by its time. */
  #boards = new Map<number, ReadonlyMap<string, BoardRow>>();
  #reading: TickReading | undefined;
  /** What was read of a tick without anything good, until another reading replaces it. */
  #held: { readonly ts: number; readonly reads: Reads } | undefined;

  constructor(parts: TickRoundParts) {
    this.#parts = parts;
  }

  get class(): AssetClass {
    return this.#parts.rule.class;
  }

  get grid(): TickGrid {
    return this.#parts.grid;
  }

  /** The statistics of the last reading; undefined before there is one. */
  get reading(): TickReading | undefined {
    return this.#reading;
  }

  /**
   * The values of the tick at `ts` (unix seconds), for the last `CHECKED_TICKS`. Readers may be shown an
   * earlier one than the newest.
   */
  boardAt(ts: number): ReadonlyMap<string, BoardRow> | undefined {
    return this.#boards.get(ts);
  }

  /** The tick that can be read now, in unix seconds; undefined if there is none, or if the log has it. */
  get due(): number | undefined {
    const { ledger, grid, now } = this.#parts;
    const time = now();
    const ts = time - (time % GRID_SECONDS);
    if (time - ts >= TICK_WINDOW_S || grid.indexOf(ts) === undefined) return undefined;
    const newest = newestTick(ledger.tip, this.class);
    return newest !== undefined && parseTime(newest) >= ts ? undefined : ts;
  }

  /**
   * Resumes the class from the log unless that is done; returns whether it did. Throws what `resumeTerminal`
   * throws.
   */
  async resume(): Promise<boolean> {
    if (this.#terminal !== undefined) return false;
    const { ledger, entries, ...parts } = this.#parts;
    await ledger.idle();
    const resumed = await resumeTerminal({
      ...parts,
      entries: entries(ledger.nextSeq),
      views: ledger.tip,
    });
    this.#terminal = resumed.terminal;
    this.#boards = new Map(resumed.boards);
    return true;
  }

  /**
   * Reads the tick at `ts` and writes it: openings and leaves first, then the entry with everything that it
   * makes due in one batch. While nothing of it is good and there is time for another whole reading, nothing is
   * written, and the next run replaces it. Throws the signal's reason, and what ledger, openings and blobs
   * throw, after which the class is resumed from the log again.
   */
  async run(ts: number, signal: AbortSignal): Promise<TickOutcome> {
    await this.resume();
    const terminal = this.#terminal as Terminal;
    const { ledger, openings, blobs, now, readMs } = this.#parts;
    const fresh = await this.#read(ts, signal);
    const held = this.#held?.ts === ts ? this.#held.reads : undefined;
    const reads = isPriced(fresh) ? fresh : held;
    if (reads === undefined) return { kind: 'nothing', reason: 'no source has a price' };
    const end = ts + TICK_WINDOW_S;
    if (now() >= end) {
      return { kind: 'nothing', reason: `nothing was read by ${formatTime(end)}` };
    }
    // The earlier reading is not good.
    const isGood = reads === fresh && (this.#reading?.good ?? 0) > 0;
    if (!isGood && now() + AGAIN_S + readMs / 1000 < end) {
      this.#held = { ts, reads };
      return { kind: 'nothing', reason: 'no reading is good, and there is time for another' };
    }
    this.#held = undefined;
    await this.#parts.before?.();
    try {
      const { drafts, blob, values, board } = terminal.step(ts, reads);
      await openings.put(ts, values);
      await blobs.put(blob);
      const { sha256 } = this.#parts;
      const tick = { class: this.class, ts, leaves: board };
      await ledger.write(({ views }) => withRefereeDues(sha256, views, drafts, tick));
      const good = [...board.values()].filter((row) => row.good).length;
      this.#keep(ts, board);
      const events = drafts.filter(({ kind }) => kind === 'event/1').length;
      return { kind: 'ticked', good, of: board.size, events };
    } catch (error) {
      this.#terminal = undefined;
      throw error;
    }
  }

  #keep(ts: number, board: ReadonlyMap<string, BoardRow>): void {
    this.#boards.set(ts, board);
    for (const oldest of this.#boards.keys()) {
      if (this.#boards.size <= CHECKED_TICKS) break;
      this.#boards.delete(oldest);
    }
  }

  /** How many readings of a tick are good. */
  #goodOf(ts: number, reads: Reads): number {
    const { ledger, rule } = this.#parts;
    let good = 0;
    for (const { symbol, decimals } of assetRows(ledger.tip)) {
      const input = reads.get(symbol);
      if (input !== undefined && judgeTick(rule.sources, ts, decimals, input) !== undefined) {
        good += 1;
      }
    }
    return good;
  }

  /** The answers of all sources for each listed asset. */
  async #read(ts: number, signal: AbortSignal): Promise<Reads> {
    const { ledger, sources } = this.#parts;
    const symbols = [...assetRows(ledger.tip)].flatMap((row) =>
      row.class === this.class && row.listed ? [row.symbol] : [],
    );
    const all = await this.#ask(ts, symbols, signal);
    const rank = new Map(sources.map(({ provider }, i) => [provider, i]));
    const reads = new Map(
      symbols.map((symbol) => {
        const own = all
          .filter((read) => read.symbol === symbol)
          .sort((a, b) => (rank.get(a.said.provider) ?? 0) - (rank.get(b.said.provider) ?? 0))
          .map(({ said }) => said);
        const scored = own.find(({ price }) => price !== null);
        const [price, volume24h] = [scored?.price ?? null, scored?.volume_24h ?? null];
        return [symbol, { price, volume24h, sources: own }];
      }),
    );
    this.#reading = this.#readingOf(ts, all, reads);
    return reads;
  }

  #readingOf(ts: number, all: readonly TickSourceRead[], reads: Reads): TickReading {
    const { ledger, sources, rule } = this.#parts;
    const named = new Map(sources.map(({ provider }) => [provider, 0]));
    const missing = new Map<string, Map<string, string>>();
    for (const { symbol, said, reason } of all) {
      const { provider } = said;
      named.set(provider, (named.get(provider) ?? 0) + 1);
      if (reason === null) continue;
      const ofProvider = missing.get(provider) ?? new Map<string, string>();
      missing.set(provider, ofProvider.set(symbol, reason));
    }
    const { benchmark } = rule.receipts;
    return {
      ts,
      asked: reads.size,
      good: this.#goodOf(ts, reads),
      named,
      missing,
      unnamed: [...reads].flatMap(([symbol, { sources: own }]) =>
        own.length === 0 ? [symbol] : [],
      ),
      noBenchmark: assetRow(ledger.tip, benchmark)?.listed === true ? undefined : benchmark,
    };
  }

  /** Asks all sources at once. One that fails has given nothing. */
  async #ask(
    ts: number,
    symbols: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly TickSourceRead[]> {
    const { sources, readMs } = this.#parts;
    const controller = new AbortController();
    const leave = (): void => {
      controller.abort(signal.reason);
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', leave, { once: true });
    const timer = setTimeout(() => {
      controller.abort(new Fault('timeout', 'tick sources', { expected: `within ${readMs} ms` }));
    }, readMs);
    try {
      const reads = await Promise.all(
        sources.map(async ({ provider, read }) => {
          try {
            return await read(ts, symbols, controller.signal);
          } catch {
            const reason = controller.signal.aborted ? 'timeout' : 'failed';
            return symbols.map((symbol) => unread(provider, symbol, reason));
          }
        }),
      );
      signal.throwIfAborted();
      return reads.flat();
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }
}

type Reads = ReadonlyMap<string, TickInput>;

function isPriced(reads: Reads): boolean {
  return [...reads.values()].some(({ price }) => price !== null);
}

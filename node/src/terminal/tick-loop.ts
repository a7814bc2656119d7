import { Fault, type FaultCode } from '@assay/core/fault';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { LiveReading, TerminalReadings } from './answer/terminal-readings.ts';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { Clock } from '../platform/clock.ts';
import type { Studies } from './study/studies.ts';
import { readingConcerns } from './tick/tick-reading.ts';
import { AGAIN_S, type TickOutcome, type TickRound } from './tick/tick-round.ts';

/** The events of the loop. */
export interface TickEvents {
  readonly onTick: (of: AssetClass, ts: number, outcome: TickOutcome) => void;
  /** A tick that could not be written, or a class that could not be resumed from its log. */
  readonly onFailed: (of: AssetClass, error: unknown) => void;
}

export interface TickLoopParts {
  readonly rounds: readonly TickRound[];
  readonly now: Clock;
  /** Milliseconds between two polls for a tick that is due. */
  readonly everyMs: number;
  /** Whether nothing can be written now. */
  readonly blocked: () => boolean;
  /** Called after a class's first poll of a UTC day, to thin its old readings. It never throws. */
  readonly daily?: (of: AssetClass) => Promise<void>;
  /** What is made in parallel with the ticks, after each poll. */
  readonly studies?: Pick<Studies, 'kick' | 'stop' | 'concerns'>;
  /** Called after each poll of a class for a tick that is due. */
  readonly onPolled?: () => void;
  /** Stops a simulated clock for a tick. */
  readonly hold?: () => () => void;
}

const DAY_S = 86_400;

/** Why there are no more ticks until an operator has examined it and the node is started again, for readers. */
const STOPS: Readonly<Partial<Record<FaultCode, string>>> = {
  replay_differs: 'the log has other entries than its readings make',
  not_found: 'readings that it goes on from are missing',
  blob_missing: 'leaves of an earlier tick are missing',
  blob_differs: 'leaves of an earlier tick are damaged',
  ledger_corrupt: 'readings that it goes on from are damaged',
  malformed: 'something that it goes on from cannot be read',
  out_of_range: 'the entries of the log do not follow each other',
};

/**
 * Reads and writes every tick of its classes in time, each class separately. A time that is missed never has an
 * entry. A class that cannot continue reports that, and does not affect the others or the rest of the node.
 */
export class TickLoop implements Service {
  readonly #parts: TickLoopParts;
  readonly #events: TickEvents;
  readonly #abort = new AbortController();
  /** When a class may be tried again, in unix seconds. */
  readonly #again = new Map<AssetClass, number>();
  readonly #stopped = new Map<AssetClass, string>();
  readonly #failing = new Set<AssetClass>();
  readonly #timers = new Map<AssetClass, NodeJS.Timeout>();
  readonly #running = new Map<AssetClass, Promise<void>>();
  #ended = false;
  /** The UTC day of the last call of `daily`. */
  readonly #days = new Map<AssetClass, number>();
  #version = 0;
  /** The readings of the last ticks, as a service shows them. */
  readonly readings: TerminalReadings;

  constructor(parts: TickLoopParts, events: TickEvents) {
    this.#parts = parts;
    this.#events = events;
    const version = (): number => this.#version;
    this.readings = {
      get version() {
        return version();
      },
      of: (symbol, ts) => readingOf(parts.rounds, symbol, ts),
    };
  }

  /**
   * Polls each class at once, then `everyMs` after the end of each of its polls. No class waits for another.
   */
  start(): void {
    for (const round of this.#parts.rounds) this.#begin(round);
  }

  /** Aborts the readings under way, and waits for what is being written. */
  async stop(): Promise<void> {
    this.#ended = true;
    this.#abort.abort(new Fault('stopped', 'ticks'));
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running.values());
    await this.#parts.studies?.stop();
  }

  /** Writes the ticks that are due now. Never throws: a failure is reported. */
  async poll(): Promise<void> {
    await Promise.all(this.#parts.rounds.map((round) => this.#poll(round)));
  }

  #begin(round: TickRound): void {
    const { class: of } = round;
    if (this.#ended || this.#running.has(of)) return;
    const look = this.#poll(round).finally(() => {
      this.#running.delete(of);
      if (this.#ended) return;
      this.#timers.set(
        of,
        setTimeout(() => this.#begin(round), this.#parts.everyMs),
      );
    });
    this.#running.set(of, look);
  }

  async #poll(round: TickRound): Promise<void> {
    const { now, daily, studies, onPolled } = this.#parts;
    const { class: of } = round;
    await this.#lookAt(round);
    onPolled?.();
    if (!this.#ended) studies?.kick();
    const day = Math.floor(now() / DAY_S);
    if (this.#ended || daily === undefined || day === this.#days.get(of)) return;
    this.#days.set(of, day);
    await daily(of);
  }

  /**
   * What is wrong with making ticks and studies, for readers. That a class is halted follows from what is
   * published.
   */
  concerns(): readonly Concern[] {
    const { rounds, studies } = this.#parts;
    const ofTicks = rounds.flatMap((round) => this.#concernsOf(round));
    return [...ofTicks, ...(studies?.concerns() ?? [])];
  }

  #concernsOf(round: TickRound): readonly Concern[] {
    const { class: of, reading } = round;
    const reasons: string[] = [];
    const stopped = this.#stopped.get(of);
    if (stopped !== undefined) reasons.push(`There are no more ticks of ${of}: ${stopped}.`);
    else if (this.#failing.has(of)) reasons.push(`The newest tick of ${of} could not be written.`);
    if (stopped === undefined && reading !== undefined) {
      reasons.push(...readingConcerns(of, reading));
    }
    return reasons.map((reason) => ({ level: 'degraded', reason }));
  }

  async #lookAt(round: TickRound): Promise<void> {
    const { now, blocked, hold } = this.#parts;
    const { class: of } = round;
    if (this.#ended || this.#stopped.has(of) || blocked()) return;
    if (now() < (this.#again.get(of) ?? 0)) return;
    try {
      if (await round.resume()) this.#version += 1;
    } catch (error) {
      this.#fail(of, error);
      const why = error instanceof Fault ? STOPS[error.code] : undefined;
      if (why !== undefined) this.#stopped.set(of, why);
      return;
    }
    const release = hold?.();
    const { due } = round;
    try {
      if (due === undefined) return;
      const outcome = await round.run(due, this.#abort.signal);
      this.#failing.delete(of);
      this.#version += 1;
      if (outcome.kind === 'nothing') this.#again.set(of, now() + AGAIN_S);
      this.#events.onTick(of, due, outcome);
    } catch (error) {
      if (!this.#ended) this.#fail(of, error);
    } finally {
      release?.();
    }
  }

  #fail(of: AssetClass, error: unknown): void {
    this.#failing.add(of);
    this.#again.set(of, this.#parts.now() + AGAIN_S);
    this.#events.onFailed(of, error);
  }
}

/** The good reading of an asset at a tick, from the round of its class. */
function readingOf(
  rounds: readonly TickRound[],
  symbol: string,
  ts: number,
): LiveReading | undefined {
  for (const round of rounds) {
    const row = round.boardAt(ts)?.get(symbol);
    if (row?.good === true) return { ts, move: row.move, volMult: row.volMult };
  }
  return undefined;
}

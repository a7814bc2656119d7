import { messageOf } from '@assay/core/fault';
import { formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { Clock } from '../platform/clock.ts';
import type { DamageLog } from './damage-log.ts';
import type { ScrubMemory, ScrubState } from './scrub-memory.ts';
import type { ScrubStage, ScrubStep } from './scrub-stage.ts';

export interface ScrubParts {
  /** In the order in which they are gone over. */
  readonly stages: readonly ScrubStage[];
  readonly damage: DamageLog;
  /** The seconds in which a round should end. The next one begins so long after it began. */
  readonly roundS: number;
  /** Where it stores its place. Without it, each start begins a new round. */
  readonly memory?: ScrubMemory;
  /** Unix seconds, for people. */
  readonly now: Clock;
  /** Seconds of a clock without steps. */
  readonly elapsed: Clock;
  /** Resolves after so many milliseconds, or when `signal` is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The settings of an operator. */
export interface ScrubSettings {
  readonly roundS: number;
  readonly memory?: ScrubMemory;
}

export interface ScrubEvents {
  /** A round went over everything. */
  readonly onRound?: (seconds: number) => void;
  readonly onFailed?: (stage: string, reason: string) => void;
}

/** The progress of a scrub. */
export interface ScrubStatus {
  /** The current stage; null between two rounds. */
  readonly stage: string | null;
  /** How much of the round is done, from 0 to 1. */
  readonly share: number;
  readonly began_at: TimeText | null;
  /** When the last round that went over everything ended; null before the first. */
  readonly last_ended_at: TimeText | null;
  /** The rounds that have ended, and the bytes that were read, since the start. */
  readonly rounds: number;
  readonly bytes: number;
  readonly round_s: number;
}

/** The part of a round's time that is planned. The rest is for work that takes longer. */
const PLANNED = 0.9;
/** The most milliseconds between two steps, so that a small log is gone over in minutes and not in a day. */
const MOST_REST_MS = 1000;
/** The seconds between two writes of the place. */
const KEEP_S = 60;
/** After how many times the duration of a round without a whole round there is a concern. */
const LATE_ROUNDS = 2;

/**
 * Goes over everything that is stored again and again, in small steps. Between them it rests for as long as the
 * time of a round allows, and otherwise for as long as the step took. After a start it continues from its
 * place.
 */
export class Scrub implements Service {
  readonly startsWhen = 'proven';
  readonly stops = 'before';
  readonly #parts: ScrubParts;
  readonly #events: ScrubEvents;
  readonly #abort = new AbortController();
  readonly #startedAt: number;
  /** The stages of this round that could not be completed, and why. */
  #failed = new Map<string, string>();
  #state: ScrubState = FRESH;
  #at = 0;
  #share = 0;
  #rounds = 0;
  #bytes = 0;
  #keptAt = Number.NEGATIVE_INFINITY;
  #endedAt: number | undefined;
  #running: Promise<void> | undefined;

  constructor(parts: ScrubParts, events: ScrubEvents = {}) {
    this.#parts = parts;
    this.#events = events;
    this.#startedAt = parts.elapsed();
  }

  get status(): ScrubStatus {
    const { stages, roundS } = this.#parts;
    const { began_at, stage, last_ended_at } = this.#state;
    const under = began_at !== null;
    return {
      stage: under ? stage : null,
      share: under ? (this.#at + this.#share) / Math.max(1, stages.length) : 1,
      began_at,
      last_ended_at,
      rounds: this.#rounds,
      bytes: this.#bytes,
      round_s: roundS,
    };
  }

  /** Stages that could not be completed, or that no round has ended for too long. */
  readonly concerns = (): readonly Concern[] => {
    const concerns: Concern[] = [...this.#failed].map(([stage, reason]) => ({
      level: 'degraded',
      reason: `The scrub could not go over all of ${stage}: ${reason}.`,
    }));
    const late = LATE_ROUNDS * this.#parts.roundS;
    if (this.#parts.elapsed() - (this.#endedAt ?? this.#startedAt) > late) {
      const reason = `The scrub of what is stored has ended no round for ${late} seconds.`;
      concerns.push({ level: 'degraded', reason });
    }
    return concerns;
  };

  /** Begins to go over everything, in the background. */
  start(): void {
    if (this.#abort.signal.aborted) return;
    this.#running ??= this.#run();
  }

  /** Waits for the step under way, and stores the place. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
    if (this.#running !== undefined) await this.#keep();
  }

  /** Continues the current round, or begins one, and ends it. Never throws. */
  async round(): Promise<void> {
    const { stages, roundS, now, elapsed } = this.#parts;
    const { signal } = this.#abort;
    this.#failed = new Map();
    if (this.#state.began_at === null) {
      this.#state = { ...this.#state, began_at: formatTime(now()), stage: '', place: '' };
    }
    // A round that an earlier process began has the rest of its time.
    const since = now() - parseTime(this.#state.began_at as TimeText);
    const begun = elapsed() - Math.min(Math.max(0, since), roundS);
    const first = stages.findIndex(({ name }) => name === this.#state.stage);
    if (first < 0) this.#state = { ...this.#state, place: '' };
    for (let at = Math.max(0, first); at < stages.length; at += 1) {
      const stage = stages[at] as ScrubStage;
      const place = at === first ? this.#state.place : '';
      this.#state = { ...this.#state, stage: stage.name, place };
      [this.#at, this.#share] = [at, 0];
      const left = Math.max(0, begun + PLANNED * roundS - elapsed());
      await this.#goOver(stage, place, left / (stages.length - at));
      if (signal.aborted) return;
    }
    const { began_at } = this.#state;
    this.#rounds += 1;
    const ended = this.#failed.size === 0;
    if (ended) this.#endedAt = elapsed();
    this.#state = {
      ...this.#state,
      began_at: null,
      stage: '',
      place: '',
      ...(ended ? { last_began_at: began_at, last_ended_at: formatTime(now()) } : {}),
    };
    await this.#keep();
    if (ended) this.#events.onRound?.(elapsed() - begun);
  }

  async #run(): Promise<void> {
    const { roundS, sleep, now, elapsed } = this.#parts;
    const { signal } = this.#abort;
    await this.#recall();
    // A round that ended before the start counts from when it began.
    const { began_at, last_began_at } = this.#state;
    if (began_at === null && last_began_at !== null) {
      const since = now() - parseTime(last_began_at);
      if (since >= 0 && since < roundS) await sleep((roundS - since) * 1000, signal);
    }
    while (!signal.aborted) {
      const begun = elapsed();
      await this.round();
      const rest = roundS - (elapsed() - begun);
      if (!signal.aborted && rest > 0) await sleep(rest * 1000, signal);
    }
  }

  /** Takes what an earlier process knew, and checks again what it found. */
  async #recall(): Promise<void> {
    const { memory, stages, damage } = this.#parts;
    const known = await memory?.read();
    if (known === undefined) return;
    this.#state = known;
    if (known.last_ended_at !== null) this.#endedAt = this.#startedAt;
    for (const { recheck } of stages) {
      if (recheck === undefined) continue;
      const { part, copyOf, check } = recheck;
      const found = known.damages.filter(
        (each) => each.part === part && each.copy_of === copyOf && each.state !== 'repaired',
      );
      damage.load(found);
      for (const { name } of found) {
        // What cannot be read stays damaged until the round comes to it.
        if (!this.#abort.signal.aborted) await check(name).catch(() => undefined);
      }
    }
  }

  async #goOver(stage: ScrubStage, place: string, seconds: number): Promise<void> {
    const { elapsed } = this.#parts;
    const { signal } = this.#abort;
    const begun = elapsed();
    let first: number | undefined;
    let before = begun;
    try {
      for await (const step of stage.steps(place)) {
        const worked = elapsed() - before;
        first ??= step.share;
        this.#take(step);
        // What was done before a start needs no time of this round.
        const share = first < 1 ? (step.share - first) / (1 - first) : 1;
        await this.#rest(begun + share * seconds - elapsed(), worked);
        if (signal.aborted) return;
        before = elapsed();
      }
    } catch (error) {
      const reason = messageOf(error);
      this.#failed.set(stage.name, 'what is stored could not be read');
      this.#events.onFailed?.(stage.name, reason);
    }
  }

  #take({ place, share, bytes }: ScrubStep): void {
    this.#state = { ...this.#state, place };
    this.#share = share;
    this.#bytes += bytes;
  }

  /**
   * `ahead` is the number of seconds until the time that is planned for what is done; `worked` the seconds of
   * the step.
   */
  async #rest(ahead: number, worked: number): Promise<void> {
    const { sleep, elapsed } = this.#parts;
    const ms = Math.max(
      Math.min(ahead * 1000, MOST_REST_MS),
      Math.min(worked * 1000, MOST_REST_MS),
    );
    await sleep(Math.max(1, ms), this.#abort.signal);
    if (elapsed() - this.#keptAt >= KEEP_S) await this.#keep();
  }

  async #keep(): Promise<void> {
    const { memory, damage, elapsed } = this.#parts;
    this.#keptAt = elapsed();
    try {
      await memory?.write({ ...this.#state, damages: damage.openList });
    } catch (error) {
      // It begins anew after the next start, so only time is lost.
      this.#events.onFailed?.('memory', messageOf(error));
    }
  }
}

const FRESH: ScrubState = {
  began_at: null,
  stage: '',
  place: '',
  last_began_at: null,
  last_ended_at: null,
  damages: [],
};

/** Resolves after so many milliseconds, or when `signal` is aborted. */
export function restFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

import { Fault } from '@assay/core/fault';
import type { Study } from '@assay/core/kind/study';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { DAY_SECONDS } from '@assay/core/time/time';
import type { Concern } from '../../health/concern.ts';
import type { Clock } from '../../platform/clock.ts';
import type { StudyRound } from './study-round.ts';

/** The events of studies. */
export interface StudyEvents {
  readonly onStudy: (study: Study) => void;
  readonly onFailed: (of: AssetClass, error: unknown) => void;
}

export interface StudiesParts {
  readonly rounds: readonly StudyRound[];
  readonly now: Clock;
  /** Whether nothing can be written now. */
  readonly blocked: () => boolean;
  /** Stops a simulated clock for a study. */
  readonly hold?: () => () => void;
}

/**
 * Makes the studies that are due, one at a time, while ticks go on. One that fails is tried again a day later.
 */
export class Studies {
  readonly #parts: StudiesParts;
  readonly #events: StudyEvents;
  readonly #abort = new AbortController();
  /** When a class may be tried again, in unix seconds. */
  readonly #again = new Map<AssetClass, number>();
  /** Classes whose last study failed. */
  readonly #failed = new Set<AssetClass>();
  #running: Promise<void> | undefined;

  constructor(parts: StudiesParts, events: StudyEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Begins with what is due, unless it is working. It waits for nothing and never throws. */
  kick(): void {
    if (this.#abort.signal.aborted || this.#running !== undefined) return;
    const due = this.#parts.rounds.find((round) => this.#isDue(round));
    if (due === undefined) return;
    this.#running = this.#run(due).finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Aborts the study under way, and waits for what is being written. */
  async stop(): Promise<void> {
    this.#abort.abort(new Fault('stopped', 'studies'));
    await this.#running;
  }

  /** The studies that are due but failed, for readers, until they are made. */
  concerns(): readonly Concern[] {
    return this.#parts.rounds.flatMap(({ class: of, due }): readonly Concern[] => {
      if (due === undefined || !this.#failed.has(of)) return [];
      const reason = `The study of ${of} that is due could not be made; it is tried again once a day.`;
      return [{ level: 'degraded', reason }];
    });
  }

  #isDue({ class: of, due }: StudyRound): boolean {
    const { now, blocked } = this.#parts;
    return due !== undefined && !blocked() && now() >= (this.#again.get(of) ?? 0);
  }

  async #run(round: StudyRound): Promise<void> {
    const { class: of, due } = round;
    if (due === undefined) return;
    const release = this.#parts.hold?.();
    const { signal } = this.#abort;
    try {
      const study = await round.run(due, signal);
      this.#failed.delete(of);
      this.#events.onStudy(study);
    } catch (error) {
      if (signal.aborted) return;
      this.#again.set(of, this.#parts.now() + DAY_SECONDS);
      this.#failed.add(of);
      this.#events.onFailed(of, error);
    } finally {
      release?.();
    }
  }
}

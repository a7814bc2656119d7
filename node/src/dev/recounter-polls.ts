import type { ChangedTables } from '../ledger/record.ts';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RecounterPollsParts {
  /** One poll of every recounter. Never throws. */
  readonly follow: () => Promise<void>;
  /** Stops the clock, and returns a function that lets it go on. */
  readonly hold: () => () => void;
  /** Milliseconds of real time between two polls. */
  readonly everyMs: number;
}

const REPORTS = /^reports\//;

/**
 * Makes recounters poll again and again, and at once when there is a new report. From its publication until
 * they have polled the clock is stopped, because at the speed of the world that takes no time.
 */
export class RecounterPolls {
  readonly #parts: RecounterPollsParts;
  #behind = false;
  #release: (() => void) | undefined;
  #wake = new AbortController();
  #polling: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: RecounterPollsParts) {
    this.#parts = parts;
  }

  /** Called with the tables that each publication changed. */
  changed(tables: ChangedTables): void {
    if (this.#polling === undefined || this.#stopped) return;
    if (tables !== 'all' && ![...tables].some((table) => REPORTS.test(table))) return;
    this.#behind = true;
    this.#release ??= this.#parts.hold();
    this.#wake.abort();
  }

  start(): void {
    this.#polling ??= this.#run();
  }

  /** Lets the clock go on, and waits for the poll under way; no other follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake.abort();
    this.#release?.();
    await this.#polling;
  }

  async #run(): Promise<void> {
    const { follow, everyMs } = this.#parts;
    while (!this.#stopped) {
      const release = this.#release;
      this.#release = undefined;
      this.#behind = false;
      await follow();
      release?.();
      if (this.#behind) continue;
      this.#wake = new AbortController();
      await sleep(everyMs, undefined, { signal: this.#wake.signal }).catch(() => undefined);
    }
  }
}

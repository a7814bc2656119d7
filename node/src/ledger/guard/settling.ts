import { setTimeout as sleep } from 'node:timers/promises';
import { isPassing } from '../store/log-sync.ts';
import type { LedgerStore } from '../store/store.ts';
import type { HeadGuard } from './head-guard.ts';

/** How much may be in the guard alone, as far as what is durable goes. */
export interface SettlingLimits {
  /** After so many bytes of commits the database is synced in the background. */
  readonly bytes: number;
  /** Milliseconds after which it is synced anyway, and between two tries where no file can be opened. */
  readonly ms: number;
  /** With more bytes than these the next commit waits. */
  readonly mostBytes: number;
}

/** The journal of a guard has 8 MiB before it goes on where nothing is needed any more. */
const LIMITS: SettlingLimits = {
  bytes: 2 * 1024 * 1024,
  ms: 1000,
  mostBytes: 6 * 1024 * 1024,
};

/** Syncs that could not begin, after which a commit that waits for one gives up, so that somebody is told. */
const MAX_TRIES = 10;

export interface SettlingParts {
  readonly store: Pick<LedgerStore, 'sync'>;
  readonly guard: Pick<HeadGuard, 'settled'>;
  readonly limits?: SettlingLimits | undefined;
  /** Called once with why a sync failed. One for which no file can be opened has not: see `isPassing`. */
  readonly onFailed: (cause: unknown) => void;
}

/**
 * Commits that were written to the database without a sync. A guard keeps their entries until it is told that they are
 * settled, which is after a sync of the database that began when their write had returned. One sync runs at a time, behind
 * the commits. After one that failed, and after `halt`, nothing is settled before `restart`.
 */
export class Settling {
  readonly #parts: SettlingParts;
  readonly #limits: SettlingLimits;
  /** The size of the log after the newest commit. */
  #size = 0;
  #settled = 0;
  /** The bytes of commits that are not settled. */
  #bytes = 0;
  #running: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: { readonly cause: unknown } | undefined;
  /** Why the last try synced nothing, although nothing has failed. */
  #putOff: { readonly cause: unknown } | undefined;
  #isHalted = false;

  constructor(parts: SettlingParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? LIMITS;
  }

  /** Resolves when the next commit may begin. Throws why the last sync failed, or why none could begin in several tries. */
  async room(): Promise<void> {
    let tries = 0;
    while (this.#isGoing && this.#bytes > this.#limits.mostBytes) {
      await this.#begin();
      if (this.#putOff === undefined) continue;
      tries += 1;
      if (tries === MAX_TRIES) throw this.#putOff.cause;
      await sleep(this.#limits.ms);
    }
    this.#requireSound();
  }

  /** The database has been given the entries below `size`, and the guard keeps `bytes` more for them. */
  add(size: number, bytes: number): void {
    this.#size = Math.max(this.#size, size);
    this.#bytes += bytes;
    this.#next();
  }

  /** Settles everything that was added, or nothing after `halt`. Throws why a sync failed or could not begin. */
  async settle(): Promise<void> {
    while (this.#isGoing && this.#isDue) {
      await this.#begin();
      if (this.#putOff !== undefined) throw this.#putOff.cause;
    }
    this.#requireSound();
  }

  /** Waits for a sync that is under way. No other one begins before `restart`. */
  async halt(): Promise<void> {
    this.#isHalted = true;
    this.#stopTimer();
    await this.#running;
  }

  /** Goes on after database and guard were opened again and compared, and what the database has was settled. */
  restart(): void {
    this.#failure = undefined;
    this.#isHalted = false;
    this.#next();
  }

  get #isGoing(): boolean {
    return this.#failure === undefined && !this.#isHalted;
  }

  get #isDue(): boolean {
    return this.#size > this.#settled;
  }

  #requireSound(): void {
    if (this.#failure !== undefined) throw this.#failure.cause;
  }

  #next(): void {
    if (!this.#isDue || !this.#isGoing || this.#running !== undefined) return;
    if (this.#bytes >= this.#limits.bytes && this.#putOff === undefined) {
      void this.#begin();
      return;
    }
    this.#timer ??= setTimeout(() => void this.#begin(), this.#limits.ms).unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #begin(): Promise<void> {
    this.#stopTimer();
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      this.#next();
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    const { store, guard, onFailed } = this.#parts;
    const [size, bytes] = [this.#size, this.#bytes];
    try {
      this.#putOff = await store.sync().then(
        () => undefined,
        (cause: unknown) => {
          if (isPassing(cause)) return { cause };
          throw cause;
        },
      );
      if (this.#putOff !== undefined) return;
      await guard.settled(size);
      this.#settled = size;
      this.#bytes -= bytes;
    } catch (cause) {
      this.#failure = { cause };
      onFailed(cause);
    }
  }
}

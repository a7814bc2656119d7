import { messageOf } from '@assay/core/fault';
import type { Concern } from '../health/concern.ts';
import type { Followed } from '../mirror/log-mirror.ts';
import type { BlobFollower } from './blob-follower.ts';

export interface StandbyParts {
  /** Follows the log, and says how many entries are durable here. */
  readonly mirror: {
    readonly follow: (signal: AbortSignal) => Promise<Followed>;
    readonly size: number;
  };
  readonly blobs: BlobFollower;
  /**
   * Tells the writer how many entries are durable here, and resolves with whether the head guard has all that come after
   * them.
   */
  readonly confirm: (size: number) => Promise<boolean>;
  /**
   * Called again and again beside the polls, because an operator may have asked for something. A poll of a publisher that hangs
   * may take a minute, and that is when an operator asks.
   */
  readonly onTurn: () => Promise<void>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly pollMs: number;
  /** Seconds of a clock that only goes forward. */
  readonly elapsed: () => number;
  readonly onError: (what: string, reason: string) => void;
}

/** How far a standby is. */
export interface StandbyStatus {
  /** Entries that are durable here. */
  readonly size: number;
  /** How many the publisher's newest head has more; undefined before the first poll that had an answer. */
  readonly behind: number | undefined;
  /** Entries that the writer was told of. */
  readonly confirmed: number;
  /**
   * Whether the head guard has everything that is not here, so that nothing is lost with the publisher. It takes two polls on
   * end: a writer may be dropping batches while a new follower says for the first time where it is.
   */
  readonly covered: boolean;
  /** Blobs that are named and are not here. */
  readonly missing: number;
  /** Seconds since the last poll that had an answer; undefined before the first. */
  readonly polledS: number | undefined;
}

/** How many polls on end must find the batches that are missing here in the head guard. */
const COVERED_POLLS = 2;
/** Milliseconds between two looks for the request of an operator. */
const TURN_MS = 200;
/** Seconds without an answer after which a standby says so. */
const SILENT_S = 60;

/** Follows a publisher, poll after poll, and says how far it is. It signs nothing and has no key. */
export class Standby {
  readonly #parts: StandbyParts;
  readonly #stop = new AbortController();
  #running: Promise<unknown> | undefined;
  #behind: number | undefined;
  #confirmed = 0;
  /** After how many confirmations on end the head guard had everything that is not here. */
  #covered = 0;
  #polledAt: number | undefined;
  #forked = false;
  #failures = new Map<string, string>();

  constructor(parts: StandbyParts) {
    this.#parts = parts;
  }

  get status(): StandbyStatus {
    const { mirror, blobs, elapsed } = this.#parts;
    return {
      size: mirror.size,
      behind: this.#behind,
      confirmed: this.#confirmed,
      covered: this.#covered >= COVERED_POLLS,
      missing: blobs.missing,
      polledS: this.#polledAt === undefined ? undefined : elapsed() - this.#polledAt,
    };
  }

  readonly concerns = (): readonly Concern[] => {
    if (this.#forked) {
      return [{ level: 'halted', reason: 'The key of the log has signed two histories.' }];
    }
    const { covered, missing, polledS } = this.status;
    const reasons = [...this.#failures].map(([what, reason]) => `${what}: ${reason}.`);
    if (polledS === undefined || polledS > SILENT_S) reasons.push('The publisher does not answer.');
    if (!covered) {
      reasons.push(
        'The head guard does not have all entries that are not here: a promotion may refuse.',
      );
    }
    if (missing > 0) reasons.push(`${missing} blobs that entries name are not here.`);
    return reasons.map((reason) => ({ level: 'degraded', reason }));
  };

  start(): void {
    this.#running ??= Promise.all([this.#run(), this.#listen()]);
  }

  /** Ends what is under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#poll(signal);
      if (!signal.aborted)
        await this.#parts.sleep(this.#parts.pollMs, signal).catch(() => undefined);
    }
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#try('the request of an operator', this.#parts.onTurn);
      if (!signal.aborted) await this.#parts.sleep(TURN_MS, signal).catch(() => undefined);
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { mirror, blobs, confirm } = this.#parts;
    await this.#try('following the log', async () => {
      const before = mirror.size;
      const followed = await mirror.follow(signal);
      this.#forked = followed.kind === 'forked';
      this.#polledAt = this.#parts.elapsed();
      // After a poll that copied everything, nothing was left at that moment.
      if (followed.kind === 'followed') this.#behind = 0;
      else if (followed.kind === 'behind') this.#behind = Math.max(0, followed.head - before);
    });
    if (mirror.size > 0) {
      await this.#try('telling the head guard', async () => {
        const { size } = mirror;
        const isCovered = await confirm(size);
        this.#covered = isCovered ? this.#covered + 1 : 0;
        this.#confirmed = size;
      });
    }
    await this.#try('following the blobs', () => blobs.follow(mirror.size, signal));
  }

  async #try(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failures.delete(what);
    } catch (error) {
      const reason = messageOf(error);
      if (this.#failures.get(what) !== reason && !this.#stop.signal.aborted) {
        this.#parts.onError(what, reason);
      }
      this.#failures.set(what, reason);
    }
  }
}

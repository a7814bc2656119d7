import { messageOf } from '@assay/core/fault';
import type { Concern } from '../health/concern.ts';
import { withDeadline } from '../platform/deadline.ts';
import { openPrimary, type Primary, type ServerOptions } from './primary.ts';
import type { SqlAnswer } from './session.ts';
import { CONFIRM, DROP, FOLLOWERS, FORGET } from './schema.ts';

/** Somebody who follows the log and may be promoted. */
export interface Follower {
  readonly name: string;
  /** The number of entries that it has confirmed. */
  readonly size: number;
  /** Seconds since it said so. */
  readonly ageS: number;
}

export interface FollowersOptions extends ServerOptions {
  readonly log: string;
  readonly keepEntries: number;
  readonly dropEveryMs: number;
}

/** Seconds after which a follower that says nothing is reported. */
const SILENT_S = 300;

/**
 * Drops pending batches once the writer's own database and each follower have their entries. It has a session of its own, so
 * that no commit waits for it, and what it loses is done again later.
 */
export class Followers {
  readonly #options: FollowersOptions;
  readonly #owned: () => { readonly epoch: number; readonly writer: string } | undefined;
  #primary: Primary | undefined;
  #size = 0;
  #dropped = 0;
  #working: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #known: readonly Follower[] = [];
  #failure: string | undefined;

  constructor(
    options: FollowersOptions,
    owned: () => { readonly epoch: number; readonly writer: string } | undefined,
  ) {
    this.#options = options;
    this.#owned = owned;
  }

  get known(): readonly Follower[] {
    return this.#known;
  }

  /** The entries below `size` are durable in the writer's database. */
  settled(size: number): void {
    this.#size = Math.max(this.#size, size);
    if (this.#closed || this.#working !== undefined || this.#timer !== undefined) return;
    this.#working = this.#drop().finally(() => {
      this.#working = undefined;
      if (this.#closed) return;
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        if (this.#size > this.#dropped) this.settled(this.#size);
      }, this.#options.dropEveryMs);
      this.#timer.unref();
    });
  }

  readonly concerns = (): readonly Concern[] => {
    const reasons = this.#known.flatMap((each) => this.#reasonOf(each) ?? []);
    if (this.#failure !== undefined) {
      reasons.push(
        'Batches in the head guard cannot be dropped: the reason is in the log of the operator.',
      );
    }
    return reasons.map((reason) => ({ level: 'degraded', reason }));
  };

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#primary?.session.end();
    await this.#working;
    // What was being opened meanwhile would keep the process alive.
    this.#primary?.session.end();
  }

  #reasonOf({ name, size, ageS }: Follower): string | undefined {
    const behind = this.#size - size;
    if (behind > this.#options.keepEntries) {
      return `The standby ${name} is ${behind} entries behind, and the head guard no longer keeps all of them for it.`;
    }
    return ageS > SILENT_S
      ? `The standby ${name} has said nothing for ${Math.floor(ageS)} seconds.`
      : undefined;
  }

  async #drop(): Promise<void> {
    const { log, keepEntries, timeoutMs } = this.#options;
    const size = this.#size;
    try {
      this.#primary ??= await openPrimary(this.#options);
      const { session } = this.#primary;
      const owned = this.#owned();
      if (owned === undefined) return;
      await withDeadline(timeoutMs, 'head guard', async () => {
        // A drop that a crash undoes is done again.
        await session.query('set synchronous_commit = off');
        const { rows } = await session.query(FOLLOWERS, [log]);
        this.#known = rows.map(followerOf);
        const { epoch, writer } = owned;
        const values = [log, String(size), String(epoch), writer, String(keepEntries)];
        await session.query(DROP, values);
        const kept = this.#known
          .map((each) => each.size)
          .filter((each) => size - each <= keepEntries);
        this.#dropped = Math.min(size, ...kept);
      });
      this.#failure = undefined;
    } catch (error) {
      this.#failure = messageOf(error);
      this.#primary?.session.end();
      this.#primary = undefined;
    }
  }
}

function followerOf(row: Readonly<Record<string, unknown>>): Follower {
  return { name: String(row['name']), size: Number(row['size']), ageS: Number(row['age']) };
}

/** What a follower says of itself to the guard, in a session of its own. */
export class FollowerMark {
  readonly #options: ServerOptions;
  readonly #log: string;
  readonly #name: string;
  #primary: Primary | undefined;

  constructor(options: ServerOptions, log: string, name: string) {
    this.#options = options;
    this.#log = log;
    this.#name = name;
  }

  /**
   * Says that the entries below `size` are durable here, and resolves with whether the guard has all that come after them.
   * Throws what a server or the way to it throws.
   */
  async confirm(size: number): Promise<boolean> {
    const [row] = await this.#run(CONFIRM, [this.#log, this.#name, String(size)]);
    return row?.['covered'] === true;
  }

  /** Is a follower no more. */
  async forget(): Promise<void> {
    await this.#run(FORGET, [this.#log, this.#name]);
  }

  end(): void {
    this.#primary?.session.end();
    this.#primary = undefined;
  }

  async #run(text: string, values: readonly string[]): Promise<SqlAnswer['rows']> {
    try {
      this.#primary ??= await openPrimary(this.#options);
      const { session } = this.#primary;
      const ask = (): Promise<SqlAnswer> => session.query(text, values);
      return (await withDeadline(this.#options.timeoutMs, 'head guard', ask)).rows;
    } catch (error) {
      this.end();
      throw error;
    }
  }
}

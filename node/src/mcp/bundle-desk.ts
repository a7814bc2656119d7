import type { MadeBundle } from '@assay/verifier/client/bundle-maker';
import { withDeadline } from '../platform/deadline.ts';
import { Semaphore } from '../platform/semaphore.ts';

/** How many bundles are gathered at once in a process: each is up to some megabytes. */
const AT_ONCE = 2;
/** How many more may wait for their turn. */
const MAX_WAITING = 8;
/** Milliseconds for one bundle, with the time that it waits for its turn. */
const DEADLINE_MS = 30_000;
/** Milliseconds for which a bundle is given again as it is, so that the file that an answer names can be read. */
const KEPT_MS = 60_000;
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/** How many requests of its client's budget a bundle counts as, besides the one that asks for it. */
export const BUNDLE_REQUESTS = 10;

/** A bundle, or why it is not gathered now. */
export type Gathered =
  | { readonly kind: 'made'; readonly made: MadeBundle }
  | { readonly kind: 'busy' }
  | { readonly kind: 'rate_limited'; readonly retryAfterS: number };

export interface GatherOptions {
  /** Aborted when nobody waits for the bundle any more. */
  readonly signal?: AbortSignal | undefined;
  /** As in `ToolParts`. */
  readonly charge?: ((requests: number) => number | undefined) | undefined;
}

interface Kept {
  readonly made: MadeBundle;
  readonly untilMs: number;
}

/**
 * Where the bundles of a process are gathered: two at once, with a queue that has an end, each within a deadline and for its
 * client's budget. What was made is kept for a minute.
 */
export class BundleDesk {
  readonly #semaphore = new Semaphore(AT_ONCE);
  readonly #kept = new Map<string, Kept>();
  readonly #deadlineMs: number;
  readonly #nowMs: () => number;
  #underWay = 0;

  constructor(deadlineMs: number = DEADLINE_MS, nowMs: () => number = () => performance.now()) {
    this.#deadlineMs = deadlineMs;
    this.#nowMs = nowMs;
  }

  /**
   * The bundle of a report, which `name` names; `gather` makes it where it is not kept, and ends when its signal is aborted.
   * Rejects with what `gather` throws, with `timeout` at the deadline, and with `unreachable` when `signal` aborts.
   */
  async bundle(
    name: string,
    gather: (signal: AbortSignal) => Promise<MadeBundle>,
    { signal, charge }: GatherOptions = {},
  ): Promise<Gathered> {
    const kept = this.#keptAs(name);
    if (kept !== undefined) return { kind: 'made', made: kept };
    if (this.#underWay >= AT_ONCE + MAX_WAITING) return { kind: 'busy' };
    const retryAfterS = charge?.(BUNDLE_REQUESTS);
    if (retryAfterS !== undefined) return { kind: 'rate_limited', retryAfterS };
    const work = (ended: AbortSignal): Promise<MadeBundle> => {
      this.#underWay += 1;
      return this.#semaphore
        .run(() => this.#made(name, gather, ended))
        .finally(() => {
          this.#underWay -= 1;
        });
    };
    return { kind: 'made', made: await withDeadline(this.#deadlineMs, 'bundle', work, signal) };
  }

  /** Forgets every bundle: one of them was not what it had to be. */
  clear(): void {
    this.#kept.clear();
  }

  async #made(
    name: string,
    gather: (signal: AbortSignal) => Promise<MadeBundle>,
    ended: AbortSignal,
  ): Promise<MadeBundle> {
    // Whoever waited for this turn may be gone, and another may have gathered the same meanwhile.
    ended.throwIfAborted();
    const kept = this.#keptAs(name);
    if (kept !== undefined) return kept;
    const made = await gather(ended);
    this.#keep(name, made);
    return made;
  }

  #keptAs(name: string): MadeBundle | undefined {
    const kept = this.#kept.get(name);
    if (kept === undefined) return undefined;
    if (this.#nowMs() < kept.untilMs) return kept.made;
    this.#kept.delete(name);
    return undefined;
  }

  #keep(name: string, made: MadeBundle): void {
    this.#kept.delete(name);
    this.#kept.set(name, { made, untilMs: this.#nowMs() + KEPT_MS });
    let bytes = 0;
    for (const each of this.#kept.values()) bytes += each.made.bytes.length;
    for (const [oldest, each] of this.#kept) {
      if (bytes <= MAX_KEPT_BYTES) return;
      this.#kept.delete(oldest);
      bytes -= each.made.bytes.length;
    }
  }
}

import type { Fault } from '@assay/core/fault';
import type { Made } from './log-end.ts';

/** The most bytes of entries in one commit. What waits after them goes into the next. */
const MAX_COMMIT_BYTES = 8 * 1024 * 1024;
const MAX_COMMIT_ENTRIES = 4096;
/** How many writes are gathered for one commit. */
const MAX_GATHERED = 512;

/** Entries that were appended together: they go into one commit. */
interface Pending {
  readonly made: readonly Made[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Entries that wait for their commit. Those that wait at the same time are committed together, one batch after
 * the other.
 */
export class CommitQueue {
  readonly #commit: (entries: readonly Made[]) => Promise<void>;
  readonly #stop: (cause: unknown) => Fault;
  #waiting: Pending[] = [];
  #committing: Promise<void> | undefined;
  /** Whether entries wait for others, until there are many or somebody waits for `idle`. */
  gathers = false;
  /** How many wait for `idle`. */
  #idling = 0;

  /**
   * `commit` makes entries durable. If it throws, `stop` gives the reason that everybody who waits receives,
   * and nothing is committed until something is added again.
   */
  constructor(
    commit: (entries: readonly Made[]) => Promise<void>,
    stop: (cause: unknown) => Fault,
  ) {
    this.#commit = commit;
    this.#stop = stop;
  }

  /** Resolves when the entries are committed. */
  add(made: readonly Made[]): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const bytes = made.reduce((sum, each) => sum + each.bytes.length, 0);
      this.#waiting.push({ made, bytes, resolve, reject });
      if (this.#isReady) this.#committing ??= this.#drain();
    });
  }

  /** Commits what waits. Resolves when nothing does. */
  async idle(): Promise<void> {
    this.#idling += 1;
    try {
      if (this.#isReady) this.#committing ??= this.#drain();
      while (this.#committing !== undefined) await this.#committing;
    } finally {
      this.#idling -= 1;
    }
  }

  /** Whether what waits is to be committed now. */
  get #isReady(): boolean {
    const { length } = this.#waiting;
    return length > 0 && (!this.gathers || this.#idling > 0 || length >= MAX_GATHERED);
  }

  /** Refuses everything that waits for a commit that has not begun. */
  refuse(reason: Fault): void {
    for (const { reject } of this.#waiting) reject(reason);
    this.#waiting = [];
  }

  async #drain(): Promise<void> {
    try {
      // What is appended in the same turn of the event loop goes into the first commit.
      await Promise.resolve();
      while (this.#isReady) {
        const batch = this.#takeBatch();
        try {
          await this.#commit(entriesOf(batch));
        } catch (cause) {
          const reason = this.#stop(cause);
          for (const { reject } of batch) reject(reason);
          this.refuse(reason);
          return;
        }
        for (const { resolve } of batch) resolve();
      }
    } finally {
      this.#committing = undefined;
    }
  }

  #takeBatch(): readonly Pending[] {
    let bytes = 0;
    let entries = 0;
    let count = 0;
    for (const pending of this.#waiting) {
      bytes += pending.bytes;
      entries += pending.made.length;
      if (count > 0 && (bytes > MAX_COMMIT_BYTES || entries > MAX_COMMIT_ENTRIES)) break;
      count += 1;
    }
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return batch;
  }
}

function entriesOf(batch: readonly Pending[]): readonly Made[] {
  const [first] = batch;
  return batch.length === 1 && first !== undefined ? first.made : batch.flatMap(({ made }) => made);
}

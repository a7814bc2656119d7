interface Waiting {
  readonly seq: number;
  readonly done: (shown: boolean) => void;
}

/**
 * Waits until an entry is in what readers are shown, for a limited time and for a limited number of callers.
 */
export class PublicationWait {
  readonly #most: number;
  readonly #timeoutMs: number;
  readonly #waiting = new Set<Waiting>();
  #stopped = false;

  constructor({ most, timeoutMs }: { readonly most: number; readonly timeoutMs: number }) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
  }

  /** How many callers are waiting. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Called with the size of each publication. */
  published(size: number): void {
    for (const each of this.#waiting) if (each.seq < size) each.done(true);
  }

  /** Ends every wait, and allows no further one. */
  stop(): void {
    this.#stopped = true;
    for (const each of this.#waiting) each.done(false);
  }

  /** Whether entry `seq` was published in time; false at once if too many callers wait. */
  async until(seq: number): Promise<boolean> {
    if (this.#stopped || this.#waiting.size >= this.#most) return false;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<boolean>((resolve) => {
        const each: Waiting = {
          seq,
          done: (shown) => {
            this.#waiting.delete(each);
            resolve(shown);
          },
        };
        this.#waiting.add(each);
        timer = setTimeout(() => each.done(false), this.#timeoutMs);
      });
    } finally {
      clearTimeout(timer);
    }
  }
}

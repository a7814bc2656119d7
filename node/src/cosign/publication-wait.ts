interface Waiting {
  readonly seq: number;
  readonly done: (shown: boolean) => void;
}

/** Waits, for so long and by so many, until an entry stands in what readers are shown. */
export class PublicationWait {
  readonly #most: number;
  readonly #timeoutMs: number;
  readonly #waiting = new Set<Waiting>();
  #stopped = false;

  constructor({ most, timeoutMs }: { readonly most: number; readonly timeoutMs: number }) {
    this.#most = most;
    this.#timeoutMs = timeoutMs;
  }

  /** How many wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** To be called with the size of each publication. */
  published(size: number): void {
    for (const each of this.#waiting) if (each.seq < size) each.done(true);
  }

  /** Lets everybody go who waits, and nobody wait from now on. */
  stop(): void {
    this.#stopped = true;
    for (const each of this.#waiting) each.done(false);
  }

  /** Whether entry `seq` was published before the time was over; false at once where too many wait. */
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

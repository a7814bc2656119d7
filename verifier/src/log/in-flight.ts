/** Work that goes on beside its caller, a bounded number of pieces at once. */
export class InFlight {
  readonly #most: number;
  #count = 0;
  /** Who waits for room or for the end; called when a piece ends. */
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a piece, which must not reject. Resolves when there is room for another one. */
  async add(piece: Promise<void>): Promise<void> {
    this.#count += 1;
    void piece.then(this.#end);
    while (this.#count >= this.#most) await this.#next();
  }

  /** Resolves when nothing is under way any more. */
  async ended(): Promise<void> {
    while (this.#count > 0) await this.#next();
  }

  readonly #end = (): void => {
    this.#count -= 1;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  };

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}

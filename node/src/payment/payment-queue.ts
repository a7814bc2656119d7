/** How many payments are under way at once. */
const MAX_PENDING = 256;
/** How many of them are under one identifier, and how many of one payer. */
const MAX_OF_ONE = 4;

/**
 * Who may wait for a payment. A payment under an identifier waits for those before it, and each of them may wait for a facilitator or the
 * chain. Anyone can sign transfers without having any money, so the places of one identifier and of one payer are few.
 */
export class PaymentQueue {
  readonly #counts = new Map<string, number>();
  #size = 0;

  /** Takes a place; undefined if there is none. What it returns gives the place back. */
  enter(identifier: string, payer: string): (() => void) | undefined {
    const keys = [`identifier ${identifier}`, `payer ${payer}`];
    if (this.#size >= MAX_PENDING) return undefined;
    if (keys.some((key) => (this.#counts.get(key) ?? 0) >= MAX_OF_ONE)) return undefined;
    this.#size += 1;
    for (const key of keys) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#size -= 1;
      for (const key of keys) {
        const left = (this.#counts.get(key) ?? 1) - 1;
        if (left === 0) this.#counts.delete(key);
        else this.#counts.set(key, left);
      }
    };
  }
}

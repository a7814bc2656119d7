import type { Payment } from './record/payment.ts';

/**
 * What was served, or is about to be, on a facilitator's word alone: the amounts of all payments that are `settled` or `lost`. The
 * limit is on their sum, so a facilitator that lies gets no more than that, however often it does.
 */
export class Exposure {
  readonly #limit: bigint;
  readonly #amounts = new Map<string, bigint>();
  #sum = 0n;

  constructor(limit: bigint) {
    this.#limit = limit;
  }

  get sum(): bigint {
    return this.#sum;
  }

  /** Counts an amount, if the sum stays within the limit. */
  take(key: string, amount: bigint): boolean {
    if (this.#sum + amount > this.#limit) return false;
    this.#set(key, amount);
    return true;
  }

  /** Takes over what a payment has become. */
  note({ key, state, terms }: Pick<Payment, 'key' | 'state' | 'terms'>): void {
    this.#set(key, state === 'settled' || state === 'lost' ? BigInt(terms.amount) : 0n);
  }

  #set(key: string, amount: bigint): void {
    this.#sum += amount - (this.#amounts.get(key) ?? 0n);
    if (amount === 0n) this.#amounts.delete(key);
    else this.#amounts.set(key, amount);
  }
}

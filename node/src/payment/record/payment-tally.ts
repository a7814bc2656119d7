import { isOpen, type Payment, PAYMENT_STATES, type PaymentState } from './payment.ts';

/** How many purchases of one payer may be under way or unknown at once. */
const MOST_OF_PAYER = 2;
/** The most bytes of answers that wait for settlements. An answer of a year has about 4 million. */
const MOST_BYTES = 512 * 1024 * 1024;

/** How many transfers without a record are kept in all, and how many of one payer. */
const MOST_HANDED = 10_000;
const MOST_HANDED_OF_PAYER = 16;

type Counted = Pick<Payment, 'state' | 'payer'> & { readonly bytes: number };

/**
 * Counts the payments of a store as they change: those that are open, and what has become of payments since the start. It says
 * whether a payer may begin another purchase, because an answer is made and stored before its payment is settled, so that payments
 * which never settle would otherwise buy work and room without end; and whether another transfer of a payer may be written and handed out,
 * because none of them is forgotten while it may run.
 */
export class PaymentTally {
  readonly #open = new Map<string, Counted>();
  readonly #since = new Map<PaymentState, number>();
  /** Purchases of payers that are under way and have no record yet. */
  readonly #begun = new Map<string, number>();
  /** The payers of transfers that were handed out and have no record, by their keys, and how many each has. */
  readonly #handed = new Map<string, string>();
  readonly #handedOf = new Map<string, number>();
  #units = 0n;
  #unknown = 0;

  /** Takes over what is stored, without counting it as something that has happened since the start. */
  load(payment: Payment): void {
    this.#set(payment);
  }

  /** Takes over what a payment has become. */
  note(before: Payment | undefined, after: Payment): void {
    this.#set(after);
    if (before?.state === after.state) return;
    this.#since.set(after.state, this.reached(after.state) + 1);
    if (after.state === 'final') this.#units += BigInt(after.received ?? after.terms.amount);
  }

  /**
   * Begins a purchase of a payer; undefined if it has as many that are not settled as it may have, or if the answers that wait for
   * settlements take all the room that they may take. What it returns ends the beginning: the record counts from then on.
   */
  begin(payer: string): (() => void) | undefined {
    const settling = [...this.#open.values()].filter(({ state }) => state === 'settling');
    const own = settling.filter((each) => each.payer === payer).length;
    const begun = this.#begun.get(payer) ?? 0;
    if (own + begun >= MOST_OF_PAYER) return undefined;
    if (settling.reduce((sum, { bytes }) => sum + bytes, 0) >= MOST_BYTES) return undefined;
    this.#begun.set(payer, begun + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (this.#begun.get(payer) ?? 1) - 1;
      if (left === 0) this.#begun.delete(payer);
      else this.#begun.set(payer, left);
    };
  }

  /** Whether another transfer of a payer may be handed out. */
  mayHand(payer: string): boolean {
    if (this.isFull) return false;
    return (this.#handedOf.get(payer) ?? 0) < MOST_HANDED_OF_PAYER;
  }

  /** Whether as many transfers are handed out as are kept, so that nobody may hand out another. */
  get isFull(): boolean {
    return this.#handed.size >= MOST_HANDED;
  }

  /** Counts a transfer that is handed out. */
  hand(key: string, payer: string): void {
    if (this.#handed.has(key)) return;
    this.#handed.set(key, payer);
    this.#handedOf.set(payer, (this.#handedOf.get(payer) ?? 0) + 1);
  }

  /** Counts it no more: it has a record, or cannot run any more. */
  unhand(key: string): void {
    const payer = this.#handed.get(key);
    if (payer === undefined) return;
    this.#handed.delete(key);
    const left = (this.#handedOf.get(payer) ?? 1) - 1;
    if (left === 0) this.#handedOf.delete(payer);
    else this.#handedOf.set(payer, left);
  }

  /** How many payments are in each state of which something may still be learnt. */
  get open(): Readonly<Partial<Record<PaymentState, number>>> {
    const states = PAYMENT_STATES.filter(isOpen);
    const counts = new Map(states.map((state) => [state, 0]));
    for (const { state } of this.#open.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
    return Object.fromEntries(counts);
  }

  /** How many payments have come to a state since the start. */
  reached(state: PaymentState): number {
    return this.#since.get(state) ?? 0;
  }

  /** What has finally come since the start, in the smallest unit of the asset. */
  get units(): bigint {
    return this.#units;
  }

  /** Notes that a buyer was told that it is not known whether its payment was made. */
  noteUnknown(): void {
    this.#unknown += 1;
  }

  /** How often that was, since the start. */
  get unknown(): number {
    return this.#unknown;
  }

  #set({ key, state, payer, answer }: Payment): void {
    if (isOpen(state)) this.#open.set(key, { state, payer, bytes: answer.bytes });
    else this.#open.delete(key);
  }
}

import type { Outcome } from '@assay/chain/client/sender';
import { DAY_SECONDS } from '@assay/core/time/time';
import type { Clock } from '../platform/clock.ts';
import type { ErrandKind } from './feed-parts.ts';
import { NOTHING_OUT, type OutEntry, type Outgoing, type OutgoingStore } from './outgoing.ts';

/** A transaction that is final. */
export interface Landed {
  readonly transaction: string;
  readonly slot: bigint;
}

/** For how many days spending is remembered: a week's rate, and today. */
const KEPT_DAYS = 8;
const WEEK_DAYS = 7;

/** What is out, what became of it, and what it cost, stored across restarts. */
export class Outbox {
  readonly #store: OutgoingStore;
  readonly #now: Clock;
  #kept: Outgoing = NOTHING_OUT;
  /** The transaction that posted something, until the log records it. */
  readonly #landed = new Map<string, Landed>();

  constructor(store: OutgoingStore, now: Clock) {
    this.#store = store;
    this.#now = now;
  }

  /** Throws what the store throws. */
  async load(): Promise<void> {
    this.#kept = await this.#store.get();
  }

  /** Transactions whose outcome is not known. */
  open(): readonly OutEntry[] {
    return this.#kept.out.filter(({ of }) => !this.#landed.has(of));
  }

  isOpen(of: string): boolean {
    return this.open().some((entry) => entry.of === of);
  }

  landed(of: string): Landed | undefined {
    return this.#landed.get(of);
  }

  /**
   * Durable when it resolves. It replaces an earlier transaction for the same thing, which can no longer land.
   */
  put(entry: OutEntry): Promise<void> {
    this.#landed.delete(entry.of);
    return this.#keep([...this.#kept.out.filter(({ of }) => of !== entry.of), entry]);
  }

  /** It is final, and remains until it is forgotten. */
  land(of: string, landed: Landed): void {
    this.#landed.set(of, landed);
  }

  /** Removes what has ended or is in the log. */
  async forget(subjects: readonly string[]): Promise<void> {
    const left = this.#kept.out.filter(({ of }) => !subjects.includes(of));
    for (const of of subjects) this.#landed.delete(of);
    if (left.length < this.#kept.out.length) await this.#keep(left);
  }

  /** Adds lamports to the day. They are stored with the next change of what is out. */
  spend(lamports: bigint, once: boolean): void {
    const day = this.#day();
    const more = Number(lamports);
    const today = this.#kept.spent.find((each) => each.day === day) ?? {
      day,
      lamports: 0,
      once: 0,
    };
    const others = this.#kept.spent.filter((each) => each.day !== day);
    const spent = [
      ...others.filter((each) => each.day > day - KEPT_DAYS),
      { day, lamports: today.lamports + more, once: today.once + (once ? more : 0) },
    ].sort((a, b) => a.day - b.day);
    this.#kept = { ...this.#kept, spent };
  }

  /** The lamports of this UTC day so far. */
  spentToday(): bigint {
    return BigInt(this.#kept.spent.find(({ day }) => day === this.#day())?.lamports ?? 0);
  }

  /** The lamports of the last seven days, without one-time costs. */
  spentInWeek(): bigint {
    const from = this.#day() - WEEK_DAYS;
    return this.#kept.spent
      .filter(({ day }) => day > from)
      .reduce((sum, { lamports, once }) => sum + BigInt(lamports - once), 0n);
  }

  #day(): number {
    return Math.floor(this.#now() / DAY_SECONDS);
  }

  async #keep(out: readonly OutEntry[]): Promise<void> {
    this.#kept = { ...this.#kept, out };
    await this.#store.set(this.#kept);
  }
}

/** What a transaction is now known to have cost: its fee, and the rent if it succeeded. */
export function costOf(
  entry: OutEntry,
  outcome: Outcome,
): { readonly fee: bigint; readonly rent: bigint } {
  if (outcome.kind === 'finalized') return { fee: outcome.fee ?? 0n, rent: BigInt(entry.rent) };
  return { fee: outcome.kind === 'failed' ? (outcome.fee ?? 0n) : 0n, rent: 0n };
}

/** What something was sent for, by its name in the outbox. */
export function errandOf(of: string): ErrandKind {
  return of.slice(0, of.indexOf('/')) as ErrandKind;
}

import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { KeyedLock } from './keyed-lock.ts';
import type { Payment, PaymentState } from './payment.ts';
import type { PaymentResolver } from './payment-resolver.ts';
import type { PaymentStore } from './payment-store.ts';

export interface ReconciliationParts {
  readonly store: PaymentStore;
  readonly resolver: PaymentResolver;
  /** The lock of the engine, by the key of a payment. */
  readonly lock: KeyedLock;
  /** Milliseconds between two rounds. */
  readonly everyMs: number;
  /** Milliseconds for which an answer is kept after it could be given first. */
  readonly keptMs: number;
  readonly nowMs: () => number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** What a round has found. */
export interface Reconciled {
  /** Payments whose state it changed, by what they are now. */
  readonly changed: Readonly<Partial<Record<PaymentState, number>>>;
  /** Payments of which it is still not known whether they were made. */
  readonly unknown: number;
  /** Answers that are not kept any more. */
  readonly dropped: number;
  /** Why the chain could not be asked; undefined if it could. */
  readonly failure: string | undefined;
}

/** For how long a payment that was lost is looked for again. */
const LOST_MS = 86_400_000;
/** After how many milliseconds a payment that is not known to be made is a concern. */
const LATE_MS = 600_000;

/**
 * Compares what is open among the payments with the chain, again and again: what was begun and not finished when the node ended,
 * what a facilitator calls settled, and what could still be taken back by a reorganisation.
 */
export class Reconciliation implements Service {
  readonly #parts: ReconciliationParts;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<unknown> | undefined;
  #isStopped = false;
  #concerns: readonly Concern[] = [];

  constructor(parts: ReconciliationParts) {
    this.#parts = parts;
  }

  start(): void {
    const { everyMs, log } = this.#parts;
    const next = (): void => {
      if (this.#isStopped) return;
      this.#running = this.round()
        .catch((error: unknown) => log.error({ reason: messageOf(error) }, 'payments: reconciling'))
        .finally(() => {
          this.#timer = setTimeout(next, everyMs);
          this.#timer.unref();
        });
    };
    next();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    clearTimeout(this.#timer);
  }

  concerns(): readonly Concern[] {
    return this.#concerns;
  }

  /** One round over everything that is open. Throws only what the store throws. */
  async round(): Promise<Reconciled> {
    const { store, nowMs } = this.#parts;
    const changed: Partial<Record<PaymentState, number>> = {};
    let failure: string | undefined;
    let unknown = 0;
    let late = 0;
    for await (const { key, state, at_ms } of store.open()) {
      if (state === 'lost' && nowMs() - at_ms > LOST_MS) continue;
      // Without the chain, nothing can be learnt. What is open is counted all the same.
      const after = failure === undefined ? await this.#one(key) : state;
      if (typeof after === 'object') ({ failure } = after);
      const is = typeof after === 'object' ? state : after;
      if (is !== state) changed[is] = (changed[is] ?? 0) + 1;
      if (is !== 'settling') continue;
      unknown += 1;
      if (nowMs() - at_ms > LATE_MS) late += 1;
    }
    const dropped = await this.#drop();
    this.#note(late, failure);
    return { changed, unknown, dropped, failure };
  }

  /** What a payment has become, or why the chain could not be asked. */
  async #one(key: string): Promise<PaymentState | { readonly failure: string }> {
    const { store, resolver, lock, log } = this.#parts;
    return lock.run(key, async () => {
      const payment = await store.get(key);
      if (payment === undefined) return 'failed';
      let after: Payment;
      try {
        after = await resolver.resolve(payment);
      } catch (error) {
        return { failure: messageOf(error) };
      }
      if (after.state !== payment.state) {
        const line = { payment: key, from: payment.state, to: after.state };
        if (after.state === 'lost') log.error(line, 'a payment is lost');
        else log.info(line, 'a payment is reconciled');
      }
      return after.state;
    });
  }

  async #drop(): Promise<number> {
    const { store, lock, keptMs, nowMs } = this.#parts;
    let dropped = 0;
    for await (const key of store.keptBefore(nowMs() - keptMs)) {
      await lock.run(key, async () => {
        const payment = await store.get(key);
        if (payment?.kept === true) await store.update(payment, { kept: false });
      });
      dropped += 1;
    }
    return dropped;
  }

  #note(late: number, failure: string | undefined): void {
    const concerns: Concern[] = [];
    if (failure !== undefined) {
      concerns.push({
        level: 'degraded',
        reason: `Payments are not compared with the chain: ${failure}.`,
      });
    }
    if (late > 0) {
      concerns.push({
        level: 'degraded',
        reason: `It is not known of ${late} payments whether they were made.`,
      });
    }
    this.#concerns = concerns;
  }
}

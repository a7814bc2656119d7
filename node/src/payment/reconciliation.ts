import type { Logger } from 'pino';
import { type FaultCode, faultCode, messageOf } from '@assay/core/fault';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import { isStorageFault } from '../platform/storage-fault.ts';
import type { KeyedLock } from './record/keyed-lock.ts';
import {
  type HandedTransfer,
  type Payment,
  type PaymentState,
  purchaseLock,
  unansweredPayment,
} from './record/payment.ts';
import type { PaymentResolver } from './payment-resolver.ts';
import type { PaymentStore } from './record/payment-store.ts';
import type { SellerAccount } from './seller-account.ts';

export interface ReconciliationParts {
  readonly store: PaymentStore;
  readonly resolver: PaymentResolver;
  readonly seller: Pick<SellerAccount, 'concern'>;
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
  /** Transfers that were made and have no answer, because their facilitator did not call them valid. */
  readonly unanswered: number;
  /** Why the chain could not be asked; undefined if it could. */
  readonly failure: string | undefined;
  /** The payments of which the chain told nothing, and why, by their keys. The others were asked for all the same. */
  readonly failures: ReadonlyMap<string, string>;
}

/** Why it is not known what has become of a payment, and whether that is so of every payment. */
interface Unlearnt {
  readonly reason: string;
  readonly endsRound: boolean;
}

/** For how long a payment that was lost is looked for again. */
const LOST_MS = 86_400_000;
/** After how many milliseconds a payment that is not known to be made is a concern. */
const LATE_MS = 600_000;
/** Transfers that were handed out: how many the chain is asked for in one round, and from which age on. */
const MOST_ASKED = 32;
/** For how many milliseconds of a round the chain is asked for one more of them. */
const ASKING_MS = 30_000;
const YOUNG_MS = 150_000;
/** How many payments are named in one sentence. */
const MOST_NAMED = 3;

/** What ends a round: no payment can be compared, or written, while it lasts. Anything else is of one payment. */
const ENDS_ROUND: ReadonlySet<FaultCode | undefined> = new Set([
  'unreachable',
  'timeout',
  'redirect_refused',
  'bad_config',
  'storage_failed',
  'no_room',
]);

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
  /** The transfer that was handed out and asked for last: the next round goes on behind it. */
  #lastAsked = '';
  /** Transfers that have run without an answer and wait for their buyers, and when the chain first showed them. */
  readonly #unanswered = new Map<string, number>();

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

  /** One round over everything that is open. Throws only what the store throws, which is a concern, too. */
  async round(): Promise<Reconciled> {
    const concerns: Concern[] = [];
    try {
      return await this.#round(concerns);
    } catch (error) {
      const reason = `The payments cannot be read or written: ${messageOf(error)}.`;
      concerns.push({ level: 'degraded', reason });
      throw error;
    } finally {
      this.#concerns = concerns;
    }
  }

  async #round(concerns: Concern[]): Promise<Reconciled> {
    const { store, resolver, seller, nowMs } = this.#parts;
    const changed: Partial<Record<PaymentState, number>> = {};
    const failures = new Map<string, string>();
    let failure: string | undefined;
    try {
      await resolver.requireNetwork();
    } catch (error) {
      failure = messageOf(error);
    }
    try {
      const unpayable = failure === undefined ? await seller.concern() : undefined;
      if (unpayable !== undefined) concerns.push(unpayable);
    } catch (error) {
      // It has nothing to do with what was paid.
      const reason = `The account that is paid cannot be read: ${messageOf(error)}.`;
      concerns.push({ level: 'degraded', reason });
    }
    let unknown = 0;
    let late = 0;
    for await (const { key, state, at_ms } of store.open()) {
      if (state === 'lost' && nowMs() - at_ms > LOST_MS) continue;
      // Without the chain, nothing can be learnt. What is open is counted all the same.
      const after = failure === undefined ? await this.#one(key) : state;
      if (typeof after === 'object') {
        if (after.endsRound) failure = after.reason;
        // What is lost was proven to be. That a node has forgotten it by now is nothing new.
        else if (state !== 'lost') failures.set(key, after.reason);
      }
      const is = typeof after === 'object' ? state : after;
      if (is !== state) changed[is] = (changed[is] ?? 0) + 1;
      if (is !== 'settling') continue;
      unknown += 1;
      if (nowMs() - at_ms > LATE_MS) late += 1;
    }
    concerns.push(...concernsOf(late, failure, failures));
    // What is dropped makes room on the disk.
    const dropped = await this.#drop();
    const unanswered = failure === undefined ? await this.#handed() : 0;
    if (unanswered > 0) concerns.push(unansweredConcern(unanswered));
    if (store.tally.isFull) concerns.push(FULL);
    return { changed, unknown, dropped, unanswered, failure, failures };
  }

  /** What a payment has become, or why that is not known. */
  async #one(key: string): Promise<PaymentState | Unlearnt> {
    const { store, resolver, lock, log } = this.#parts;
    return lock.run(key, async () => {
      const payment = await store.get(key);
      if (payment === undefined) return 'failed';
      let after: Payment;
      try {
        after = await resolver.resolve(payment);
      } catch (error) {
        return { reason: messageOf(error), endsRound: ENDS_ROUND.has(faultCode(error)) };
      }
      if (after.state !== payment.state) {
        const line = { payment: key, from: payment.state, to: after.state };
        if (after.state === 'lost') log.error(line, 'a payment is lost');
        else log.info(line, 'a payment is reconciled');
      }
      return after.state;
    });
  }

  /**
   * Forgets the transfers that were handed out and cannot run any more, and writes those into the books that have run and whose buyers did
   * not come. How many have run, and wait for their buyers.
   */
  async #handed(): Promise<number> {
    const { store, lock, nowMs } = this.#parts;
    let asked = 0;
    const until = nowMs() + ASKING_MS;
    for await (const each of store.allHanded(this.#lastAsked)) {
      // Strangers who cannot pay can have many of them written. So the chain is asked for a few, and not before most of them are over.
      if (nowMs() - each.at_ms <= YOUNG_MS) continue;
      if (asked === MOST_ASKED || nowMs() >= until) break;
      asked += 1;
      this.#lastAsked = each.key;
      await lock.run(purchaseLock(each.identifier), () => this.#fate(each));
    }
    for (const key of this.#unanswered.keys()) {
      if ((await store.handed(key)) === undefined) this.#unanswered.delete(key);
    }
    return this.#unanswered.size;
  }

  /** Notes what has become of a transfer that was handed out and has no record. */
  async #fate(handed: HandedTransfer): Promise<void> {
    const { store, resolver, keptMs, nowMs, log } = this.#parts;
    const { key } = handed;
    if ((await store.handed(key)) === undefined) return;
    try {
      const fate = await resolver.fateOf(handed);
      if (fate === 'alive') return;
      if (fate === 'over') {
        await store.unhand(handed);
        return;
      }
      log.error({ payment: key }, 'a transfer was made that was not called valid');
      // While the chain could not be read, its buyer may have asked in vain.
      const shownMs = this.#unanswered.get(key) ?? nowMs();
      this.#unanswered.set(key, shownMs);
      if (nowMs() - shownMs <= keptMs) return;
      // Its buyer has paid. Nothing that is signed for its identifier may be charged.
      await store.add(unansweredPayment(handed, fate.signature, nowMs()), null);
    } catch (error) {
      if (isStorageFault(error)) throw error;
      // It may have run, so it is kept.
      log.warn({ payment: key, reason: messageOf(error) }, 'a transfer cannot be looked up');
    }
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
}

const FULL: Concern = {
  level: 'degraded',
  reason:
    'New payments are refused: of as many transfers as are kept, the chain does not show that they cannot run any more.',
};

function unansweredConcern(unanswered: number): Concern {
  return {
    level: 'degraded',
    reason: `The facilitator has settled ${unanswered} transfers that it did not call valid. Their buyers have no answer until they ask again.`,
  };
}

function concernsOf(
  late: number,
  failure: string | undefined,
  failures: ReadonlyMap<string, string>,
): readonly Concern[] {
  const concerns: Concern[] = [];
  if (failure !== undefined) {
    concerns.push({
      level: 'degraded',
      reason: `Payments are not compared with the chain: ${failure}.`,
    });
  }
  if (failures.size > 0) {
    const named = [...failures].slice(0, MOST_NAMED).map(([key, why]) => `${key} (${why})`);
    const more = failures.size - named.length;
    const which = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    concerns.push({
      level: 'degraded',
      reason: `The chain does not show what became of the payments ${which}.`,
    });
  }
  if (late > 0) {
    concerns.push({
      level: 'degraded',
      reason: `It is not known of ${late} payments whether they were made.`,
    });
  }
  return concerns;
}

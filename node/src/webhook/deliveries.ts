import { randomBytes } from 'node:crypto';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { messageOf } from '@assay/core/fault';
import { type Message, messageText } from '@assay/core/message/message';
import { formatTime } from '@assay/core/time/time';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import { Semaphore } from '../platform/semaphore.ts';
import type { ReportSigner } from '../key/report-signer.ts';
import { type GuardedAnswer, guardedRequest, INTERNET, type Net } from './guarded-https.ts';
import type { MessageReader } from './message-reader.ts';
import { afterFailure, isDelivered, outcomeOf } from './retry.ts';
import { secretsInForce, type SubscriptionStore } from './subscription-store.ts';
import type { Cursor, Progress, Subscription } from './subscription.ts';
import { webhookHeaders } from './webhook-signature.ts';

/** Receivers that are called at the same time. Each of them has one call at most, which keeps its messages in order. */
const MOST_IN_FLIGHT = 32;
const TIMEOUT_MS = 20_000;
/** The bytes of a receiver's answer that are read: its status is all that counts. */
const MAX_ANSWER = 16 * 1024;
/** The outcomes of a receiver that its owner is shown. They are in memory alone. */
const MOST_SHOWN = 20;
/** Entries without a message for a receiver, or milliseconds, after which its cursor is stored. */
const STORED_EVERY = 1000;
const STORED_EVERY_MS = 60_000;
/** Milliseconds after which is looked for work again after a failure of the node's own. */
const OWN_FAILURE_MS = 5000;
const USER_AGENT = 'assay-webhooks/1';

/** One attempt at a delivery, as the receiver's owner is shown it. */
export interface Outcome {
  readonly message_id: string;
  readonly type: string;
  readonly at: string;
  /** A status, or the code of why there was no answer. */
  readonly outcome: string;
  readonly delivered: boolean;
  readonly ms: number;
}

export interface DeliveriesParts {
  readonly store: SubscriptionStore;
  readonly reader: Pick<MessageReader, 'next' | 'size'>;
  /** The report key of the log. */
  readonly signer: ReportSigner;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Receives what failed in the node itself, without the address of a receiver. */
  readonly onError: (reason: string) => void;
  /** Counts attempts by their outcome: a status' class, or the code of why there was no answer. */
  readonly onAttempt?: (outcome: string) => void;
  /** Only tests pass another in. */
  readonly net?: Net;
  readonly timeoutMs?: number;
  readonly random?: () => number;
  /** Milliseconds after each failed attempt. The default is the schedule of Standard Webhooks. */
  readonly retryMs?: readonly number[];
}

/**
 * Delivers the messages of a log to its receivers: each at least once, and to each receiver in their order. A cursor is stored after each delivery, so a
 * process that ends between a delivery and that sends the message again, under the same id.
 */
export class Deliveries implements Service {
  readonly #parts: DeliveriesParts;
  readonly #net: Net;
  readonly #flying = new Map<string, Promise<void>>();
  /** Messages about the service itself that are under way. */
  readonly #announcing = new Set<Promise<unknown>>();
  /** How far receivers were searched beyond their stored cursor without a message for them. */
  readonly #searched = new Map<string, { readonly progress: Progress; readonly cursor: Cursor }>();
  /** When the cursor of a receiver was last stored without a delivery. */
  readonly #storedMs = new Map<string, number>();
  readonly #shown = new Map<string, Outcome[]>();
  /** The receivers, those first whose last turn is the longest ago. */
  readonly #turns = new Set<string>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #started = false;
  #failedUntil = 0;

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
    this.#net = parts.net ?? INTERNET;
    for (const { id } of parts.store.all()) this.#turns.add(id);
    parts.store.onChange((id) => {
      this.#searched.delete(id);
      if (parts.store.get(id) !== undefined) this.#turns.add(id);
      else {
        this.#turns.delete(id);
        this.#shown.delete(id);
        this.#storedMs.delete(id);
      }
      this.wake();
    });
  }

  start(): void {
    this.#started = true;
    this.wake();
  }

  /** Calls under way are given up. Their messages are sent again after the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await Promise.all([...this.#flying.values(), ...this.#announcing]);
    await this.#parts.store.close();
  }

  concerns(): readonly Concern[] {
    if (this.#failedUntil <= this.#parts.nowMs()) return [];
    return [
      {
        level: 'degraded',
        reason:
          'Webhooks cannot be sent: the places of their receivers cannot be stored, or the log cannot be read.',
      },
    ];
  }

  /** Called when entries are published, and when a receiver changes. */
  wake(): void {
    if (!this.#started || this.#stop.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = this.#parts.nowMs();
    let next = Number.POSITIVE_INFINITY;
    for (const id of this.#turns) {
      const each = this.#parts.store.get(id);
      if (each?.progress.state !== 'active' || this.#flying.has(id)) continue;
      const due = Math.max(each.progress.attempts?.next_ms ?? 0, this.#failedUntil);
      if (due > now) {
        next = Math.min(next, due);
        continue;
      }
      if (this.#cursorOf(each).seq >= this.#parts.reader.size) continue;
      if (this.#flying.size >= MOST_IN_FLIGHT) break;
      this.#begin(each);
    }
    if (next !== Number.POSITIVE_INFINITY) {
      // A timer of Node is at most 2^31 - 1 ms.
      this.#timer = setTimeout(() => this.wake(), Math.min(next - now + 1, 2 ** 31 - 1));
      this.#timer.unref();
    }
  }

  /** How many published entries the last of the active receivers has not been told of, or searched; 0 where there is none. */
  get behind(): number {
    let most = 0;
    for (const each of this.#parts.store.all()) {
      if (each.progress.state !== 'active') continue;
      most = Math.max(most, this.#parts.reader.size - this.#cursorOf(each).seq);
    }
    return most;
  }

  /** The attempts at a receiver's messages since the start, the newest last. */
  shown(id: string): readonly Outcome[] {
    return this.#shown.get(id) ?? [];
  }

  /** Sends a message of no entry to a receiver at once, signed as all are. It moves no cursor and is not tried again. */
  async test(subscription: Subscription): Promise<Outcome> {
    const at = formatTime(Math.floor(this.#parts.nowMs() / 1000));
    const id = `msg_test_${randomBytes(16).toString('hex')}`;
    const text = JSON.stringify({ type: 'test', timestamp: at, data: {} });
    const { outcome } = await this.#send(subscription, id, 'test', text);
    return outcome;
  }

  /**
   * Sends the state of the service, once and without another try, to those who asked for it. It is no entry of the log, so it has no
   * cursor and no place among the other messages.
   */
  announce(state: string, reasons: readonly string[]): void {
    if (!this.#started || this.#stop.signal.aborted) return;
    const timestamp = formatTime(Math.floor(this.#parts.nowMs() / 1000));
    const text = JSON.stringify({
      type: 'status',
      timestamp,
      data: { kind: 'status', state, reasons },
    });
    const id = `msg_status_${randomBytes(16).toString('hex')}`;
    const wanted = [...this.#parts.store.all()].filter(
      ({ filter, progress }) => progress.state === 'active' && filter.types.includes('status'),
    );
    const semaphore = new Semaphore(MOST_IN_FLIGHT);
    for (const each of wanted) {
      const sent = semaphore.run(() => this.#send(each, id, 'status', text));
      this.#announcing.add(sent);
      void sent.finally(() => this.#announcing.delete(sent));
    }
  }

  #cursorOf(each: Subscription): Cursor {
    const searched = this.#searched.get(each.id);
    return searched?.progress === each.progress ? searched.cursor : each.progress.cursor;
  }

  #begin(subscription: Subscription): void {
    const { id } = subscription;
    // Behind all others: however slowly some answer, and however far behind they are, everybody gets a turn.
    this.#turns.delete(id);
    this.#turns.add(id);
    const flight = this.#deliver(subscription)
      .catch((error: unknown) => {
        this.#failedUntil = this.#parts.nowMs() + OWN_FAILURE_MS;
        this.#parts.onError(messageOf(error));
      })
      .finally(() => {
        this.#flying.delete(id);
        // In a turn of its own, so that nothing runs ahead of what else waits.
        setImmediate(() => this.wake());
      });
    this.#flying.set(id, flight);
  }

  /** The next message of a receiver, or a part of the search for it. */
  async #deliver(subscription: Subscription): Promise<void> {
    const { store, reader } = this.#parts;
    const { id, progress, filter, filter_version: version } = subscription;
    const { message, cursor } = await reader.next(this.#cursorOf(subscription), filter);
    if (this.#stop.signal.aborted) return;
    if (message === undefined) {
      this.#searched.set(id, { progress, cursor });
      const now = this.#parts.nowMs();
      const passed = cursor.seq - progress.cursor.seq;
      const isDue = now - (this.#storedMs.get(id) ?? 0) >= STORED_EVERY_MS;
      if (passed >= STORED_EVERY || (passed > 0 && isDue)) {
        this.#storedMs.set(id, now);
        await store.settle(id, progress, { ...progress, cursor, filter: version });
      }
      return;
    }
    const { answer } = await this.#send(
      subscription,
      message.id,
      message.type,
      messageText(message),
    );
    if (answer.error === 'stopped') return;
    await store.settle(id, progress, this.#after(subscription, cursor, message, answer));
  }

  #after(
    { progress, filter_version: version }: Subscription,
    cursor: Cursor,
    { ordinal }: Message,
    answer: GuardedAnswer,
  ): Progress {
    const { nowMs, random = Math.random, retryMs } = this.#parts;
    const here = { ...progress, cursor, filter: version };
    if (!isDelivered(answer)) return afterFailure(here, answer, nowMs(), random, retryMs);
    return { ...here, cursor: { seq: cursor.seq, ordinal: ordinal + 1 }, attempts: null };
  }

  async #send(
    subscription: Subscription,
    id: string,
    type: string,
    text: string,
  ): Promise<{ readonly answer: GuardedAnswer; readonly outcome: Outcome }> {
    const { nowMs, signer, timeoutMs = TIMEOUT_MS } = this.#parts;
    const began = nowMs();
    const body = formatUtf8(text);
    const timestamp = Math.floor(began / 1000);
    const secrets = secretsInForce(subscription, began);
    const answer = await guardedRequest(
      subscription.url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
          ...(await webhookHeaders({ id, timestamp, body }, secrets, signer)),
        },
        body,
        timeoutMs,
        maxAnswer: MAX_ANSWER,
        signal: this.#stop.signal,
      },
      this.#net,
    );
    const outcome: Outcome = {
      message_id: id,
      type,
      at: formatTime(timestamp),
      outcome: outcomeOf(answer),
      delivered: isDelivered(answer),
      ms: Math.max(0, Math.round(nowMs() - began)),
    };
    const shown = [...this.shown(subscription.id), outcome].slice(-MOST_SHOWN);
    if (this.#parts.store.get(subscription.id) !== undefined)
      this.#shown.set(subscription.id, shown);
    this.#parts.onAttempt?.(answer.error ?? `${Math.floor(answer.status / 100)}xx`);
    return { answer, outcome };
  }
}

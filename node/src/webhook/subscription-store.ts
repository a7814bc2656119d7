import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Fault } from '@assay/core/fault';
import { PrivateLog } from '../intake/private-log.ts';
import { Semaphore } from '../platform/semaphore.ts';
import type { SubscriptionCipher } from './subscription-cipher.ts';
import {
  type Cursor,
  type Filter,
  PAUSE_REASONS,
  type Progress,
  type Receiver,
  type Secret,
  type Subscription,
  SUBSCRIPTION_STATES,
} from './subscription.ts';

export const RECEIVERS_FILE = 'receivers.jsonl';
export const PROGRESS_FILE = 'progress.jsonl';

/** Lines beyond those in force after which a file is written anew. */
const MOST_OLD_LINES = 10_000;
/** The most subscriptions of a node. */
export const MAX_SUBSCRIPTIONS = 10_000;

export interface SubscriptionStoreOptions {
  readonly cipher: SubscriptionCipher;
  /** False on a development network: a power failure may lose the newest lines. */
  readonly sync?: boolean;
  readonly maxSubscriptions?: number;
}

interface SealedLine {
  readonly id: string;
  readonly sealed: string;
}

type ProgressLine = Progress & { readonly id: string };

/** What became of a delivery, before it is stored. */
interface Settlement {
  readonly id: string;
  readonly before: Progress;
  readonly after: Progress;
  readonly resolve: (isStored: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Everything that is known of receivers, apart from the log. `receivers.jsonl` has a sealed record for each: its e-mail, its address, its
 * filter and its secrets. `progress.jsonl` has where each is in the log, and names nobody. Of two lines with one id the later counts. A
 * subscription that is deleted is removed from both files at once; copies that were made of them before still have it, sealed.
 */
export class SubscriptionStore {
  readonly #cipher: SubscriptionCipher;
  readonly #most: number;
  readonly #semaphore = new Semaphore(1);
  readonly #receivers: PrivateLog;
  readonly #places: PrivateLog;
  readonly #byId = new Map<string, Subscription>();
  readonly #byEmail = new Map<string, string>();
  readonly #bySecret = new Map<string, string>();
  readonly #listeners: ((id: string) => void)[] = [];
  #settling: Settlement[] = [];
  #receiverLines = 0;
  #progressLines = 0;

  private constructor(
    { cipher, maxSubscriptions = MAX_SUBSCRIPTIONS }: SubscriptionStoreOptions,
    receivers: PrivateLog,
    places: PrivateLog,
  ) {
    this.#cipher = cipher;
    this.#most = maxSubscriptions;
    this.#receivers = receivers;
    this.#places = places;
  }

  /**
   * Opens the store in a folder. Throws `key_locked` for a record that the key does not open, and `ledger_corrupt` for a line
   * that is none of this store's.
   */
  static async open(folder: string, options: SubscriptionStoreOptions): Promise<SubscriptionStore> {
    const at = { receivers: join(folder, RECEIVERS_FILE), places: join(folder, PROGRESS_FILE) };
    const receivers = await PrivateLog.open(at.receivers, options);
    const places = await PrivateLog.open(at.places, options);
    const store = new SubscriptionStore(options, receivers.log, places.log);
    try {
      const progress = new Map<string, Progress>();
      for (const [i, value] of places.values.entries()) {
        const { id, ...rest } = progressLine(value, `${at.places}: line ${i + 1}`);
        progress.set(id, rest);
      }
      const records = new Map<string, Receiver>();
      for (const [i, value] of receivers.values.entries()) {
        const { id, sealed } = sealedLine(value, `${at.receivers}: line ${i + 1}`);
        const record = JSON.parse(options.cipher.open(id, sealed)) as Receiver | null;
        // A decoy: see `add`.
        if (record !== null && progress.has(id)) records.set(id, record);
      }
      for (const [id, record] of records) {
        store.#take({ ...record, progress: progress.get(id) as Progress });
      }
      store.#receiverLines = receivers.values.length;
      store.#progressLines = places.values.length;
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  get size(): number {
    return this.#byId.size;
  }

  get isFull(): boolean {
    return this.#byId.size >= this.#most;
  }

  all(): Iterable<Subscription> {
    return this.#byId.values();
  }

  get(id: string): Subscription | undefined {
    return this.#byId.get(id);
  }

  /** The subscription of an e-mail address, in any case; `undefined` where it has none. */
  byEmail(email: string): Subscription | undefined {
    const id = this.#byEmail.get(this.#cipher.nameOf('email', foldEmail(email)));
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** The subscription to which a secret in force is the key; `undefined` for any other text. */
  bySecret(secret: string, nowMs: number): Subscription | undefined {
    // What is compared is an HMAC of the text, so the time it takes tells nothing of a secret.
    const id = this.#bySecret.get(this.#cipher.nameOf('secret', secret));
    const found = id === undefined ? undefined : this.#byId.get(id);
    const isKey = found?.secrets.some(
      (each) => each.secret === secret && isInForce(each, nowMs) && each.superseded !== true,
    );
    return isKey === true ? found : undefined;
  }

  /**
   * Adds a receiver whose address has proven itself. Returns its secret, or undefined where the e-mail is on file, of which nothing changes:
   * a sealed decoy of the same length is written then, so that both cases cost the same.
   */
  add(
    email: string,
    url: string,
    filter: Filter,
    cursor: Cursor,
    nowMs: number,
  ): Promise<string | undefined> {
    return this.#semaphore.run(async () => {
      const name = this.#cipher.nameOf('email', foldEmail(email));
      const isNew = !this.#byEmail.has(name);
      if (isNew && this.isFull) {
        throw new Fault('too_large', 'subscriptions', { expected: `at most ${this.#most}` });
      }
      const secret = randomBytes(32).toString('hex');
      const receiver: Receiver = {
        id: randomBytes(16).toString('hex'),
        email,
        url,
        filter,
        filter_version: 0,
        secrets: [{ secret, until_ms: null }],
        created_ms: nowMs,
      };
      const progress: Progress = {
        cursor,
        filter: 0,
        state: 'active',
        reason: null,
        attempts: null,
      };
      const text = JSON.stringify(receiver);
      // The progress comes first: a record without it is one that nobody was told of.
      const progressId = isNew ? receiver.id : randomBytes(16).toString('hex');
      await this.#appendProgress([{ id: progressId, ...progress }]);
      await this.#appendSealed(receiver.id, isNew ? text : 'null'.padEnd(text.length));
      if (!isNew) return undefined;
      this.#take({ ...receiver, progress });
      this.#changed(receiver.id);
      return secret;
    });
  }

  /**
   * Changes what is known of a receiver; returns the subscription as it is then, or undefined where it is gone. The failed attempts were
   * at another address or another message, so they do not count any more.
   */
  change(
    id: string,
    change: Partial<Pick<Receiver, 'url' | 'filter'>>,
  ): Promise<Subscription | undefined> {
    return this.#rewritten(id, (before) => ({
      ...before,
      ...change,
      progress: { ...before.progress, attempts: null },
      filter_version: before.filter_version + (change.filter === undefined ? 0 : 1),
    }));
  }

  /** Gives a receiver another secret. The one before is good until `untilMs`; any older one ends. Returns the new one. */
  async rotate(id: string, untilMs: number): Promise<string | undefined> {
    const secret = randomBytes(32).toString('hex');
    const after = await this.#rewritten(id, (before) => ({
      ...before,
      secrets: [
        { secret, until_ms: null },
        ...before.secrets.slice(0, 1).map((each): Secret => ({ ...each, until_ms: untilMs })),
      ],
    }));
    return after === undefined ? undefined : secret;
  }

  /**
   * The owner has used the newest secret: those before it are no keys to the subscription any more. Until then they are, because the
   * answer with the newest one may have been lost.
   */
  async supersede(id: string): Promise<void> {
    await this.#rewritten(id, (before) => ({
      ...before,
      secrets: before.secrets.map((each, i): Secret =>
        i === 0 ? each : { ...each, superseded: true },
      ),
    }));
  }

  /**
   * Stores where a receiver is after `before`. Returns false, and changes nothing, where the subscription is gone, or was moved, paused
   * or given another filter meanwhile. Those that wait at the same time are written and synced together.
   */
  settle(id: string, before: Progress, after: Progress): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#settling.push({ id, before, after, resolve, reject });
      if (this.#settling.length === 1) void this.#semaphore.run(() => this.#settleAll());
    });
  }

  /** Never rejects: each settlement gets the error of the write. */
  async #settleAll(): Promise<void> {
    const taken = new Map<string, Settlement>();
    for (const each of this.#settling.splice(0)) {
      const known = this.#byId.get(each.id);
      const fits =
        known?.progress === each.before &&
        known.filter_version === each.after.filter &&
        !taken.has(each.id);
      if (fits) taken.set(each.id, each);
      else each.resolve(false);
    }
    if (taken.size === 0) return;
    try {
      await this.#appendProgress([...taken.values()].map(({ id, after }) => ({ id, ...after })));
    } catch (error) {
      for (const { reject } of taken.values()) reject(error);
      return;
    }
    for (const { id, before, after, resolve } of taken.values()) {
      this.#byId.set(id, { ...(this.#byId.get(id) as Subscription), progress: after });
      if (after.state !== before.state) this.#changed(id);
      resolve(true);
    }
  }

  /** Changes where a receiver is, as its owner asks. */
  move(id: string, change: (before: Progress) => Progress): Promise<Subscription | undefined> {
    return this.#semaphore.run(async () => {
      const known = this.#byId.get(id);
      if (known === undefined) return undefined;
      const progress = { ...change(known.progress), filter: known.filter_version };
      await this.#appendProgress([{ id, ...progress }]);
      const after = { ...known, progress };
      this.#byId.set(id, after);
      this.#changed(id);
      return after;
    });
  }

  /** Removes a receiver from both files, with all that is older; returns whether it was there. */
  remove(id: string): Promise<boolean> {
    return this.#semaphore.run(async () => {
      const known = this.#byId.get(id);
      if (known === undefined) return false;
      const rest = [...this.#byId.values()].filter((each) => each.id !== id);
      await this.#writeReceivers(rest);
      await this.#writeProgress(rest);
      this.#drop(known);
      this.#changed(id);
      return true;
    });
  }

  /** Called after each change but a delivery's. */
  onChange(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  close(): Promise<void> {
    return this.#semaphore.run(async () => {
      await this.#receivers.close();
      await this.#places.close();
    });
  }

  #rewritten(
    id: string,
    change: (before: Subscription) => Subscription,
  ): Promise<Subscription | undefined> {
    return this.#semaphore.run(async () => {
      const known = this.#byId.get(id);
      if (known === undefined) return undefined;
      const after = change(known);
      let moved = after;
      // A new filter or address holds for what is under the cursor, too: what becomes of a delivery under way is not stored then.
      if (after.progress !== known.progress) {
        moved = { ...after, progress: { ...after.progress, filter: after.filter_version } };
        await this.#appendProgress([{ id, ...moved.progress }]);
      }
      // What was known before is not kept: an address or a secret that was given up is gone from the file.
      await this.#writeReceivers(
        [...this.#byId.values()].map((each) => (each.id === id ? moved : each)),
      );
      this.#drop(known);
      this.#take(moved);
      this.#changed(id);
      return moved;
    });
  }

  async #appendSealed(id: string, text: string): Promise<void> {
    await this.#receivers.append([{ id, sealed: this.#cipher.seal(id, text) }]);
    this.#receiverLines += 1;
    if (this.#receiverLines > this.#byId.size + MOST_OLD_LINES) {
      // The line of a subscription that is being added is not in the table yet.
      await this.#writeReceivers([...this.#byId.values()], [{ id, text }]);
    }
  }

  /** Appends lines of different receivers, which are synced together. */
  async #appendProgress(lines: readonly ProgressLine[]): Promise<void> {
    await this.#places.append(lines);
    this.#progressLines += lines.length;
    if (this.#progressLines <= this.#byId.size + MOST_OLD_LINES) return;
    const ids = new Set(lines.map(({ id }) => id));
    const others = [...this.#byId.values()].filter(({ id }) => !ids.has(id));
    await this.#writeProgress(others, lines);
  }

  async #writeReceivers(
    all: readonly Subscription[],
    also: readonly { readonly id: string; readonly text: string }[] = [],
  ): Promise<void> {
    const lines = [...all.map((each) => ({ id: each.id, text: receiverText(each) })), ...also].map(
      ({ id, text }): SealedLine => ({ id, sealed: this.#cipher.seal(id, text) }),
    );
    await this.#receivers.replace(lines);
    this.#receiverLines = lines.length;
  }

  async #writeProgress(
    all: readonly Subscription[],
    also: readonly ProgressLine[] = [],
  ): Promise<void> {
    const lines = [...all.map(({ id, progress }) => ({ id, ...progress })), ...also];
    await this.#places.replace(lines);
    this.#progressLines = lines.length;
  }

  #take(subscription: Subscription): void {
    const { id, email, secrets } = subscription;
    this.#byId.set(id, subscription);
    this.#byEmail.set(this.#cipher.nameOf('email', foldEmail(email)), id);
    for (const { secret } of secrets) this.#bySecret.set(this.#cipher.nameOf('secret', secret), id);
  }

  #drop({ id, email, secrets }: Subscription): void {
    this.#byId.delete(id);
    this.#byEmail.delete(this.#cipher.nameOf('email', foldEmail(email)));
    for (const { secret } of secrets) {
      this.#bySecret.delete(this.#cipher.nameOf('secret', secret));
    }
  }

  #changed(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

/** What is sealed of a subscription: all but where it is. */
function receiverText(subscription: Subscription): string {
  return JSON.stringify({ ...subscription, progress: undefined });
}

/** The secrets that count at a time, in hex, the newest first. */
export function secretsInForce(
  { secrets }: Pick<Receiver, 'secrets'>,
  nowMs: number,
): readonly string[] {
  return secrets.filter((each) => isInForce(each, nowMs)).map(({ secret }) => secret);
}

function isInForce({ until_ms: until }: Secret, nowMs: number): boolean {
  return until === null || nowMs < until;
}

/** Two spellings of an e-mail that providers deliver to one mailbox: only the case of letters is taken as one. */
function foldEmail(email: string): string {
  return email.toLowerCase();
}

function sealedLine(value: unknown, at: string): SealedLine {
  const { id, sealed } = (value ?? {}) as Partial<SealedLine>;
  if (typeof id === 'string' && typeof sealed === 'string') return { id, sealed };
  throw new Fault('ledger_corrupt', 'subscriptions', { at, expected: 'a sealed record' });
}

function progressLine(value: unknown, at: string): ProgressLine {
  const line = (value ?? {}) as Partial<ProgressLine>;
  const { id, cursor, filter, state, reason } = line;
  const isWhole =
    typeof id === 'string' &&
    Number.isSafeInteger(cursor?.seq) &&
    Number.isSafeInteger(cursor?.ordinal) &&
    Number.isSafeInteger(filter) &&
    SUBSCRIPTION_STATES.some((each) => each === state) &&
    (reason === null || PAUSE_REASONS.some((each) => each === reason)) &&
    line.attempts !== undefined;
  if (isWhole) return line as ProgressLine;
  throw new Fault('ledger_corrupt', 'subscriptions', { at, expected: 'the place of a receiver' });
}

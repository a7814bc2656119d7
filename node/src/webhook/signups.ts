import { randomBytes } from 'node:crypto';
import { faultCode } from '@assay/core/fault';
import { type GuardedAnswer, guardedRequest, INTERNET, type Net } from './guarded-https.ts';
import { isDelivered, outcomeOf } from './retry.ts';
import type { SubscriptionStore } from './subscription-store.ts';
import type { Filter } from './subscription.ts';

/** How long a challenge can be tried again with a token. */
export const TOKEN_MS: number = 15 * 60 * 1000;
/** How often it can be. */
const MOST_TRIES = 5;
/** Signups that wait for another try. They are in memory alone, and a new one pushes out the oldest. */
const MOST_PENDING = 1000;
/** Challenges under way at one time; any more are told to come back. */
const MOST_CHALLENGES = 32;
const CHALLENGE_TIMEOUT_MS = 10_000;
/** The most bytes of a receiver's answer: a challenge has 43 characters. */
const MAX_ANSWER = 1024;
/**
 * The answer after a good challenge is given at a whole multiple of this since the challenge, so that the time tells nothing of whether an
 * e-mail was on file.
 */
const STEP_MS = 250;

/** Somebody who wants messages. */
export interface Applicant {
  readonly email: string;
  readonly url: string;
  readonly filter: Filter;
}

export type SignupAnswer =
  /** `secret` in hex for a new e-mail; absent for one that is on file, of which nothing has changed. */
  | { readonly kind: 'confirmed'; readonly secret?: string }
  | {
      readonly kind: 'challenge_failed';
      /** A status, or the code of why there was no answer, or `other_body`. */
      readonly reason: string;
      /** With which the challenge can be tried again, and until when, in milliseconds since 1970; null after the last try. */
      readonly again: { readonly token: string; readonly untilMs: number } | null;
    }
  | { readonly kind: 'not_found' | 'unsaved' | 'busy' | 'full' };

export interface SignupsParts {
  readonly store: SubscriptionStore;
  /** The entries that are published: a new receiver begins there. */
  readonly size: () => number;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** Receives what failed in the node itself, without an e-mail or an address. */
  readonly onError: (error: unknown) => void;
  /** Only tests pass another in. */
  readonly net?: Net;
  readonly challengeTimeoutMs?: number;
}

interface Pending {
  readonly applicant: Applicant;
  readonly untilMs: number;
  tries: number;
}

/**
 * Subscribing: whoever can answer at an address gets the messages there. A GET request with `challenge` in its query has to be answered with that text
 * and nothing else, so that nobody can have messages sent to somebody else's server.
 */
export class Signups {
  readonly #parts: SignupsParts;
  readonly #pending = new Map<string, Pending>();
  #challenges = 0;

  constructor(parts: SignupsParts) {
    this.#parts = parts;
  }

  subscribe(applicant: Applicant): Promise<SignupAnswer> {
    const untilMs = this.#parts.nowMs() + TOKEN_MS;
    return this.#try(randomBytes(32).toString('base64url'), { applicant, untilMs, tries: 0 });
  }

  /** Whether a challenge can be tried again with a token. */
  waits(token: string): boolean {
    return (this.#pending.get(token)?.untilMs ?? 0) > this.#parts.nowMs();
  }

  /** Tries the challenge of an earlier signup again. */
  async confirm(token: string): Promise<SignupAnswer> {
    const pending = this.#pending.get(token);
    if (pending === undefined || !this.waits(token)) {
      this.#pending.delete(token);
      return { kind: 'not_found' };
    }
    // Nobody else may use it meanwhile: a secret is handed out once.
    this.#pending.delete(token);
    return this.#try(token, pending);
  }

  /** Whether an address answers a challenge; the reason where it does not. */
  async challenge(url: string): Promise<string | undefined> {
    const challenge = randomBytes(32).toString('base64url');
    const { net = INTERNET, challengeTimeoutMs = CHALLENGE_TIMEOUT_MS } = this.#parts;
    const answer = await guardedRequest(
      challengeUrl(url, challenge),
      {
        method: 'GET',
        headers: { accept: 'text/plain', 'user-agent': 'assay-webhooks/1' },
        timeoutMs: challengeTimeoutMs,
        maxAnswer: MAX_ANSWER,
      },
      net,
    );
    return challengeFault(answer, challenge);
  }

  async #try(token: string, pending: Pending): Promise<SignupAnswer> {
    const { store, nowMs } = this.#parts;
    if (this.#challenges >= MOST_CHALLENGES) {
      this.#wait(token, pending);
      return { kind: 'busy' };
    }
    // What is full is said before a receiver is called for nothing.
    if (store.isFull) {
      this.#wait(token, pending);
      return { kind: 'full' };
    }
    this.#challenges += 1;
    let reason: string | undefined;
    try {
      reason = await this.challenge(pending.applicant.url);
    } finally {
      this.#challenges -= 1;
    }
    if (reason !== undefined) {
      pending.tries += 1;
      const { untilMs } = pending;
      if (pending.tries >= MOST_TRIES || untilMs <= nowMs()) {
        return { kind: 'challenge_failed', reason, again: null };
      }
      this.#wait(token, pending);
      return { kind: 'challenge_failed', reason, again: { token, untilMs } };
    }
    const answer = await evenly(() => this.#save(pending.applicant));
    if (answer.kind !== 'confirmed') this.#wait(token, pending);
    return answer;
  }

  async #save({ email, url, filter }: Applicant): Promise<SignupAnswer> {
    const { store, size, nowMs, onError } = this.#parts;
    try {
      const secret = await store.add(email, url, filter, { seq: size(), ordinal: 0 }, nowMs());
      return { kind: 'confirmed', ...(secret === undefined ? {} : { secret }) };
    } catch (error) {
      if (faultCode(error) === 'too_large') return { kind: 'full' };
      onError(error);
      return { kind: 'unsaved' };
    }
  }

  #wait(token: string, pending: Pending): void {
    if (this.#pending.size >= MOST_PENDING) {
      for (const oldest of this.#pending.keys()) {
        this.#pending.delete(oldest);
        break;
      }
    }
    this.#pending.set(token, pending);
  }
}

/** The address with the challenge at the end of its query, whose other bytes stay as they are: a receiver may have signed them. */
function challengeUrl(url: string, challenge: string): string {
  const { href, search } = new URL(url);
  const separator = search !== '' ? '&' : href.endsWith('?') ? '' : '?';
  return `${href}${separator}challenge=${challenge}`;
}

function challengeFault(answer: GuardedAnswer, challenge: string): string | undefined {
  if (answer.error !== undefined || !isDelivered(answer)) return outcomeOf(answer);
  const body = Buffer.from(answer.body).toString('latin1').trim();
  return body === challenge ? undefined : 'other_body';
}

async function evenly<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  const passed = performance.now() - began;
  const wait = Math.ceil(passed / STEP_MS) * STEP_MS - passed;
  await new Promise((resolve) => setTimeout(resolve, wait));
  return result;
}

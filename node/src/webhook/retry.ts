import type { GuardedAnswer } from './guarded-https.ts';
import type { Attempts, Progress } from './subscription.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after each failed attempt, in milliseconds: the schedule of Standard Webhooks. After the last one fails, too, the subscription is paused. */
export const RETRY_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** The longest that a receiver may ask to wait. */
const MAX_RETRY_AFTER_MS = 24 * HOUR;
/** The least wait for a receiver that says that it is asked too often, or that what is behind it is not there. */
const THROTTLED_MS = MINUTE;
const THROTTLING: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Each wait is up to this share longer, so that receivers that failed together do not come back together. */
const JITTER = 0.1;

/** What one attempt came to, as its owner is shown it: a status, or the code of why there was no answer. */
export function outcomeOf(answer: GuardedAnswer): string {
  return answer.error ?? String(answer.status);
}

/** Any 2xx is a success, and nothing else: a redirect is not followed. */
export function isDelivered(answer: GuardedAnswer): boolean {
  return answer.status !== undefined && answer.status >= 200 && answer.status < 300;
}

/**
 * Where a subscription is after a failed attempt. Its cursor stays. 410 disables it, and the last attempt of the schedule pauses it, so that
 * nothing is dropped and nothing is tried for ever.
 */
export function afterFailure(
  before: Progress,
  answer: GuardedAnswer,
  nowMs: number,
  random: () => number,
  schedule: readonly number[] = RETRY_MS,
): Progress {
  const failed = before.attempts?.count ?? 0;
  const wait = schedule[failed];
  const asked = Math.max(
    retryAfterMs(answer, nowMs),
    answer.status !== undefined && THROTTLING.has(answer.status) ? THROTTLED_MS : 0,
  );
  const attempts: Attempts = {
    count: failed + 1,
    next_ms: Math.ceil(nowMs + Math.max((wait ?? 0) * (1 + JITTER * random()), asked)),
    failing_since_ms: before.attempts?.failing_since_ms ?? nowMs,
    last: outcomeOf(answer),
  };
  if (answer.status === 410) return { ...before, attempts, state: 'disabled', reason: 'gone' };
  if (wait === undefined) return { ...before, attempts, state: 'paused', reason: 'exhausted' };
  return { ...before, attempts };
}

/** A Retry-After header (RFC 9110, section 10.2.3): seconds or a date, within bounds; 0 without. */
function retryAfterMs(
  { retryAfter }: GuardedAnswer & { retryAfter?: string | undefined },
  nowMs: number,
): number {
  if (retryAfter === undefined) return 0;
  const ms = /^\d{1,9}$/.test(retryAfter)
    ? Number(retryAfter) * SECOND
    : Date.parse(retryAfter) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : 0;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GuardedAnswer } from '@assay/node/webhook/guarded-https';
import { afterFailure, isDelivered, outcomeOf, RETRY_MS } from '@assay/node/webhook/retry';
import type { Progress } from '@assay/node/webhook/subscription';

const START: Progress = {
  cursor: { seq: 7, ordinal: 1 },
  filter: 3,
  state: 'active',
  reason: null,
  attempts: null,
};
const NOW = 1_800_000_000_000;
const answer = (status: number, retryAfter?: string): GuardedAnswer => ({
  status,
  body: new Uint8Array(0),
  retryAfter,
});
const wait = (given: GuardedAnswer, random = 0): number | undefined => {
  const next = afterFailure(START, given, NOW, () => random).attempts?.next_ms;
  return next === undefined ? undefined : next - NOW;
};

test('retries: the schedule of Standard Webhooks, and then a pause with the cursor where it was', () => {
  let progress = START;
  const waits: number[] = [];
  for (let i = 0; i < RETRY_MS.length; i += 1) {
    progress = afterFailure(progress, { error: 'timeout' }, NOW + i, () => 0);
    assert.equal(progress.state, 'active');
    waits.push((progress.attempts?.next_ms ?? 0) - NOW - i);
  }
  assert.deepEqual(waits, RETRY_MS);
  assert.equal(waits[0], 5000);
  assert.equal(waits.at(-1), 86_400_000);
  progress = afterFailure(progress, answer(500), NOW + 9, () => 0);
  assert.equal(progress.state, 'paused');
  assert.equal(progress.reason, 'exhausted');
  assert.deepEqual(progress.cursor, START.cursor);
  assert.equal(progress.attempts?.count, RETRY_MS.length + 1);
  assert.equal(progress.attempts?.failing_since_ms, NOW);
  assert.equal(progress.attempts?.last, '500');
});

test('retries: jitter makes a wait longer, by a tenth at most', () => {
  assert.equal(wait(answer(500), 0), 5000);
  assert.equal(wait(answer(500), 1), 5500);
});

test('retries: what a receiver asks for is honoured within a day', () => {
  assert.equal(wait(answer(503, '120')), 120_000);
  assert.equal(wait(answer(503, new Date(NOW + 90_000).toUTCString())), 90_000);
  assert.equal(wait(answer(500, '999999999')), 86_400_000);
  // Neither earlier than the schedule, nor by nonsense.
  assert.equal(wait(answer(500, '0')), 5000);
  for (const other of ['-5', 'soon', '', '1e9', '99999999999']) {
    assert.equal(wait(answer(500, other)), 5000, other);
  }
  for (const status of [429, 502, 503, 504]) assert.equal(wait(answer(status)), 60_000);
});

test('retries: 410 disables, and nothing but 2xx is a delivery', () => {
  const gone = afterFailure(START, answer(410), NOW, () => 0);
  assert.equal(gone.state, 'disabled');
  assert.equal(gone.reason, 'gone');
  for (const status of [200, 201, 202, 204, 299])
    assert.ok(isDelivered(answer(status)), String(status));
  for (const status of [100, 199, 300, 301, 304, 400, 404, 410, 500, 0]) {
    assert.ok(!isDelivered(answer(status)), String(status));
  }
  assert.ok(!isDelivered({ error: 'tls' }));
  assert.equal(outcomeOf({ error: 'tls' }), 'tls');
});

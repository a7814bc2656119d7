import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { withDeadline } from '@assay/node/platform/deadline';

const never = () => new Promise<never>(() => undefined);

test('deadline: work in time is what it comes to, and its signal is freed', async () => {
  let signal: AbortSignal | undefined;
  const done = await withDeadline(60_000, 'peer', async (given) => {
    signal = given;
    assert.equal(given.aborted, false);
    return 7;
  });
  assert.equal(done, 7);
  assert.equal(signal?.aborted, true);
  const failed = withDeadline(60_000, 'peer', () => Promise.reject(new RangeError('own')));
  await assert.rejects(failed, RangeError);
});

test('deadline: work that does not heed the signal is left behind', async () => {
  let signal: AbortSignal | undefined;
  const late = withDeadline(5, 'peer', (given) => {
    signal = given;
    return never();
  });
  await assert.rejects(late, { code: 'timeout', message: /^peer: .* within 5 ms$/ });
  assert.equal(signal?.aborted, true);
});

test('deadline: what fails after the time is no unhandled rejection', async () => {
  let fail: (error: Error) => void = () => undefined;
  const late = withDeadline(5, 'peer', () => new Promise((_, reject) => (fail = reject)));
  await assert.rejects(late, { code: 'timeout' });
  fail(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});

test('deadline: a signal from outside ends the work before its time', async () => {
  const outer = new AbortController();
  let inner: AbortSignal | undefined;
  const work = withDeadline(
    60_000,
    'peer',
    (given) => {
      inner = given;
      return never();
    },
    outer.signal,
  );
  outer.abort();
  await assert.rejects(work, { code: 'unreachable', message: 'peer, found given up' });
  assert.equal(inner?.aborted, true);
  let begun = false;
  const none = withDeadline(60_000, 'peer', async () => (begun = true), outer.signal);
  await assert.rejects(none, { code: 'unreachable' });
  assert.equal(begun, false);
});

test('deadline: a time that no timer holds is a mistake', async () => {
  for (const ms of [0, -1, Number.NaN, 2 ** 31]) {
    await assert.rejects(withDeadline(ms, 'peer', never), TypeError, String(ms));
  }
});

test('deadline: given up from outside before the time, and no listener is left', async () => {
  const outer = new AbortController();
  let signal: AbortSignal | undefined;
  const given = withDeadline(
    60_000,
    'peer',
    (own) => {
      signal = own;
      return never();
    },
    outer.signal,
  );
  assert.equal(getEventListeners(outer.signal, 'abort').length, 1);
  outer.abort();
  await assert.rejects(given, { code: 'unreachable', message: /given up/ });
  assert.equal(signal?.aborted, true);
  assert.equal(getEventListeners(outer.signal, 'abort').length, 0);
  let begun = false;
  const late = withDeadline(60_000, 'peer', async () => (begun = true), outer.signal);
  await assert.rejects(late, { code: 'unreachable' });
  assert.equal(begun, false);
});

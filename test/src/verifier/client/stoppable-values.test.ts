import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { StoppableValues } from '@assay/verifier/client/stoppable-values';
import { pause, type StopSignal } from '@assay/verifier/client/web';

const END = { done: true, value: undefined };

/** One value, and then none for a minute, unless the signal ends the wait; and what the generator did. */
function slowly(did: string[]): (signal: StopSignal) => AsyncGenerator<number, void> {
  return async function* (signal) {
    try {
      yield 1;
      await pause(60_000, signal);
      yield 2;
    } finally {
      did.push('let go');
    }
  };
}

test('stoppable values: they come in order, and errors with them', async () => {
  const values = new StoppableValues(undefined, async function* () {
    yield* [1, 2];
    throw new Error('three');
  });
  const all = [values.next(), values.next()];
  assert.deepEqual(await Promise.all(all), [
    { done: false, value: 1 },
    { done: false, value: 2 },
  ]);
  await assert.rejects(values.next(), /three/);
  assert.deepEqual(await values.next(), END);
});

test('stoppable values: return ends whoever waits, and the generator lets go', async () => {
  const did: string[] = [];
  const values = new StoppableValues(undefined, slowly(did));
  await values.next();
  const waiting = [values.next(), values.next()];
  assert.deepEqual(await values.return(), END);
  assert.deepEqual(await Promise.all(waiting), [END, END]);
  await pause(1);
  assert.deepEqual(did, ['let go']);
  // Also where nobody waits.
  for await (const value of new StoppableValues(undefined, slowly(did))) if (value === 1) break;
  await pause(1);
  assert.equal(did.length, 2);
});

test('stoppable values: a signal ends them too, and has no listener before the first and after the last', async () => {
  const did: string[] = [];
  const controller = new AbortController();
  const { signal } = controller;
  const values = new StoppableValues(signal, slowly(did));
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  await values.next();
  const next = values.next();
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  controller.abort();
  assert.deepEqual(await next, END);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  const late = new StoppableValues(signal, slowly(did));
  assert.deepEqual(await late.next(), END);
  await pause(1);
  assert.deepEqual(did, ['let go']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { InFlight } from '@assay/verifier/log/in-flight';

/** A piece of work, and what ends it. */
function piece(): { readonly work: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work, end };
}

/** Whether a promise has resolved once all that is ready has run. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => {
    done = true;
  });
  await turn();
  return done;
}

test('in flight: who adds the last piece that may be waits for any of them', async () => {
  const inFlight = new InFlight(2);
  const [one, two, three] = [piece(), piece(), piece()];
  assert.equal(await isDone(inFlight.add(one.work)), true);
  const second = inFlight.add(two.work);
  assert.equal(await isDone(second), false);
  two.end();
  assert.equal(await isDone(second), true);
  const third = inFlight.add(three.work);
  assert.equal(await isDone(third), false);
  three.end();
  assert.equal(await isDone(third), true);
  const ended = inFlight.ended();
  assert.equal(await isDone(ended), false);
  one.end();
  assert.equal(await isDone(ended), true);
});

test('in flight: the end of nothing is at once', async () => {
  assert.equal(await isDone(new InFlight(1).ended()), true);
});

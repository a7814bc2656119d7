import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { pauseUnless, withDeadline } from '@assay/cli/reader/deadline';

test('deadline: what ends before it is not touched by it', async () => {
  const given = await withDeadline(1000, (deadline) => {
    assert.equal(deadline.signal.aborted, false);
    assert.equal(deadline.clock.aborted, false);
    return Promise.resolve({ deadline, answer: 7 });
  });
  assert.equal(given.answer, 7);
  await assert.rejects(
    withDeadline(1000, () => Promise.reject(new Error('its own'))),
    /its own/,
  );
});

test('deadline: the clock says that it has passed while no timer has its turn', async () => {
  let ms = 5;
  await withDeadline(
    1000,
    ({ clock, signal }) => {
      ms += 999_999;
      assert.equal(clock.aborted, false);
      ms += 1;
      assert.equal(clock.aborted, true);
      assert.equal(signal.aborted, false, 'its timer has not had its turn');
      return Promise.resolve();
    },
    () => ms,
  );
});

test('deadline: requests, pauses and whatever else is waited for end with it', async () => {
  const failed = await withDeadline(0.01, async ({ signal, clock, passed }) => {
    const codes: unknown[] = [];
    const code = (error: unknown): number => codes.push((error as { code: unknown }).code);
    await pauseUnless(signal, 1_000_000).catch(code);
    await Promise.race([new Promise(() => undefined), passed]).catch(code);
    // Asked when it has passed already.
    await pauseUnless(signal, 1_000_000).catch(code);
    assert.equal(clock.aborted, true);
    return codes;
  });
  assert.deepEqual(failed, ['timeout', 'timeout', 'timeout']);
});

test('deadline: what it took to begin is part of the time', async () => {
  const ended = await withDeadline(
    10,
    async ({ clock, signal, passed }) => {
      assert.equal(clock.aborted, true);
      await assert.rejects(passed, { code: 'timeout', expected: 'an end within 10 s' });
      return signal.aborted;
    },
    () => 12_000,
    0,
  );
  assert.equal(ended, true);
});

test('pause: it leaves nothing behind', async () => {
  const stop = new AbortController();
  await pauseUnless(stop.signal, 1);
  await pauseUnless(undefined, 1);
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
});

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { untilAborted } from '@assay/node/anchor/until-aborted';

test('until aborted: what the work comes to, and no listener is left', async () => {
  const { signal } = new AbortController();
  assert.equal(await untilAborted(signal, Promise.resolve(7)), 7);
  await assert.rejects(untilAborted(signal, Promise.reject(new RangeError('own'))), RangeError);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('until aborted: given up, before or meanwhile; what fails later is no unhandled rejection', async () => {
  const controller = new AbortController();
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const given = untilAborted(controller.signal, work);
  controller.abort();
  await assert.rejects(given, { code: 'timeout' });
  await assert.rejects(
    untilAborted(
      controller.signal,
      Promise.resolve(1).then(() => work),
    ),
    {
      code: 'timeout',
    },
  );
  fail(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});

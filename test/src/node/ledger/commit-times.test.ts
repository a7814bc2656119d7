import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommitTimes } from '@assay/node/ledger/commit-times';
import { GENESIS_DRAFT, memoryPlace, note, openAt } from './ledger-fixture.ts';

test('commit times: each step, and the commit that is under way', async () => {
  let now = 100;
  const taken: string[] = [];
  const times = new CommitTimes(
    (step, seconds) => taken.push(`${step} ${seconds}`),
    () => now,
  );
  assert.equal(times.waitingS, 0);
  await times.commit(async () => {
    now += 1;
    assert.equal(await times.step('sign', () => (now += 2)), 103);
    assert.equal(await times.step('guard', async () => (now += 4)), 107);
    assert.equal(times.waitingS, 7);
  });
  assert.deepEqual(taken, ['sign 2', 'guard 4', 'commit 7']);
  assert.equal(times.waitingS, 0);
});

test('commit times: a commit that fails has ended, and counts', async () => {
  const taken: string[] = [];
  const times = new CommitTimes((step) => taken.push(step));
  await assert.rejects(
    times.commit(() => times.step('store', () => Promise.reject(new Error('EIO')))),
    /EIO/,
  );
  assert.deepEqual(taken, ['store', 'commit']);
  assert.equal(times.waitingS, 0);
});

test('commit times: a ledger measures its steps, and a guard that hangs is seen while it does', async () => {
  const place = await memoryPlace();
  const taken: string[] = [];
  const times = new CommitTimes((step) => taken.push(step));
  const ledger = await openAt(place, { times });
  await ledger.write(() => [GENESIS_DRAFT]);
  assert.deepEqual([...taken].sort(), ['commit', 'guard', 'sign', 'store']);
  place.guard.gate.shut();
  const written = ledger.write(() => [note('waits')]);
  while (place.guard.gate.arrived === 0) await new Promise((resolve) => setImmediate(resolve));
  while (times.waitingS === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(taken.filter((step) => step === 'commit').length, 1);
  place.guard.gate.open();
  await written;
  assert.equal(times.waitingS, 0);
  assert.equal(taken.filter((step) => step === 'commit').length, 2);
  await ledger.close();
});

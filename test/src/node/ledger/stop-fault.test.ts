import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { logRow } from '@assay/core/view/log';
import { tickers } from '@assay/core/view/rules';
import type { Published } from '@assay/node/ledger/publishing';
import {
  CHECKPOINTS,
  cutTo,
  entriesOf,
  filledLedger,
  GENESIS_DRAFT,
  memoryPlace,
  naiveRoot,
  note,
  openAt,
  requireSound,
  turns,
  setHead,
  guardedSize,
} from './ledger-fixture.ts';

import { closing, fault, notes, requireServed, RULE, STEPS, FAILURES } from './served-ledger.ts';

for (const step of STEPS) {
  for (const failure of FAILURES) {
    test(`ledger: ${step} ${failure}: nothing is acknowledged, it stops, and a restart settles it`, async () => {
      const place = await memoryPlace();
      const published: number[] = [];
      const ledger = await openAt(place, { onPublish: ({ size }) => published.push(size) });
      await ledger.write(() => [GENESIS_DRAFT]);
      await ledger.write(() => Array.from({ length: 249 }, (_, i) => note(`note ${i}`)));
      const before = await entriesOf(place.store);
      const part = step === 'commit' ? place.store : place.guard;
      part.fail = failure;
      part.gate.shut();
      const failing = ledger.write(() =>
        Array.from({ length: 10 }, (_, i) => note(`failing ${i}`)),
      );
      await turns();
      const waiting = ledger.write(() => [RULE]);
      part.gate.open();
      const settled = await Promise.allSettled([failing, waiting]);
      for (const each of settled) {
        assert.equal(each.status, 'rejected');
        assert.equal(faultCode(each.reason), 'stopped');
        assert.match((each.reason as Error).message, /EIO/);
      }
      assert.equal(ledger.blocked?.code, 'stopped');
      await assert.rejects(
        ledger.write(() => [note('x')]),
        fault('stopped'),
      );
      await ledger.idle();
      assert.deepEqual(published, [1, 250]);
      assert.deepEqual(tickers(ledger.shown), []);
      await requireServed(ledger, before, 250);

      part.fail = undefined;
      const again = await openAt(place);
      // What one of the two lacks comes from the other.
      const size = 260;
      assert.equal(again.nextSeq, size);
      await requireSound(place.store, size);
      await requireServed(again, await entriesOf(place.store), size);
      assert.equal(CHECKPOINTS.open((await place.signed.read()) as Uint8Array).size, size);
      await again.write(() => [RULE]);
      await requireSound(place.store, size + 1);
      assert.deepEqual(tickers(again.shown), ['LAYOFFS']);
    });
  }
}

const FULL = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

for (const step of STEPS) {
  for (const failure of FAILURES) {
    test(`ledger: ${step} ${failure} on a full disk: it goes on in this process, once it has compared`, async (t) => {
      const place = await memoryPlace();
      const published: number[] = [];
      const ledger = closing(
        t,
        await openAt(place, { onPublish: ({ size }) => published.push(size) }),
      );
      await ledger.write(() => [GENESIS_DRAFT]);
      await ledger.write(() => notes(249));
      const { tip } = ledger;
      const before = await entriesOf(place.store);
      const part = step === 'commit' ? place.store : place.guard;
      part.fail = failure;
      part.failure = FULL;
      part.gate.shut();
      const failing = ledger.write(() => [...notes(9), RULE]);
      await turns();
      const waiting = ledger.write(() => notes(2));
      part.gate.open();
      for (const each of await Promise.allSettled([failing, waiting])) {
        assert.equal(faultCode((each as PromiseRejectedResult).reason), 'no_room');
      }
      assert.equal(ledger.blocked?.code, 'no_room');
      await requireServed(ledger, before, 250);

      if (failure === 'failed') {
        await assert.rejects(ledger.resume(), fault('no_room'));
        assert.equal(ledger.blocked?.code, 'no_room', 'the disk is as full as before');
        await requireServed(ledger, before, 250);
      }
      part.fail = undefined;
      await Promise.all([ledger.resume(), ledger.resume()]);
      assert.equal(ledger.blocked, undefined);
      // What one of the two lacks comes from the other.
      const size = 260;
      assert.equal(ledger.nextSeq, size);
      assert.equal(ledger.tip, tip, 'whoever holds the rows has those of now');
      assert.deepEqual(tickers(tip), ['LAYOFFS']);
      assert.deepEqual(tickers(ledger.shown), ['LAYOFFS']);
      await requireSound(place.store, size);
      await requireServed(ledger, await entriesOf(place.store), size);
      assert.equal(CHECKPOINTS.open((await place.signed.read()) as Uint8Array).size, size);
      assert.deepEqual(published, [1, 250, 260]);
      await ledger.write(() => [note('after')]);
      await requireSound(place.store, size + 1);
      await requireServed(ledger, await entriesOf(place.store), size + 1);
      await ledger.resume();
      assert.equal(ledger.nextSeq, size + 1, 'nothing is done where nothing has failed');
    });
  }
}

test('ledger: resume makes the checks of a start, and stays stopped for good where they fail', async (t) => {
  const lost = await memoryPlace();
  const ledger = closing(t, await filledLedger(lost, 5));
  lost.store.fail = 'failed';
  lost.store.failure = FULL;
  await assert.rejects(
    ledger.write(() => notes(1)),
    fault('no_room'),
  );
  lost.store.fail = undefined;
  // What was acknowledged is gone from the disk: the guard knows of it.
  await cutTo(lost.store, 4);
  await assert.rejects(ledger.resume(), fault('ledger_behind'));
  assert.equal(ledger.blocked?.code, 'ledger_behind');
  await ledger.resume();
  assert.equal(ledger.blocked?.code, 'ledger_behind');
  assert.equal(ledger.published?.size, 6);

  const other = await memoryPlace();
  const second = closing(t, await filledLedger(other, 5));
  other.guard.fail = 'failed';
  other.guard.failure = FULL;
  await assert.rejects(
    second.write(() => notes(1)),
    fault('no_room'),
  );
  other.guard.fail = undefined;
  setHead(other.guard, { size: 6, root: naiveRoot([]) });
  await assert.rejects(second.resume(), fault('ledger_differs'));
  await assert.rejects(
    second.write(() => notes(1)),
    fault('ledger_differs'),
  );
});

test('ledger: what only this process knows of a head counts when it resumes', async (t) => {
  const { store, guard } = await memoryPlace();
  const place = { store, guard };
  const ledger = closing(t, await filledLedger(place, 5));
  place.store.fail = 'failed';
  place.store.failure = FULL;
  await assert.rejects(
    ledger.write(() => notes(1)),
    fault('no_room'),
  );
  place.store.fail = undefined;
  const root = await cutTo(place.store, 4);
  // Store and guard agree, as after a roll-back of both.
  setHead(place.guard, { size: 4, root });
  await assert.rejects(ledger.resume(), fault('ledger_behind'));
  assert.match(ledger.blocked?.message ?? '', /as this process has seen/);
});

test('ledger: a signer that fails stops it, and what the guard has is signed by the next start', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 1);
  let broken = false;
  const signer = {
    ...CHECKPOINTS,
    sign(size: number, root: Published['root']) {
      if (broken) throw new Error('the key is gone');
      return CHECKPOINTS.sign(size, root);
    },
  };
  await ledger.idle();
  const next = await openAt(place, { signer });
  broken = true;
  await assert.rejects(
    next.write(() => [note('x')]),
    fault('stopped'),
  );
  assert.equal(next.published?.size, 2);
  assert.equal(CHECKPOINTS.open((await place.signed.read()) as Uint8Array).size, 2);
  assert.equal(guardedSize(place.guard), 3);
  broken = false;
  const again = await openAt(place, { signer });
  assert.equal(again.published?.size, 3);
});

test('ledger: a failed first commit leaves a genesis that is completed', async () => {
  for (const [step, failure, size] of [
    ['commit', 'failed', 1],
    ['commit', 'failed, but on disk', 1],
    ['swap', 'failed', 1],
    ['swap', 'failed, but on disk', 1],
  ] as const) {
    const place = await memoryPlace();
    const ledger = await openAt(place);
    const part = step === 'commit' ? place.store : place.guard;
    part.fail = failure;
    await assert.rejects(
      ledger.write(() => [GENESIS_DRAFT]),
      fault('stopped'),
    );
    assert.equal(ledger.published, undefined);
    assert.equal(logRow(ledger.shown), undefined);
    part.fail = undefined;
    const again = await openAt(place);
    assert.equal(again.nextSeq, size, `${step} ${failure}`);
    assert.equal(again.published?.size, size);
    await again.write(() => [note('x')]);
    await requireSound(place.store, 2);
  }
});

test('ledger: a guard that somebody else has moved stops it', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 1);
  const other = { size: 2, root: naiveRoot([]) };
  setHead(place.guard, other);
  await assert.rejects(
    ledger.write(() => [note('x')]),
    fault('stopped'),
  );
  assert.equal(ledger.published?.size, 2);
  assert.deepEqual(place.guard.shared.row?.head, other, 'what it holds is not overwritten');
});

test('ledger: of two on one store and guard, one is stopped by its first swap', async () => {
  const place = await memoryPlace();
  const first = await filledLedger(place, 1);
  const second = await openAt(place);
  await first.write(() => [note('first')]);
  await assert.rejects(
    second.write(() => [note('second')]),
    fault('stopped'),
  );
  assert.equal(second.published?.size, 2);
});

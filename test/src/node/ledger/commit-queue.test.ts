import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntryDraft, Receipt } from '@assay/node/ledger/ledger';
import { filledLedger, memoryPlace, note, requireSound, turns } from './ledger-fixture.ts';

import { closing, notes } from './served-ledger.ts';

test('ledger: what is appended in one turn is one commit and one swap', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  place.store.commits.length = 0;
  place.guard.moves = 0;
  const appended: Promise<readonly Receipt[]>[] = [];
  for (let i = 0; i < 1000; i += 1) appended.push(ledger.write(() => [note(`${i}`)]));
  const receipts = (await Promise.all(appended)).flat();
  assert.deepEqual(
    receipts.map(({ seq }) => seq),
    Array.from({ length: 1000 }, (_, i) => i + 1),
  );
  assert.deepEqual(place.store.commits, [1000]);
  assert.equal(place.guard.moves, 1);
  await requireSound(place.store, 1001);
});

test('ledger: what waits behind a commit goes together with the next', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  place.store.commits.length = 0;
  place.store.gate.shut();
  const appended = [ledger.write(() => [note('first')])];
  await turns();
  for (let i = 0; i < 300; i += 1) {
    appended.push(ledger.write(() => [note(`${i}`)]));
    if (i % 50 === 0) await turns(1);
  }
  place.store.gate.open();
  await Promise.all(appended);
  assert.deepEqual(place.store.commits, [1, 300]);
});

test('ledger: a commit takes up 4,096 entries or 8 MiB, and an entry of any size', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  place.store.commits.length = 0;
  const inOneTurn = async (drafts: readonly EntryDraft[]): Promise<void> => {
    await Promise.all(drafts.map((draft) => ledger.write(() => [draft])));
  };
  await inOneTurn(Array.from({ length: 10_000 }, (_, i) => note(`${i}`)));
  assert.deepEqual(place.store.commits, [4096, 4096, 1808]);
  place.store.commits.length = 0;
  await inOneTurn(Array.from({ length: 300 }, () => note('x'.repeat(32_768))));
  assert.deepEqual(place.store.commits, [254, 46], '254 entries of 33,000 bytes are below 8 MiB');
});

test('ledger: what one append brings goes into one commit, however much it is', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  place.store.commits.length = 0;
  await ledger.write(() => notes(9000));
  assert.deepEqual(place.store.commits.splice(0), [9000]);
  place.store.gate.shut();
  const appended = [ledger.write(() => notes(1))];
  await turns();
  for (const count of [4000, 200, 3000, 1]) {
    appended.push(ledger.write(() => notes(count)));
  }
  place.store.gate.open();
  await Promise.all(appended);
  const ends = new Set([1, 4001, 4201, 7201, 7202]);
  let end = 0;
  for (const entries of place.store.commits) {
    end += entries;
    assert.ok(ends.has(end), `a commit ends inside an append: ${place.store.commits.join()}`);
  }
  assert.equal(end, 7202);
});

test('ledger: what is gathered is written at once and committed together, at the end or when there is much', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  place.store.commits.length = 0;
  await ledger.gather(async () => {
    for (let i = 0; i < 600; i += 1) {
      const [receipt] = await ledger.write(() => [note(`${i}`)]);
      assert.equal(receipt?.seq, i + 1);
      assert.equal(ledger.nextSeq, i + 2, 'the next write sees it');
    }
    await ledger.idle();
    assert.equal(ledger.published?.size, 601, 'whoever waits for it has it');
    await ledger.write(() => [note('last')]);
    await turns();
    assert.equal(ledger.published?.size, 601);
  });
  assert.equal(ledger.published?.size, 602);
  assert.ok(place.store.commits.length <= 4, `${place.store.commits.length} commits`);
  place.store.commits.length = 0;
  await ledger.write(() => [note('alone')]);
  assert.deepEqual(place.store.commits, [1], 'afterwards each write is a commit again');
  await requireSound(place.store, 603);
});

test('ledger: a commit of what is gathered that fails is told at the end, and nothing comes after it', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  place.store.fail = 'failed';
  const gathered = ledger.gather(async () => {
    await ledger.write(() => [note('lost')]);
  });
  await assert.rejects(gathered, { code: 'stopped' });
  await assert.rejects(
    ledger.write(() => [note('more')]),
    { code: 'stopped' },
  );
  assert.equal(ledger.published?.size, 1);
  place.store.fail = undefined;
});

test('ledger: work that throws while it gathers leaves nothing waiting', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  const gathered = ledger.gather(async () => {
    await ledger.write(() => [note('kept')]);
    throw new Error('over');
  });
  await assert.rejects(gathered, /over/);
  assert.equal(ledger.published?.size, 2);
});

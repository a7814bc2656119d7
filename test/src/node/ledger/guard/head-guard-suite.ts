import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { toHash } from '@assay/core/hash/hash';
import type { BareHead, HeadGuard, PendingBatch } from '@assay/node/ledger/guard/head-guard';

/** A head of `size` entries with a root of its own. */
export function bareHead(size: number, history = 0): BareHead {
  return { size, root: toHash(Uint8Array.from({ length: 32 }, (_, i) => size + i + history)) };
}

/** Entries of some length that lead from one head to another; from none where `from` is 0. */
export function batchOf(from: number, to: number, history = 0): PendingBatch {
  return {
    from: from === 0 ? undefined : bareHead(from, history),
    to: bareHead(to, history),
    entries: Array.from({ length: to - from }, (_, i) =>
      new TextEncoder().encode(`entry ${from + i} ${'x'.repeat((from + i) * 7)}`),
    ),
  };
}

/** A guard's bytes may be buffers. */
function plain({ from, to, entries }: PendingBatch): unknown {
  return [
    from?.size,
    from && [...from.root],
    to.size,
    [...to.root],
    entries.map((each) => [...each]),
  ];
}

/**
 * What every head guard does. `make` gives a way to open guards over one row that was never taken; each stands for a
 * writer's own connection. Guards that only one process can open are opened one after the other: `isShared` is false.
 */
export function headGuardSuite(
  name: string,
  make: (t: TestContext) => Promise<() => Promise<HeadGuard>>,
  { isShared = true }: { readonly isShared?: boolean } = {},
): void {
  const over = { name: 'Fault', code: 'epoch_over' };
  const conflict = { name: 'Fault', code: 'guard_conflict' };

  test(`${name}: a log that was never begun has no row, and its first epoch is 1`, async (t) => {
    const guard = await (await make(t))();
    assert.equal(await guard.look(), undefined);
    assert.equal(await guard.peek(), undefined);
    assert.deepEqual(await guard.take('one', 'one'), {
      epoch: 1,
      writer: 'one',
      head: undefined,
      pending: [],
    });
    assert.deepEqual(await guard.look(), { epoch: 1, writer: 'one', head: undefined });
    assert.equal((await guard.take('one', 'one')).epoch, 2);
  });

  test(`${name}: it moves from the head that it has, and keeps the batches until they are settled`, async (t) => {
    const guard = await (await make(t))();
    await guard.take('one', 'one');
    const batches = [batchOf(0, 1), batchOf(1, 4), batchOf(4, 5), batchOf(5, 300)];
    for (const batch of batches) await guard.move(batch);
    const row = await guard.look();
    assert.deepEqual([row?.epoch, row?.writer, row?.head], [1, 'one', bareHead(300)]);
    const peeked = await guard.peek();
    assert.deepEqual([peeked?.epoch, peeked?.head], [1, bareHead(300)]);
    assert.deepEqual(peeked?.pending.map(plain), batches.map(plain));
    const taken = await guard.take('one', 'one');
    assert.deepEqual(taken.head, bareHead(300));
    assert.deepEqual(taken.pending.map(plain), batches.map(plain));
    await guard.settled(4);
    await guard.move(batchOf(300, 301));
    const later = await guard.take('one', 'one');
    assert.deepEqual(later.pending.map(plain), [...batches.slice(2), batchOf(300, 301)].map(plain));
    await guard.settled(301);
    await guard.move(batchOf(301, 302));
    assert.deepEqual((await guard.take('one', 'one')).pending.map(plain), [
      plain(batchOf(301, 302)),
    ]);
  });

  test(`${name}: a move from another head is a conflict and changes nothing`, async (t) => {
    const guard = await (await make(t))();
    await guard.take('one', 'one');
    await assert.rejects(guard.move(batchOf(1, 2)), conflict);
    await guard.move(batchOf(0, 1));
    for (const wrong of [batchOf(0, 1), batchOf(0, 2), batchOf(2, 3), batchOf(1, 2, 7)]) {
      await assert.rejects(guard.move(wrong), conflict);
    }
    assert.deepEqual((await guard.look())?.head, bareHead(1));
    await guard.move(batchOf(1, 2));
    await assert.rejects(guard.move(batchOf(1, 2)), conflict);
  });

  test(`${name}: nothing moves before an epoch is taken, or after it was opened anew`, async (t) => {
    const guard = await (await make(t))();
    await assert.rejects(guard.move(batchOf(0, 1)), over);
    await guard.take('one', 'one');
    await guard.move(batchOf(0, 1));
    await guard.reopen();
    await assert.rejects(guard.move(batchOf(1, 2)), over);
    const taken = await guard.take('one', 'one');
    assert.deepEqual([taken.epoch, taken.head], [2, bareHead(1)]);
    await guard.move(batchOf(1, 2));
  });

  test(`${name}: what another writer holds is taken only by who says so`, async (t) => {
    const guard = await (await make(t))();
    await guard.take('one', 'one');
    await guard.move(batchOf(0, 2));
    await assert.rejects(guard.take('two', 'two'), over);
    await assert.rejects(guard.take('two', 'three'), /one/);
    assert.deepEqual((await guard.look())?.epoch, 1);
    assert.equal((await guard.take('two', 'one')).epoch, 2);
    const taken = await guard.take('three', 'anybody');
    assert.deepEqual([taken.epoch, taken.writer, taken.head], [3, 'three', bareHead(2)]);
    await guard.move(batchOf(2, 3));
  });

  test(`${name}: the next one finds what the one before was told`, async (t) => {
    const open = await make(t);
    let guard = await open();
    await guard.take('one', 'one');
    for (let size = 0; size < 9; size += 1) {
      await guard.move(batchOf(size, size + 1));
      await guard.close();
      guard = await open();
      const { head, epoch, pending } = await guard.take('one', 'one');
      assert.deepEqual([epoch, head], [size + 2, bareHead(size + 1)]);
      assert.equal(pending.at(-1)?.to.size, size + 1);
    }
  });

  test(`${name}: bytes that a caller changes later are not the guard's`, async (t) => {
    const guard = await (await make(t))();
    await guard.take('one', 'one');
    const batch = batchOf(0, 1);
    await guard.move(batch);
    (batch.entries[0] as Uint8Array)[0] = 0;
    assert.deepEqual((await guard.take('one', 'one')).pending.map(plain), [plain(batchOf(0, 1))]);
  });

  test(`${name}: entries of any bytes, and none`, async (t) => {
    const open = await make(t);
    const guard = await open();
    await guard.take('one', 'one');
    const entries = [
      new Uint8Array(0),
      Uint8Array.from({ length: 70_000 }, (_, i) => i),
      new Uint8Array(9),
    ];
    const batch = { from: undefined, to: bareHead(3), entries };
    await guard.move(batch);
    await guard.close();
    const { pending } = await (await open()).take('one', 'one');
    assert.deepEqual(pending.map(plain), [plain(batch)]);
  });

  if (!isShared) return;

  test(`${name}: of two writers the one whose epoch is over moves nothing`, async (t) => {
    const open = await make(t);
    const [one, two] = [await open(), await open()];
    await one.take('one', 'one');
    await one.move(batchOf(0, 1));
    const taken = await two.take('two', 'anybody');
    assert.deepEqual([taken.epoch, taken.head], [2, bareHead(1)]);
    await assert.rejects(one.move(batchOf(1, 2)), over);
    await two.move(batchOf(1, 3));
    await assert.rejects(one.move(batchOf(3, 4)), over);
    await assert.rejects(one.take('one', 'one'), /two/);
    assert.equal((await one.take('one', 'two')).epoch, 3);
    await assert.rejects(two.move(batchOf(3, 4)), over);
  });

  test(`${name}: of many moves from one head in flight, one happens`, async (t) => {
    const open = await make(t);
    const guard = await open();
    await guard.take('one', 'one');
    const moves = Array.from({ length: 8 }, (_, i) => guard.move(batchOf(0, i + 1)));
    const results = await Promise.allSettled(moves);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });
}

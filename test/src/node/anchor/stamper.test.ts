import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorTree } from '@assay/core/proof/anchor-tree';
import { parseEntry } from '@assay/core/log/entry';
import { hashHex } from '@assay/core/hash/hash';
import { formatTimestamp, type Item, type Timestamp } from '@assay/core/ots/timestamp';
import { parseTime } from '@assay/core/time/time';
import {
  MemoryOpenBatch,
  openAnswer,
  type OpenBatch,
  type OpenBatchStore,
} from '@assay/node/anchor/open-batch';
import type { BlobStore } from '@assay/node/blob/blob-store';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { note, ORIGIN } from '../ledger/ledger-fixture.ts';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';
import { ALICE, AnchorWorld, BOB, CAROL, down, promising, blobsAfter } from './anchor-fixture.ts';

const DAVE = 'http://dave.calendar.test';
const FOUR = [ALICE, BOB, CAROL, DAVE];

const pending = (uri: string): Item => ({ attestation: { kind: 'pending', uri } });

/** A promise at the end of `depth` steps. */
function promise(depth: number, ...items: readonly Item[]): Timestamp {
  let tree: Timestamp = { items };
  for (let i = 0; i < depth; i += 1)
    tree = { items: [{ operation: { op: 'sha256' }, next: tree }] };
  return tree;
}

test('stamper: genesis is news; then nothing is, until there is a note', async () => {
  const world = await AnchorWorld.make();
  await world.pass(6 * 3600);
  assert.equal(world.rows().length, 1);
  const kinds = new Set((await world.entries('beacon/1')).map(() => 'beacon'));
  assert.ok(kinds.size > 0, 'beacons were written, and were no news');
  await world.append(note('a note'));
  await world.pass(6 * 3600);
  assert.equal(world.rows().length, 2);
  assert.equal(world.questions('POST', ALICE), 2);
  await world.requireSound();
});

test('stamper: a rule alone is news', async () => {
  const world = await AnchorWorld.make();
  await world.poll();
  await world.append({ kind: 'rule/1', body: { rule: CLAIMS_RULE } as never });
  await world.pass(1200);
  assert.equal(world.rows().length, 2);
  await world.requireSound();
});

test('stamper: one batch each ten minutes, however much there is', async () => {
  const world = await AnchorWorld.make();
  for (let minute = 0; minute < 60; minute += 1) {
    await world.append(note(`minute ${minute}`));
    await world.poll(60);
  }
  assert.equal(world.rows().length, 6);
  const [newest, before] = world.rows();
  assert.equal(newest?.from, before?.to);
  await world.requireSound();
});

test('stamper: one of four answers, and a second one later: the first is asked once', async () => {
  const world = await AnchorWorld.make({ calendars: FOUR });
  for (const uri of [BOB, CAROL, DAVE]) world.behave.set(uri, down);
  await world.pass(1800, 30);
  assert.equal(world.rows().length, 0);
  assert.equal(world.questions('POST', ALICE), 1);
  const tries = world.questions('POST', BOB);
  assert.ok(tries >= 4 && tries <= 10, `${tries} tries in half an hour`);
  world.behave.delete(CAROL);
  await world.pass(1200, 30);
  const [row] = world.rows();
  assert.deepEqual(
    row?.calendars.map(({ uri, state }) => [uri, state]),
    [
      [ALICE, 'pending'],
      [CAROL, 'pending'],
    ],
  );
  assert.equal(world.questions('POST', ALICE), 1);
  await world.requireSound();
});

test('stamper: a block of the first calendar may be hours before the second one answers', async () => {
  const world = await AnchorWorld.make();
  const made = world.ledger.nextAt;
  world.behave.set(BOB, down);
  await world.poll();
  await world.pass(12 * 3600);
  assert.equal(world.rows().length, 0);
  world.behave.delete(BOB);
  await world.pass(12 * 3600);
  const [first] = world.rows();
  assert.equal(first?.stamped_at, made);
  assert.equal(
    first?.calendars.every(({ state }) => state === 'attested'),
    true,
  );
  await world.requireSound();
});

test('stamper: two addresses of one calendar are one', async () => {
  const pool = {
    'http://a.pool.test': ALICE,
    'http://b.pool.test': ALICE,
    'http://c.pool.test': BOB,
  };
  const world = await AnchorWorld.make({ pool });
  world.behave.set('http://c.pool.test', down);
  await world.pass(3600, 60);
  assert.equal(world.rows().length, 0);
  assert.match(world.told.at(-1) ?? '', /1 of 2 calendars/);
  world.behave.delete('http://c.pool.test');
  await world.pass(1200, 60);
  assert.deepEqual(
    world.rows()[0]?.calendars.map(({ uri }) => uri),
    [ALICE, BOB],
  );
  await world.requireSound();
});

test('stamper: a calendar does not pass for two', async () => {
  for (const tree of [
    promise(1, pending(ALICE)),
    promise(1, pending(`${ALICE}/`)),
    promise(1, pending(ALICE), pending(BOB)),
    { items: [...promise(1, pending(BOB)).items, ...promise(0, pending(BOB)).items] },
  ]) {
    const world = await AnchorWorld.make();
    world.behave.set(BOB, promising(tree));
    await world.pass(3600, 60);
    assert.equal(world.rows().length, 0, JSON.stringify(tree));
  }
});

test('stamper: no calendar is named for having been named by another', async () => {
  const world = await AnchorWorld.make({ calendars: [ALICE, BOB, CAROL] });
  world.behave.set(BOB, down);
  world.behave.set(CAROL, promising(promise(1, pending(BOB))));
  await world.pass(3600, 60);
  assert.equal(world.rows().length, 0, 'Bob has never seen the batch');
  assert.match(world.failed.join('\n'), /carol.*a pending attestation by another calendar/);
  world.behave.delete(CAROL);
  await world.pass(1200, 60);
  assert.deepEqual(
    world.rows()[0]?.calendars.map(({ uri }) => uri),
    [ALICE, CAROL],
  );
  await world.requireSound();
});

test('stamper: a kept answer that the config does not believe any more is asked for anew', async () => {
  const world = await AnchorWorld.make();
  world.behave.set(BOB, down);
  await world.poll();
  const kept = await world.openBatch.get();
  const [answer] = kept?.answers ?? [];
  assert.ok(kept !== undefined && answer !== undefined);
  const lie = { calendar: BOB, timestamp: answer.timestamp };
  const stranger = openAnswer(
    'http://pool.test',
    formatTimestamp(promise(1, pending('http://mallory.test'))),
  );
  await world.openBatch.set({ ...kept, answers: [lie, stranger] });
  const asked = world.questions('POST', ALICE);
  await world.restart();
  world.behave.delete(BOB);
  await world.poll();
  assert.equal(world.questions('POST', ALICE), asked + 1);
  assert.deepEqual(
    world.rows()[0]?.calendars.map(({ uri }) => uri),
    [ALICE, BOB],
  );
  await world.requireSound();
});

test('stamper: an answer that leaves no room for a path is refused, and the others are recorded', async () => {
  const world = await AnchorWorld.make({ calendars: [ALICE, BOB, CAROL] });
  world.behave.set(CAROL, promising(promise(253, pending(CAROL))));
  await world.poll();
  assert.deepEqual(
    world.rows()[0]?.calendars.map(({ uri }) => uri),
    [ALICE, BOB],
  );
  assert.match(world.failed.join(), /room for a proof/);
  await world.requireSound();
});

test('stamper: every calendar down for a day: one batch then, and nothing is left out', async () => {
  const world = await AnchorWorld.make();
  for (const uri of [ALICE, BOB]) world.behave.set(uri, down);
  for (let hour = 0; hour < 24; hour += 1) {
    await world.append(note(`hour ${hour}`));
    await world.pass(3600, 300);
  }
  assert.equal(world.rows().length, 0);
  const asked = world.questions('POST', ALICE);
  assert.ok(asked <= 24 * 6 + 10, `${asked} tries in a day`);
  for (const uri of [ALICE, BOB]) world.behave.delete(uri);
  await world.pass(3600, 300);
  const rows = world.rows().toReversed();
  assert.deepEqual(
    rows.map(({ from }) => from),
    [0, ...rows.slice(0, -1).map(({ to }) => to)],
  );
  for (let seq = rows.at(-1)?.to ?? 0; seq < world.ledger.nextSeq; seq += 1) {
    const bytes = (await world.ledger.entry(seq)) as Uint8Array;
    assert.match(parseEntry(bytes).kind, /^(?:anchor|beacon)\/1$/);
  }
  await world.requireSound();
});

test('stamper: answers are kept over a restart', async () => {
  const world = await AnchorWorld.make();
  world.behave.set(BOB, down);
  await world.pass(600, 60);
  assert.equal(world.rows().length, 0);
  await world.restart();
  await world.pass(600, 60);
  world.behave.delete(BOB);
  await world.restart();
  await world.poll();
  assert.equal(world.rows().length, 1);
  assert.equal(world.questions('POST', ALICE), 1);
  await world.requireSound();
});

test('stamper: of a kept batch that is another log’s, or is spoilt, nothing is used', async () => {
  const spoil: readonly ((kept: OpenBatch) => OpenBatch)[] = [
    (kept) => ({ ...kept, tip: '00'.repeat(32) as OpenBatch['tip'] }),
    (kept) => ({ ...kept, from: 1 }),
    (kept) => ({ ...kept, to: 99 }),
    (kept) => ({ ...kept, answers: [{ calendar: ALICE, timestamp: 'ffff' }] }),
  ];
  for (const [i, change] of spoil.entries()) {
    const world = await AnchorWorld.make();
    world.behave.set(BOB, down);
    await world.poll();
    await world.openBatch.set(change((await world.openBatch.get()) as OpenBatch));
    world.behave.delete(BOB);
    await world.restart();
    await world.poll(60);
    assert.equal(world.rows().length, 1, `${i} ${world.told.join('\n')}`);
    await world.requireSound();
  }
});

test('stamper: a kept batch of a log that was put back to fewer entries is not used', async () => {
  const world = await AnchorWorld.make();
  world.behave.set(BOB, down);
  await world.poll();
  const kept = (await world.openBatch.get()) as OpenBatch;
  const to = world.ledger.nextSeq + 1;
  const range = { from: 0, to, root: '77'.repeat(32) as OpenBatch['root'], salt: kept.salt };
  const { tree } = anchorTree(world.ledger.tip, nodeSha256, ORIGIN, range);
  await world.openBatch.set({ ...kept, ...range, tip: hashHex(tree.tip) });
  await world.restart();
  // The log has grown past it again before it is looked at.
  await world.append(note('one'), note('two'));
  world.behave.delete(BOB);
  await world.poll();
  assert.equal(world.rows().length, 1);
  await world.requireSound();
});

test('stamper: a batch that the log has left too far behind is given up for a new one', async () => {
  const world = await AnchorWorld.make();
  for (const uri of [ALICE, BOB]) world.behave.set(uri, down);
  await world.poll();
  for (let i = 0; i < 33; i += 1) {
    await world.append(...Array.from({ length: 1000 }, (_, j) => note(`${i} ${j}`)));
  }
  for (const uri of [ALICE, BOB]) world.behave.delete(uri);
  await world.pass(1200);
  const [row] = world.rows();
  assert.equal(world.rows().length, 1);
  assert.deepEqual([row?.from, (row?.to ?? 0) > 33_000], [0, true]);
  await world.requireSound();
});

test('stamper: a log that outgrows a batch between the answers and the write gets none of it', async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const blobs = blobsAfter(async () => {
    const work = meanwhile;
    meanwhile = undefined;
    await work?.();
  });
  const world = await AnchorWorld.make({ blobs });
  meanwhile = async () => {
    for (let i = 0; i < 33; i += 1)
      await world.append(...Array.from({ length: 1000 }, (_, j) => note(`${i} ${j}`)));
  };
  await world.poll();
  assert.equal(meanwhile, undefined);
  assert.match(world.told.join('\n'), /the log has grown too far/);
  await world.pass(1200);
  const [row] = world.rows();
  assert.deepEqual([row?.from, (row?.to ?? 0) > 33_000], [0, true]);
});

test('stamper: a log that takes no entries is left alone', async () => {
  const world = await AnchorWorld.make();
  await world.poll();
  await world.append(note('new'));
  world.place.store.fail = 'failed';
  await assert.rejects(world.append(note('lost')), { code: 'stopped' });
  const asked = world.asked.length;
  await world.pass(3600);
  assert.equal(world.asked.length, asked);
  assert.deepEqual(
    world.told.filter((line) => /stopped|read_only/.test(line)),
    [],
  );
});

test('stamper: a write of the anchor that fails but is on disk is not repeated', async () => {
  const world = await AnchorWorld.make({ headers: false });
  world.place.store.fail = 'failed, but on disk';
  await world.poll();
  assert.notEqual(world.ledger.blocked, undefined);
  world.place.store.fail = undefined;
  await world.restart();
  await world.pass(3600);
  assert.deepEqual(
    (await world.anchors())
      .filter(({ issue }) => issue === 0)
      .map(({ batch, from }) => [batch, from]),
    [[0, 0]],
  );
  await world.requireSound();
});

test('stamper: a full disk is reported, nobody is asked again for it, and then the batch is recorded', async () => {
  let full = true;
  const memory = new MemoryBlobStore();
  const blobs: BlobStore = {
    get: memory.get,
    read: memory.read,
    checked: memory.checked,
    has: memory.has,
    verify: memory.verify,
    list: memory.list,
    put: (bytes) => (full ? Promise.reject(new Error('ENOSPC')) : memory.put(bytes)),
  };
  const world = await AnchorWorld.make({ blobs });
  await world.pass(1200, 60);
  assert.equal(world.rows().length, 0);
  assert.match(world.told.join(), /stamp: ENOSPC/);
  assert.equal(world.questions('POST'), 2);
  full = false;
  await world.pass(1200, 60);
  assert.equal(world.rows().length, 1);
  assert.equal(world.questions('POST'), 2);
});

test('stamper: no room to keep the batch: nothing is sent out', async () => {
  const kept = new MemoryOpenBatch();
  let full = true;
  const openBatch: OpenBatchStore = {
    get: kept.get,
    set: (batch) => (full ? Promise.reject(new Error('ENOSPC')) : kept.set(batch)),
  };
  const world = await AnchorWorld.make({ openBatch });
  await world.pass(600, 60);
  assert.equal(world.asked.length, 0);
  full = false;
  await world.poll(60);
  assert.equal(world.rows().length, 1);
  await world.requireSound();
});

test('stamper: somebody appends while the calendars answer', async () => {
  const world = await AnchorWorld.make();
  world.behave.set(ALICE, async () => {
    await world.append(note('in between'));
    void world.append(note('and again'));
    return undefined as never;
  });
  await world.poll();
  assert.equal(world.rows().length, 1);
  world.behave.delete(ALICE);
  await world.pass(600);
  assert.equal(world.rows().length, 2);
  await world.requireSound();
});

test('stamper: entries that wait for their commit belong to the next batch', async () => {
  const world = await AnchorWorld.make({ headers: false });
  world.place.store.gate.shut();
  const waiting = world.append(note('not yet durable'));
  const look = world.poll();
  world.place.store.gate.open();
  await Promise.all([waiting, look]);
  const [row] = world.rows();
  assert.equal(row?.to, 1);
  await world.pass(600);
  assert.equal(world.rows().length, 2);
  await world.requireSound();
});

test('stamper: the time of a stamp is not before that of its entries', async () => {
  const world = await AnchorWorld.make();
  await world.append(note('at noon'));
  world.at(world.now() - 86_400);
  await world.poll();
  const [row] = world.rows();
  assert.ok(parseTime(row?.stamped_at ?? ('' as never)) >= world.now() + 86_400);
  await world.requireSound();
});

test('stamper: no calendars, no batches', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.pass(1200);
  assert.equal(world.rows().length, 0);
});

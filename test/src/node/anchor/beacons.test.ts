import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Beacon } from '@assay/core/kind/beacon';
import { newestBlock } from '@assay/core/view/beacons';
import { formatHex } from '@assay/core/hex';
import { AnchorWorld, BLOCK_S } from './anchor-fixture.ts';

async function beacons(world: AnchorWorld): Promise<readonly Beacon[]> {
  return (await world.entries('beacon/1')) as readonly Beacon[];
}

test('beacons: the first one at once, then one an hour, each of another block', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.look();
  assert.equal((await beacons(world)).length, 1);
  await world.pass(24 * 3600, 300);
  const all = await beacons(world);
  assert.equal(all.length, 25);
  assert.equal(new Set(all.map(({ header }) => header)).size, 25);
  const heights = all.map(({ height }) => height);
  assert.deepEqual(
    heights,
    heights.toSorted((a, b) => a - b),
  );
  await world.requireSound();
});

test('beacons: what a report would name as the newest block is the newest beacon', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  assert.equal(newestBlock(world.ledger.tip), null);
  await world.look();
  const { height, id } = world.chain.tip;
  assert.deepEqual(newestBlock(world.ledger.tip), { height, hash: id });
});

test('beacons: not the same block again, also after a restart', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.look();
  const { tip } = world.chain;
  world.source = {
    name: 'stuck',
    tip: async () => tip.height,
    headers: async (from, count) =>
      Array.from(
        { length: count },
        (_, i) => world.chain.block(from + i)?.header.slice() as Uint8Array,
      ),
  };
  await world.pass(6 * 3600);
  await world.restart();
  await world.pass(6 * 3600);
  assert.equal((await beacons(world)).length, 1);
  await world.requireSound();
});

test('beacons: a restart writes the newest block, once', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.look();
  await world.look(2 * BLOCK_S);
  await world.restart();
  await world.look();
  await world.look(60);
  assert.equal((await beacons(world)).length, 2);
});

test('beacons: after a reorganisation none is lower than one before', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.look();
  const { height } = world.chain.tip;
  await world.pass(3600);
  world.chain.reorganise(10);
  await world.pass(6 * 3600);
  const heights = (await beacons(world)).map((each) => each.height);
  assert.equal(heights[0], height);
  assert.deepEqual(
    heights,
    heights.toSorted((a, b) => a - b),
  );
  const newest = (await beacons(world)).at(-1) as Beacon;
  assert.equal(
    newest.header,
    formatHex(world.chain.block(newest.height)?.header ?? new Uint8Array()),
  );
  await world.requireSound();
});

test('beacons: a chain that has become shorter with more work waits until it is as high', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.look();
  const { tip } = world.headers;
  assert.ok(tip !== undefined);
  // The follower's chain, as if a reorganisation had made it shorter.
  const lower = { ...tip, height: tip.height - 2, header: new Uint8Array(80) };
  Object.defineProperty(world.headers, 'tip', { get: () => lower, configurable: true });
  await world.pass(2 * 3600);
  assert.equal((await beacons(world)).length, 1);
  Reflect.deleteProperty(world.headers, 'tip');
  await world.pass(2 * 3600);
  assert.ok((await beacons(world)).length > 1);
});

test('beacons: none where no headers are known, and none in a log that takes no entries', async () => {
  const none = await AnchorWorld.make({ headers: false });
  await none.pass(2 * 3600);
  assert.deepEqual(await beacons(none), []);
  const world = await AnchorWorld.make({ calendars: [] });
  world.place.store.fail = 'failed';
  await world.look();
  assert.equal(world.ledger.blocked?.code, 'stopped');
  const told = world.told.length;
  await world.pass(2 * 3600);
  assert.equal(world.told.length, told);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Beacon } from '@assay/core/kind/beacon';
import { newestBeacon, newestBlock } from '@assay/core/view/beacons';
import { formatHex } from '@assay/core/bytes/hex';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import { AnchorWorld, BLOCK_S } from './anchor-fixture.ts';

async function beacons(world: AnchorWorld): Promise<readonly Beacon[]> {
  return (await world.entries('beacon/1')) as readonly Beacon[];
}

test('beacons: the first one at once, then one an hour, each of another block', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.poll();
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
  await world.poll();
  const { height, id } = world.chain.tip;
  assert.deepEqual(newestBlock(world.ledger.tip), { height, hash: id });
});

test('beacons: not the same block again, also after a restart', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.poll();
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
  await world.poll();
  await world.poll(2 * BLOCK_S);
  await world.restart();
  await world.poll();
  await world.poll(60);
  assert.equal((await beacons(world)).length, 2);
});

test('beacons: after a reorganisation none is lower than one before', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.poll();
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
  await world.poll();
  const { agreed: tip } = world.headers;
  assert.ok(tip !== undefined);
  // The follower's chain, as if a reorganisation had made it shorter.
  const lower = { ...tip, height: tip.height - 2, header: new Uint8Array(80) };
  Object.defineProperty(world.headers, 'agreed', { get: () => lower, configurable: true });
  await world.pass(2 * 3600);
  assert.equal((await beacons(world)).length, 1);
  Reflect.deleteProperty(world.headers, 'agreed');
  await world.pass(2 * 3600);
  assert.ok((await beacons(world)).length > 1);
});

test('beacons: none where no headers are known, and none in a log that takes no entries', async () => {
  const none = await AnchorWorld.make({ headers: false });
  await none.pass(2 * 3600);
  assert.deepEqual(await beacons(none), []);
  const world = await AnchorWorld.make({ calendars: [] });
  world.place.store.fail = 'failed';
  await world.poll();
  assert.equal(world.ledger.blocked?.code, 'stopped');
  const told = world.told.length;
  await world.pass(2 * 3600);
  assert.equal(world.told.length, told);
});

/** Explorers that say what the world's source does, each at heights moved by its own number. */
async function explored(shifts: readonly number[]): Promise<[AnchorWorld, number[]]> {
  const moved = [...shifts];
  const sources = shifts.map((_, i): HeaderSource => {
    const shift = () => moved[i] ?? 0;
    return {
      name: `explorer ${i}`,
      explorer: true,
      tip: async () => (await world.source.tip()) + shift(),
      headers: (from, count) => world.source.headers(from - shift(), count),
    };
  });
  const world: AnchorWorld = await AnchorWorld.make({ sources });
  // More blocks than are read to begin with.
  world.at(world.now() + 2 * 86_400);
  return [world, moved];
}

const reasons = (world: AnchorWorld) => world.anchoring.concerns().map(({ reason }) => reason);

test('beacons: an explorer that moves its heights writes none, and once it is honest nothing stays', async () => {
  for (const at of [0, 1]) {
    const [world, moved] = await explored(at === 0 ? [5, 0] : [0, 5]);
    await world.pass(3 * 3600);
    assert.deepEqual(await beacons(world), []);
    assert.match(reasons(world).join(), /explorer 1 shows blocks .*, which share none with/);
    moved[at] = 0;
    await world.stamp();
    await world.pass(24 * 3600);
    const all = await beacons(world);
    assert.ok(all.length >= 24);
    for (const { height, header } of all) {
      assert.equal(header, formatHex(world.chain.block(height)?.header ?? new Uint8Array()));
    }
    assert.equal(world.row(0).bitcoin.length > 0, true);
    assert.deepEqual(reasons(world), []);
    await world.requireSound();
  }
});

test('beacons: one explorer alone writes none and records no block', async () => {
  const [world] = await explored([0]);
  await world.stamp();
  await world.pass(24 * 3600);
  assert.deepEqual(await beacons(world), []);
  assert.deepEqual(world.row(0).bitcoin, []);
  assert.equal(world.questions('GET'), 0, 'no calendar is asked what could not be recorded');
  assert.match(JSON.stringify(world.anchoring.questions.asked(world.row(0))), /agree on no block/);
});

test('beacons: one of the log that is not on the chain is replaced, or reported', async () => {
  for (const by of [2016, -5]) {
    const world = await AnchorWorld.make();
    await world.poll();
    const { height, header } = world.headers.tip ?? assert.fail();
    const lost = { height: height + by, header: formatHex(header) };
    await world.append({ kind: 'beacon/1', body: lost });
    const { seq } = newestBeacon(world.ledger.tip) ?? assert.fail();
    await world.restart();
    await world.stamp();
    const before = world.chain.tip.height;
    await world.pass(24 * 3600);
    const all = await beacons(world);
    assert.deepEqual(all[1], lost);
    const said = `The beacon of entry ${seq} names a block that is not on the chain: `;
    if (by > 0) {
      assert.equal(all.length, 2);
      assert.ok(
        reasons(world).some((each) => each.startsWith(said)),
        reasons(world).join('\n'),
      );
      // Until the chain is as high, when nothing of it is left.
      world.at(world.now() + (by + 20) * BLOCK_S);
      await world.pass(8 * 3600);
      assert.ok((await beacons(world)).length > 6);
    } else {
      assert.ok(all.length >= 25);
      assert.ok((all[2]?.height ?? 0) <= before, 'at once');
      assert.ok(world.row(0).bitcoin.length > 0);
    }
    assert.doesNotMatch(reasons(world).join(), /can be recorded/);
    await world.requireSound();
  }
});

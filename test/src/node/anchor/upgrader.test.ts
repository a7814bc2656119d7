import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerHash } from '@assay/core/bitcoin/header';
import { parseHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import type { AnchorRow } from '@assay/core/view/anchors';
import { newestBeacon } from '@assay/core/view/beacons';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import type { BlobStore } from '@assay/node/blob/blob-store';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { note } from '../ledger/ledger-fixture.ts';
import {
  ALICE,
  AnchorWorld,
  blobsAfter,
  type Behaviour,
  BLOCK_S,
  BOB,
  CAROL,
  down,
  HASHES,
  silent,
  upgradingTo,
} from './anchor-fixture.ts';

const DAY_S = 86_400;

/** A tree that says that the message itself is the Merkle root at each of these heights. */
function claim(...all: readonly number[]): Timestamp {
  return { items: all.map((height) => ({ attestation: { kind: 'bitcoin', height } })) };
}

/** States by the first letter of the calendar's name. */
function states(world: AnchorWorld, batch: number): string {
  return world
    .row(batch)
    .calendars.map(({ uri, state }) => `${uri[7]} ${state}`)
    .join(', ');
}

function heights(world: AnchorWorld, batch: number): readonly number[] {
  return world.row(batch).bitcoin.map(({ height }) => height);
}

/** Whether the recorded blocks are on the chain as it is now. */
function requireOnChain(world: AnchorWorld, batch: number): void {
  for (const { height, header } of world.row(batch).bitcoin) {
    const hash = headerHash(nodeSha256, parseHex(header, 80));
    assert.deepEqual(Buffer.from(hash), Buffer.from(world.chain.block(height)?.hash ?? []));
  }
}

test('upgrader: a batch is followed to its block with six on top, in one further issue', async () => {
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  const before = world.chain.tip.height;
  await world.pass(2 * 3600);
  assert.deepEqual(heights(world, row.batch), [before + 1]);
  assert.equal(states(world, row.batch), 'a attested, b attested');
  requireOnChain(world, row.batch);
  assert.equal(world.row(row.batch).issue, 1);
  const asked = world.questions('GET');
  await world.pass(DAY_S, 3600);
  assert.equal(world.questions('GET'), asked, 'nobody is asked after that');
  assert.equal(world.anchoring.progress.pending, 0);
  assert.equal(world.anchoring.progress.attestedHeight, before + 1);
  await world.requireSound();
});

test('upgrader: one calendar attests, the other never does and is given up', async () => {
  const world = await AnchorWorld.make();
  world.behave.set(BOB, silent);
  const row = await world.stamp();
  await world.pass(2 * 3600);
  assert.equal(states(world, row.batch), 'a attested, b pending');
  await world.requireSound();
  const asked = world.questions('GET', ALICE);
  await world.pass(29 * DAY_S, 3600);
  assert.equal(states(world, row.batch), 'a attested, b pending');
  assert.equal(world.questions('GET', ALICE), asked);
  await world.pass(2 * DAY_S, 3600);
  assert.equal(states(world, row.batch), 'a attested, b pending');
  await world.pass(DAY_S, 3600);
  assert.equal(states(world, row.batch), 'a attested, b expired');
  assert.equal(world.row(row.batch).issue, 2);
  const bob = world.questions('GET', BOB);
  // A month, more often at first: politeness, and no stamp that waits for long.
  assert.ok(bob > 100 && bob < 200, `${bob} questions in a month`);
  await world.pass(DAY_S, 3600);
  assert.equal(world.questions('GET', BOB), bob);
  await world.requireSound();
});

test('upgrader: a calendar that was down for the month is asked for days before it is given up', async () => {
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  world.at(world.now() + 40 * DAY_S);
  for (const uri of [ALICE, BOB]) world.behave.set(uri, down);
  await world.restart();
  await world.pass(12 * 3600, 600);
  assert.equal(states(world, row.batch), 'a pending, b pending');
  world.behave.delete(ALICE);
  await world.pass(12 * 3600, 600);
  assert.equal(states(world, row.batch), 'a attested, b pending');
  world.behave.set(BOB, silent);
  await world.pass(2 * DAY_S, 600);
  assert.equal(states(world, row.batch), 'a attested, b pending');
  await world.pass(DAY_S, 600);
  assert.equal(states(world, row.batch), 'a attested, b expired');
  await world.requireSound();
});

test('upgrader: what no block holds is never recorded, and asked for again', async () => {
  const world = await AnchorWorld.make();
  // The first batch began before a beacon was there.
  await world.poll();
  const tip = world.chain.tip.height;
  const lies: readonly Timestamp[] = [
    claim(tip + 4),
    claim(tip - 10),
    claim(1),
    claim(tip + 5000),
    claim(Number.MAX_SAFE_INTEGER),
    claim(...Array.from({ length: 40 }, (_, i) => i)),
    { items: [{ operation: { op: 'reverse' }, next: claim(tip + 4) }] },
  ];
  world.behave.set(BOB, silent);
  const row = await world.stamp();
  for (const lie of lies) {
    world.behave.set(ALICE, upgradingTo(lie));
    const asked = world.questions('GET', ALICE);
    await world.pass(6 * 3600, 1200);
    assert.ok(world.questions('GET', ALICE) > asked);
    assert.equal(world.row(row.batch).issue, 0);
  }
  assert.match(world.failed.join('\n'), /another Merkle root/);
  assert.match(world.failed.join('\n'), /was there before/);
  assert.match(world.failed.join('\n'), /names 40 blocks/);
  world.behave.delete(ALICE);
  await world.pass(12 * 3600, 1200);
  assert.equal(states(world, row.batch), 'a attested, b pending');
  requireOnChain(world, row.batch);
  await world.requireSound();
});

test('upgrader: of a truth and a lie about the same height the truth alone is recorded', async () => {
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  const block = world.chain.tip.height + 1;
  const both: Behaviour = async (request) => {
    if (request.method !== 'GET') return undefined as never;
    world.behave.delete(ALICE);
    const commitment = parseHex(request.url.slice(request.url.lastIndexOf('/') + 1));
    const truth = world.chain.proof(commitment);
    if (truth === undefined) {
      world.behave.set(ALICE, both);
      return { status: 404, body: Buffer.from('Pending') };
    }
    return upgradingTo({ items: [...claim(block).items, ...truth.items] })(request) as never;
  };
  world.behave.set(ALICE, both);
  await world.pass(3 * 3600);
  assert.deepEqual(heights(world, row.batch), [block]);
  assert.equal(states(world, row.batch), 'a attested, b attested');
  await world.requireSound();
});

test('upgrader: a block with fewer than six on top of it waits', async () => {
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  const block = world.chain.tip.height + 1;
  // The calendar tells at once; the real one waits for six blocks itself.
  const eager: Behaviour = ({ method, url }) => {
    if (method !== 'GET') return undefined;
    const commitment = parseHex(url.slice(url.lastIndexOf('/') + 1));
    if (world.chain.tip.height <= block) return { status: 404, body: Buffer.from('Pending') };
    const proof = world.chain.proof(commitment);
    return proof === undefined ? upgradingTo(claim(block))({ method, url } as never) : undefined;
  };
  world.behave.set(ALICE, eager);
  world.behave.set(BOB, silent);
  while (world.chain.tip.height < block + 6) {
    assert.equal(world.row(row.batch).issue, 0, `tip ${world.chain.tip.height}`);
    await world.poll(300);
  }
  await world.pass(3600);
  assert.deepEqual(heights(world, row.batch), [block]);
  await world.requireSound();
});

test('upgrader: two calendars in different blocks: both heights, the lowest first', async () => {
  const world = await AnchorWorld.make();
  // Bob's commitments come to the chain an hour late, as a busy calendar's do.
  let held: (() => void)[] = [];
  const add = world.chain.add.bind(world.chain);
  world.chain.add = (name, commitment) => {
    if (name === 'bob.c') held.push(() => add(name, commitment));
    else add(name, commitment);
  };
  const row = await world.stamp();
  await world.pass(3600);
  for (const each of held) each();
  held = [];
  await world.pass(4 * 3600);
  const [first = 0, second = 0] = heights(world, row.batch);
  assert.equal(heights(world, row.batch).length, 2);
  assert.ok(first < second);
  assert.equal(states(world, row.batch), 'a attested, b attested');
  await world.requireSound();
});

test('upgrader: a recorded block that the chain drops is withdrawn, and the new one recorded', async () => {
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  await world.pass(2 * 3600);
  const [height = 0] = heights(world, row.batch);
  const old = world.row(row.batch).bitcoin[0]?.header;
  world.chain.reorganise(world.chain.tip.height - height + 1);
  await world.poll(60);
  assert.equal(world.row(row.batch).issue, 2);
  assert.equal(states(world, row.batch), 'a pending, b pending');
  assert.match(world.told.join('\n'), /other blocks at/);
  assert.equal(world.anchoring.progress.attestedHeight, undefined, 'as the log has it');
  await world.requireSound();
  await world.pass(6 * 3600);
  assert.equal(states(world, row.batch), 'a attested, b attested');
  assert.notEqual(world.row(row.batch).bitcoin[0]?.header, old);
  requireOnChain(world, row.batch);
  await world.requireSound();
});

test('upgrader: the six that follow may change: the recorded ones stay', async () => {
  const world = await AnchorWorld.make();
  world.behave.set(BOB, silent);
  const row = await world.stamp();
  await world.pass(2 * 3600);
  const [height = 0] = heights(world, row.batch);
  world.chain.reorganise(world.chain.tip.height - height - 2);
  await world.pass(DAY_S, 1800);
  assert.equal(world.row(row.batch).issue, 1);
  await world.requireSound();
});

test('upgrader: a reorganisation while the node was off for days', async () => {
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  await world.pass(2 * 3600);
  const [height = 0] = heights(world, row.batch);
  world.chain.reorganise(world.chain.tip.height - height + 1);
  world.at(world.now() + 5 * DAY_S);
  world.chain.advance(world.now());
  await world.restart();
  await world.pass(DAY_S, 1800);
  requireOnChain(world, row.batch);
  assert.equal(states(world, row.batch), 'a attested, b attested');
  assert.ok(world.row(row.batch).issue >= 3);
  await world.requireSound();
});

test('upgrader: no block far below one that the batch itself names', async () => {
  const world = await AnchorWorld.make();
  await world.pass(7200);
  const row = await world.stamp();
  const beacon = newestBeacon(world.ledger.tip, row.to)?.height ?? 0;
  await world.poll(3600);
  const [at = beacon] = heights(world, row.batch);
  // The chain turns back to before the beacon, and the commitments go into its first new block.
  world.chain.reorganise(world.chain.tip.height - Math.min(at, beacon) + 12);
  await world.pass(12 * 3600);
  assert.deepEqual(heights(world, row.batch), []);
  assert.match(world.failed.join('\n'), /was there before/);
  await world.requireSound();
});

test('upgrader: a block as high as a beacon that the chain has lost since', async () => {
  const world = await AnchorWorld.make({ timing: { beaconEveryS: BLOCK_S } });
  await world.pass(3 * BLOCK_S);
  const { height } = world.chain.tip;
  assert.equal(newestBeacon(world.ledger.tip)?.height, height);
  await world.append(note('new'));
  await world.anchoring.poll();
  const [row] = world.rows();
  world.chain.reorganise(1);
  await world.pass(3 * 3600);
  assert.deepEqual(heights(world, row?.batch ?? -1), [height]);
  await world.requireSound();
});

test('upgrader: no step of the clock and no long sleep gives up a calendar', async () => {
  const world = await AnchorWorld.make();
  for (const uri of [ALICE, BOB]) world.behave.set(uri, silent);
  const row = await world.stamp();
  await world.pass(4 * 3600);
  world.step(31 * DAY_S);
  await world.pass(DAY_S);
  assert.equal(states(world, row.batch), 'a pending, b pending');
  world.behave.clear();
  await world.pass(DAY_S);
  assert.equal(states(world, row.batch), 'a attested, b attested');
  await world.requireSound();
});

test('upgrader: a calendar that was given up is asked once a week, and its block recorded', async () => {
  const world = await AnchorWorld.make({ timing: { expireAfterS: DAY_S } });
  for (const uri of [ALICE, BOB]) world.behave.set(uri, silent);
  const row = await world.stamp();
  await world.pass(2 * DAY_S);
  assert.equal(states(world, row.batch), 'a expired, b expired');
  const asked = world.questions('GET', ALICE);
  await world.pass(28 * DAY_S, 3600);
  assert.equal(world.questions('GET', ALICE) - asked, 4);
  world.behave.delete(ALICE);
  await world.pass(7 * DAY_S, 3600);
  assert.equal(states(world, row.batch), 'a attested, b expired');
  await world.requireSound();
});

test('upgrader: no headers at the moment: nothing is recorded and nothing given up', async () => {
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  const good = world.source;
  const bad: HeaderSource = {
    name: 'test source',
    tip: () => Promise.reject(new Error('ECONNREFUSED')),
    headers: () => Promise.reject(new Error('ECONNREFUSED')),
  };
  world.source = bad;
  await world.pass(33 * DAY_S, 1800);
  assert.equal(states(world, row.batch), 'a pending, b pending');
  world.source = good;
  await world.pass(DAY_S, 1800);
  assert.equal(states(world, row.batch), 'a attested, b attested');
  await world.requireSound();
});

test('upgrader: headers that are missing at the start keep no older batch from being followed', async () => {
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  const good = world.source;
  world.source = { ...good, tip: () => Promise.reject(new Error('ECONNREFUSED')) };
  await world.restart();
  const other = await world.stamp('another');
  world.source = good;
  await world.pass(4 * 3600);
  assert.equal(states(world, row.batch), 'a attested, b attested');
  assert.equal(states(world, other.batch), 'a attested, b attested');
});

test('upgrader: a batch whose tip is lost is reported; the others go on', async () => {
  const lost = new Set<string>();
  const memory = new MemoryBlobStore();
  const blobs: BlobStore = {
    put: memory.put,
    get: (hash) => (lost.has(hash) ? Promise.resolve(undefined) : memory.get(hash)),
    read: memory.read,
    checked: memory.checked,
    has: memory.has,
    verify: memory.verify,
    list: memory.list,
  };
  const world = await AnchorWorld.make({ blobs });
  const first = await world.stamp();
  const second = await world.stamp('another');
  lost.add(first.proof);
  await world.pass(3 * 3600);
  assert.match(world.told.join('\n'), /batch \d+: .*(?:timestamp|blob)/);
  assert.deepEqual(heights(world, first.batch), []);
  assert.equal(heights(world, second.batch).length, 1);
  lost.clear();
  await world.pass(6 * 3600);
  assert.equal(heights(world, first.batch).length, 1);
});

test('upgrader: a restart changes nothing in what is recorded', async () => {
  const world = await AnchorWorld.make();
  world.behave.set(BOB, silent);
  const row = await world.stamp();
  await world.pass(3 * 3600);
  assert.equal(world.row(row.batch).issue, 1);
  for (let i = 0; i < 5; i += 1) {
    await world.restart();
    await world.pass(3600);
  }
  assert.equal(world.row(row.batch).issue, 1, 'the same again is not said again');
  await world.requireSound();
});

test('upgrader: a calendar that is down is asked rarely, and the other one all the same', async () => {
  const world = await AnchorWorld.make({ calendars: [ALICE, BOB, CAROL] });
  world.behave.set(CAROL, silent);
  for (let i = 0; i < 20; i += 1) await world.stamp(`batch ${i}`);
  world.behave.set(CAROL, down);
  const asked = world.questions('GET', CAROL);
  for (let i = 0; i < 20; i += 1) await world.stamp(`and ${i}`);
  await world.pass(6 * 3600, 300);
  // Submissions go on; questions to it pause.
  assert.ok(
    world.questions('GET', CAROL) - asked < 150,
    `${world.questions('GET', CAROL) - asked}`,
  );
  for (const row of world.rows().slice(0, 20)) {
    assert.match(states(world, row.batch), /^a attested, b attested/);
  }
  // Everything is due at once: those that are under way together, and no more.
  const before = world.questions('GET', CAROL);
  await world.poll(7 * 3600);
  assert.ok(world.questions('GET', CAROL) - before <= 8);
  world.behave.delete(CAROL);
  await world.pass(DAY_S, 600);
  for (const row of world.rows()) assert.doesNotMatch(states(world, row.batch), /pending/);
  await world.requireSound();
});

test('upgrader: an answer that would break the limits of a proof is refused alone', async () => {
  const world = await AnchorWorld.make();
  let deep: Timestamp | undefined;
  world.behave.set(BOB, ({ method, url }) => {
    if (method !== 'GET') return undefined;
    const commitment = parseHex(url.slice(url.lastIndexOf('/') + 1));
    deep = world.chain.proof(commitment);
    if (deep === undefined) return { status: 404, body: Buffer.from('Pending') };
    // As deep as a calendar's answer may be by itself, with the truth beside it.
    let tower: Timestamp = claim(9);
    for (let i = 0; i < 255; i += 1) {
      tower = { items: [{ operation: { op: 'sha256' }, next: tower }] };
    }
    return upgradingTo({ items: [...tower.items, ...deep.items] })({ method, url } as never);
  });
  const row = await world.stamp();
  await world.pass(3 * 3600);
  assert.equal(states(world, row.batch), 'a attested, b attested');
  const tree = parseTimestamp(
    (await world.memory.get(world.row(row.batch).proof)) ?? new Uint8Array(),
    32,
  );
  const said = evaluate(tree, parseHex(row.tip, 32), HASHES);
  assert.equal(said.filter(({ attestation }) => attestation.kind === 'bitcoin').length, 2);
  await world.requireSound();
});

test('upgrader: a year of hourly batches at once', async () => {
  const world = await AnchorWorld.make({ timing: { expireAfterS: 1000 * DAY_S } });
  const many = process.env['ASSAY_FAULT_LONG'] === '1' ? 8760 : 600;
  // Without headers no calendar is asked.
  const { source } = world;
  world.source = { ...source, tip: () => Promise.reject(new Error('ECONNREFUSED')) };
  for (let i = 0; i < many; i += 1) {
    await world.append(note(`hour ${i}`));
    world.at(world.now() + 3600);
    await world.anchoring.poll();
  }
  assert.equal(world.rows().length, many);
  assert.equal(world.anchoring.progress.pending, many);
  let open = 0;
  let most = 0;
  for (const uri of [ALICE, BOB]) {
    world.behave.set(uri, async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return undefined as never;
    });
  }
  world.source = source;
  await world.restart();
  for (let i = 0; i < many / 100 && world.anchoring.progress.pending > 0; i += 1)
    await world.poll(60);
  for (let i = 0; i < 20; i += 1) await world.poll(600);
  assert.ok(most <= 16, `${most} questions at once`);
  const open_ = world.rows().filter((row) => row.bitcoin.length === 0);
  assert.deepEqual(
    open_.map(({ batch }) => batch),
    [],
  );
  await world.requireSound();
});

test('upgrader: a recorded block that nobody shows for the moment is checked later', async () => {
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  await world.pass(2 * 3600);
  const [height = 0] = heights(world, row.batch);
  world.chain.reorganise(world.chain.tip.height - height + 1);
  // Long off: the block is below what the follower holds, and the source does not reach so far back.
  world.at(world.now() + 3 * DAY_S);
  world.chain.advance(world.now());
  const { source } = world;
  let short = true;
  world.source = {
    ...source,
    headers: (from, count) =>
      short && from <= height + 6
        ? Promise.reject(new Error('ECONNREFUSED'))
        : source.headers(from, count),
  };
  for (const uri of [ALICE, BOB]) world.behave.set(uri, silent);
  await world.restart();
  await world.pass(3600);
  assert.deepEqual(heights(world, row.batch), [height]);
  short = false;
  await world.pass(3600);
  assert.deepEqual(heights(world, row.batch), []);
  await world.requireSound();
});

test('upgrader: a reorganisation brings back no calendar that was given up', async () => {
  const world = await AnchorWorld.make({ timing: { expireAfterS: 3 * 3600 } });
  world.behave.set(BOB, silent);
  const row = await world.stamp();
  await world.pass(6 * 3600);
  assert.equal(states(world, row.batch), 'a attested, b expired');
  const [height = 0] = heights(world, row.batch);
  world.chain.reorganise(world.chain.tip.height - height + 1);
  await world.poll(60);
  assert.equal(states(world, row.batch), 'a pending, b expired');
  await world.requireSound();
  const asked = world.questions('GET', BOB);
  await world.pass(6 * 3600);
  assert.equal(states(world, row.batch), 'a attested, b expired');
  assert.equal(world.questions('GET', BOB), asked);
  await world.requireSound();
});

test('upgrader: a calendar that says the truth too deep for a path is refused alone', async () => {
  const world = await AnchorWorld.make();
  const after = (bytes: Uint8Array): Uint8Array => {
    let message = bytes;
    for (let i = 0; i < 235; i += 1) message = nodeSha256(message);
    return new Uint8Array(message);
  };
  // Bob commits to the end of a long line of hashes.
  const add = world.chain.add.bind(world.chain);
  world.chain.add = (name, commitment) =>
    add(name, name === 'bob.c' ? after(commitment) : commitment);
  let told = 0;
  world.behave.set(BOB, ({ method, url }) => {
    if (method !== 'GET') return undefined;
    const commitment = parseHex(url.slice(url.lastIndexOf('/') + 1));
    let tree = world.chain.proof(after(commitment));
    if (tree === undefined) return { status: 404, body: Buffer.from('Pending') };
    for (let i = 0; i < 235; i += 1)
      tree = { items: [{ operation: { op: 'sha256' }, next: tree }] };
    told += 1;
    return upgradingTo(tree)({ method, url } as never);
  });
  const row = await world.stamp();
  await world.pass(6 * 3600);
  assert.ok(told > 0);
  assert.match(world.failed.join('\n'), /no room in a proof/);
  assert.equal(states(world, row.batch), 'a attested, b pending');
  await world.requireSound();
});

test('upgrader: a calendar whose block was withdrawn is not given up at the next question', async () => {
  const world = await AnchorWorld.make({ timing: { expireAfterS: 12 * 3600 } });
  const row = await world.stamp();
  // Bob names a block that is always still to come, and is waited for.
  world.behave.set(BOB, (request) => {
    const next = claim(world.chain.tip.height + 3);
    return request.method === 'GET' ? upgradingTo(next)(request) : undefined;
  });
  await world.pass(13 * 3600);
  assert.equal(states(world, row.batch), 'a attested, b pending');
  const [height = 0] = heights(world, row.batch);
  world.chain.reorganise(world.chain.tip.height - height + 1);
  world.behave.set(ALICE, silent);
  const asked = world.questions('GET', ALICE);
  while (world.questions('GET', ALICE) === asked) await world.poll(600);
  assert.equal(states(world, row.batch), 'a pending, b pending');
  world.behave.delete(ALICE);
  await world.pass(4 * 3600);
  assert.equal(states(world, row.batch), 'a attested, b pending');
  await world.pass(24 * 3600);
  assert.equal(states(world, row.batch), 'a attested, b expired', 'and not waited for without end');
  await world.requireSound();
});

test('upgrader: a reorganisation that cannot be recorded at once is recorded when it can', async () => {
  let lost = false;
  const memory = new MemoryBlobStore();
  const blobs: BlobStore = {
    put: memory.put,
    get: (hash) => (lost ? Promise.reject(new Error('EIO')) : memory.get(hash)),
    read: memory.read,
    checked: memory.checked,
    has: memory.has,
    verify: memory.verify,
    list: memory.list,
  };
  const world = await AnchorWorld.make({ blobs });
  const row = await world.stamp();
  await world.pass(2 * 3600);
  const [height = 0] = heights(world, row.batch);
  world.chain.reorganise(world.chain.tip.height - height + 1);
  lost = true;
  await world.poll(60);
  assert.match(world.told.join('\n'), /EIO/);
  assert.deepEqual(heights(world, row.batch), [height]);
  lost = false;
  await world.poll(1);
  assert.deepEqual(heights(world, row.batch), []);
});

test('upgrader: a stamp that cannot be read is a concern, and the text names nobody as asked', async () => {
  let fails = false;
  const memory = new MemoryBlobStore();
  const get: BlobStore['get'] = (hash) =>
    fails ? Promise.reject(new Error('EIO /var/lib/assay')) : memory.get(hash);
  const { put, read, checked, has, verify, list } = memory;
  const world = await AnchorWorld.make({ blobs: { put, read, checked, has, verify, list, get } });
  const row = await world.stamp();
  const said = () => world.anchoring.concerns().map(({ reason }) => reason);
  assert.deepEqual(world.anchoring.questions.asked(row), { of: [ALICE, BOB] });
  fails = true;
  await world.pass(3600);
  assert.deepEqual(said(), ['The stamp of batch 0 cannot be read: nobody is asked about it.']);
  assert.deepEqual(world.anchoring.questions.asked(row), { nobody: 'its stamp cannot be read' });
  assert.deepEqual([...world.anchoring.questions.open()], [0]);
  fails = false;
  await world.pass(4 * 3600);
  assert.deepEqual(said(), []);
  assert.deepEqual([...world.anchoring.questions.open()], []);
  assert.equal(states(world, row.batch), 'a attested, b attested');
});

test('upgrader: why nobody is asked about a batch', async () => {
  const asked = (world: AnchorWorld, row: AnchorRow): string => {
    const now = world.anchoring.questions.asked(row);
    return 'nobody' in now ? now.nobody : now.of.join();
  };
  const without = await AnchorWorld.make({ headers: false });
  assert.match(asked(without, await without.stamp()), /config names no source of Bitcoin headers/);
  const world = await AnchorWorld.make();
  const row = await world.stamp();
  const good = world.source;
  world.source = { ...good, tip: () => Promise.reject(new Error('ECONNREFUSED')) };
  await world.restart();
  await world.poll(60);
  assert.match(asked(world, row), /no source of Bitcoin headers has answered/);
  world.source = good;
  await world.poll(60);
  assert.equal(asked(world, row), `${ALICE},${BOB}`);
  const stranger = { uri: 'http://mallory.test', state: 'pending' } as const;
  assert.equal(
    asked(world, { ...row, calendars: [stranger, { uri: BOB, state: 'pending' }] }),
    BOB,
  );
  assert.match(asked(world, { ...row, calendars: [stranger] }), /does not name the calendars/);
});

test('upgrader: a batch that every calendar was given up for is reported once', async () => {
  const world = await AnchorWorld.make();
  for (const uri of [ALICE, BOB]) world.behave.set(uri, silent);
  const row = await world.stamp();
  await world.pass(36 * DAY_S, 3600);
  assert.equal(states(world, row.batch), 'a expired, b expired');
  const told = world.told.filter((each) => each.includes('every calendar was given up'));
  assert.equal(told.length, 1);
});

test('upgrader: another issue that comes between the look and the write is not written over', async () => {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const blobs = blobsAfter(async () => {
    const work = meanwhile;
    meanwhile = undefined;
    await work?.();
  });
  const world = await AnchorWorld.make({ blobs });
  const { seq: _seq, at: _at, ...anchor } = await world.stamp();
  const calendars = anchor.calendars.map(({ uri }) => ({ uri, state: 'expired' as const }));
  const body = { ...anchor, issue: 1, calendars };
  meanwhile = () => world.ledger.write(() => [{ kind: 'anchor/1', body }]);
  await world.pass(3 * 3600);
  assert.equal(meanwhile, undefined, 'it was recorded while the upgrader was about to write');
  const issues = (await world.anchors()).map(({ issue }) => issue);
  assert.deepEqual(issues, [...issues.keys()]);
  assert.deepEqual((await world.anchors())[1]?.calendars, calendars);
});

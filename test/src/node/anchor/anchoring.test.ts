import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryOpenBatch, type OpenBatchStore } from '@assay/node/anchor/open-batch';
import { note, turns } from '../ledger/ledger-fixture.ts';
import { ALICE, AnchorWorld, BOB } from './anchor-fixture.ts';

/** Answers nothing until its signal aborts. */
const hanging = ({ signal }: { readonly signal: AbortSignal }): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

test('anchoring: a stop does not wait for calendars that hang, and blames none of them', async () => {
  for (const phase of ['submit', 'upgrade']) {
    const world = await AnchorWorld.make();
    if (phase === 'upgrade') await world.stamp();
    for (const uri of [ALICE, BOB]) world.behave.set(uri, hanging);
    world.at(world.now() + 3600);
    const look = world.anchoring.poll();
    const before = world.asked.length;
    while (world.asked.length < before + 2) await turns();
    await world.anchoring.stop();
    await look;
    assert.deepEqual(world.failed, [], phase);
    await world.requireSound();
  }
});

test('anchoring: a stop does not wait for sources of headers that hang', async () => {
  const world = await AnchorWorld.make();
  world.source = {
    name: 'hangs',
    tip: () => new Promise(() => undefined),
    headers: async () => [],
  };
  const look = world.anchoring.poll();
  await turns();
  await world.anchoring.stop();
  await look;
  assert.deepEqual(world.failed, []);
  assert.doesNotMatch(world.told.join(), /headers|beacon/);
});

test('anchoring: a source of headers that hangs holds up no stamp', async () => {
  const world = await AnchorWorld.make();
  world.source = {
    name: 'hangs',
    tip: () => new Promise(() => undefined),
    headers: async () => [],
  };
  world.anchoring.start();
  while (world.rows().length === 0) await turns();
  await world.anchoring.stop();
  await world.requireSound();
});

test('anchoring: a clock that was ahead for one poll holds up nothing once it is right', async () => {
  const world = await AnchorWorld.make();
  await world.stamp();
  world.step(7 * 86_400);
  await world.poll();
  // What the ledger and the node go by does not step back.
  const ahead = world.now();
  for (let i = 0; i < 10; i += 1) {
    await world.append(note(`${i}`));
    await world.poll(600);
    world.step(-600);
    assert.equal(world.now(), ahead);
  }
  assert.ok(world.rows().length >= 10, `${world.rows().length}`);
  await world.restart();
  world.step(-7 * 86_400);
  const asked = world.questions('GET');
  await world.pass(3600);
  assert.ok(world.questions('GET') - asked >= 10, 'stamps of the future are asked about');
  await world.requireSound();
});

test('anchoring: sources that are dead, or stand still, are a concern within hours', async () => {
  const dead = (): Promise<never> => Promise.reject(new Error('ECONNREFUSED'));
  for (const [source, words] of [
    [{ tip: dead, headers: dead }, /no source has answered for over an hour/],
    [{}, /the newest is of .*, over 6 hours ago/],
  ] as const) {
    const world = await AnchorWorld.make();
    await world.stamp();
    const { source: honest } = world;
    const tip = await honest.tip();
    world.source = {
      name: 'test source',
      tip: async () => tip,
      headers: (from, count) => honest.headers(from, Math.min(count, tip - from + 1)),
      ...source,
    };
    await world.pass(3600);
    assert.deepEqual(world.anchoring.concerns(), []);
    await world.pass(6 * 3600);
    const reasons = world.anchoring.concerns().map(({ reason }) => reason);
    assert.match(reasons.join('\n'), words);
    assert.match(reasons.join('\n'), /the newest in the log is of .*, over 6 hours ago/);
    const age = world.anchoring.progress.headerAge ?? 0;
    assert.ok(age > 6 * 3600 && age < 9 * 3600, `${age}`);
    world.source = honest;
    await world.pass(3600);
    assert.deepEqual(world.anchoring.concerns(), []);
  }
});

test('anchoring: an answer that came before the stop is kept', async () => {
  const world = await AnchorWorld.make();
  world.behave.set(BOB, hanging);
  const look = world.anchoring.poll();
  while (world.asked.length < 2) await turns();
  await world.restart();
  await look;
  world.behave.clear();
  await world.poll();
  assert.equal(world.rows().length, 1);
  assert.equal(world.questions('POST', ALICE), 1);
  await world.requireSound();
});

test('anchoring: polls wait for one another', async () => {
  const kept = new MemoryOpenBatch();
  const openBatch: OpenBatchStore = {
    get: () => turns().then(kept.get),
    set: (batch) => turns().then(() => kept.set(batch)),
  };
  const world = await AnchorWorld.make({ openBatch });
  await world.append(note('new'));
  await Promise.all([world.anchoring.poll(), world.anchoring.poll(), world.anchoring.poll()]);
  assert.equal(world.rows().length, 1);
  assert.equal(world.questions('POST', ALICE), 1);
  assert.equal((await world.entries('beacon/1')).length, 1);
  await world.requireSound();
});

test('anchoring: it does not poll after a stop, and it may be stopped twice and started late', async () => {
  const world = await AnchorWorld.make();
  await Promise.all([world.anchoring.stop(), world.anchoring.stop()]);
  await world.poll();
  world.anchoring.start();
  await turns(50);
  await world.anchoring.stop();
  assert.equal(world.asked.length, 0);
  assert.equal(world.ledger.nextSeq, 1);
});

test('anchoring: started, it polls by itself; started twice, once', async () => {
  const world = await AnchorWorld.make();
  world.anchoring.start();
  world.anchoring.start();
  while (world.rows().length === 0) await turns();
  await world.anchoring.stop();
  assert.equal(world.questions('POST', ALICE), 1);
  await world.requireSound();
});

test('anchoring: sources of headers are asked once a minute, and at once while nothing is known', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  const { source } = world;
  let asked = 0;
  world.source = {
    ...source,
    tip() {
      asked += 1;
      return asked <= 3 ? Promise.reject(new Error('ECONNREFUSED')) : source.tip();
    },
  };
  for (let i = 0; i < 4; i += 1) await world.poll(1);
  assert.equal(asked, 4);
  await world.pass(600, 5);
  assert.ok(asked >= 13 && asked <= 15, `${asked}`);
  world.at(world.now() - 7200);
  await world.poll();
  assert.ok(asked <= 16);
});

test('anchoring: headers that nobody shows are a concern', async () => {
  const world = await AnchorWorld.make();
  const { source } = world;
  world.source = { ...source, tip: () => Promise.reject(new Error('ECONNREFUSED')) };
  await world.poll();
  const [concern] = world.anchoring.concerns();
  assert.equal(concern?.level, 'degraded');
  assert.match(concern?.reason ?? '', /^Bitcoin headers: /);
  world.source = source;
  await world.poll(60);
  assert.deepEqual(world.anchoring.concerns(), []);
  // One that fails later takes nothing away that is known.
  world.source = { ...source, tip: () => Promise.reject(new Error('ECONNREFUSED')) };
  await world.poll(60);
  assert.deepEqual(world.anchoring.concerns(), []);
});

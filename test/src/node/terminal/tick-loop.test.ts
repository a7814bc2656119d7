import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { messageOf } from '@assay/core/fault';
import { binance } from '@assay/node/terminal/vendor/binance';
import { TickLoop } from '@assay/node/terminal/tick-loop';
import { TickRound, type TickRoundParts } from '@assay/node/terminal/tick/tick-round';
import type { TickSource } from '@assay/node/terminal/vendor/tick-source';
import { entriesOf, note } from '../ledger/ledger-fixture.ts';
import {
  assetDraft,
  marketSource,
  RULE,
  START,
  TICK,
  type TickWorld,
  tickWorld,
} from './tick-world.ts';
import { page, vendor } from './vendor-fixture.ts';

interface Told {
  readonly loop: TickLoop;
  readonly events: string[];
}

function loopOf(
  world: TickWorld,
  change: Partial<TickRoundParts> = {},
  days: string[] = [],
  onPolled: () => void = () => undefined,
): Told {
  const events: string[] = [];
  const loop = new TickLoop(
    {
      rounds: [new TickRound({ ...world.parts, ...change })],
      now: world.parts.now,
      everyMs: 5,
      blocked: () => world.ledger.blocked !== undefined,
      onPolled,
      daily: () => {
        days.push(new Date(world.parts.now() * 1000).toISOString().slice(0, 10));
        return Promise.resolve();
      },
    },
    {
      onTick: (of, ts, { kind }) => events.push(`${of} ${(ts - START) / TICK} ${kind}`),
      onFailed: (of, error) => events.push(`${of} failed: ${messageOf(error)}`),
    },
  );
  return { loop, events };
}

async function ticksIn({ place }: TickWorld): Promise<number> {
  const entries = await entriesOf(place.store);
  return entries.filter((bytes) => parseEntry(bytes).kind === 'tick/1').length;
}

test('tick loop: whoever waits for a poll is told once the tick is there, or that none is due', async (t) => {
  const world = await tickWorld(t);
  const found: string[][] = [];
  const { loop, events } = loopOf(world, {}, [], () => found.push([...events]));
  world.at(0, 20);
  await loop.poll();
  world.at(0, 500);
  await loop.poll();
  assert.deepEqual(found, [['crypto 0 ticked'], ['crypto 0 ticked']]);
});

test('tick loop: each time of the grid once, and one that was missed never', async (t) => {
  const world = await tickWorld(t);
  const days: string[] = [];
  const { loop, events } = loopOf(world, {}, days);
  for (const [k, second] of [
    [0, 0],
    [0, 20],
    [0, 299],
    [1, 300],
    [1, 899],
    [2, 299],
    [3, 20],
    [96, 20],
    [96, 40],
  ] as const) {
    world.at(k, second);
    await loop.poll();
  }
  assert.deepEqual(events, [
    'crypto 0 ticked',
    'crypto 2 ticked',
    'crypto 3 ticked',
    'crypto 96 ticked',
  ]);
  assert.deepEqual(days, ['2026-10-01', '2026-10-02']);
  // Begun again within the window, and after it.
  const again = loopOf(world);
  await again.loop.poll();
  world.at(97, 500);
  await again.loop.poll();
  assert.deepEqual(again.events, []);
  assert.equal(await ticksIn(world), 4);
});

test('tick loop: a reading that came to nothing is tried again, half a minute later', async (t) => {
  const world = await tickWorld(t);
  let silent = true;
  const sources = ['first', 'second'].map((each) => marketSource(each, () => silent));
  const { loop, events } = loopOf(world, { sources });
  for (const second of [10, 20, 39]) {
    world.at(0, second);
    await loop.poll();
  }
  assert.deepEqual(events.splice(0), ['crypto 0 nothing']);
  silent = false;
  world.at(0, 40);
  await loop.poll();
  assert.deepEqual(events, ['crypto 0 ticked']);
});

test('tick loop: the readings of the last 96 ticks are known, whatever comes after them, and after a start', async (t) => {
  const world = await tickWorld(t);
  const bad = 120;
  const quiet = marketSource('second', (symbol, k) => symbol === 'ETH' && k === bad);
  const sources = [marketSource('first'), quiet];
  const { loop, events } = loopOf(world, { sources });
  for (let k = 0; k <= bad; k += 1) {
    world.at(k);
    await loop.poll();
  }
  assert.equal(events.length, bad + 1);
  const at = (k: number): number => START + k * TICK;
  const again = loopOf(world, { sources }).loop;
  await again.poll();
  for (const { readings } of [loop, again]) {
    assert.equal(readings.of('ETH', at(bad)), undefined);
    const eth = readings.of('ETH', at(bad - 1));
    assert.equal(eth?.ts, at(bad - 1));
    assert.ok(typeof eth.move === 'number' && typeof eth.volMult === 'number');
    // What is published may be far behind what is written.
    assert.equal(readings.of('BTC', at(bad - 95))?.ts, at(bad - 95));
    assert.equal(readings.of('BTC', at(bad - 96)), undefined);
  }
});

test('tick loop: its readings are those of each tick, and a source that says nothing is reported', async (t) => {
  const world = await tickWorld(t);
  let silent = false;
  const sources = [marketSource('first'), marketSource('second', () => silent)];
  const { loop } = loopOf(world, { sources, readMs: 270_000 });
  world.at(0, 0);
  await loop.poll();
  assert.deepEqual(loop.concerns(), []);
  assert.deepEqual(loop.readings.of('BTC', START), { ts: START, move: null, volMult: null });
  assert.equal(loop.readings.of('NONE', START), undefined);
  assert.equal(loop.readings.of('BTC', START - TICK), undefined);
  const { version } = loop.readings;
  silent = true;
  for (const k of [1, 2]) {
    world.at(k);
    await loop.poll();
  }
  assert.ok(loop.readings.version > version);
  assert.equal(await ticksIn(world), 3);
  assert.deepEqual(loop.concerns(), [
    { level: 'degraded', reason: 'second had no price for crypto: silent.' },
  ]);
  const again = loopOf(world).loop;
  const unread = again.readings.version;
  world.at(2, 500);
  await again.poll();
  assert.ok(again.readings.version > unread);
  silent = false;
  world.at(3);
  await loop.poll();
  assert.deepEqual(loop.concerns(), []);
});

test('tick loop: what is wrong with its studies is reported beside the ticks', async (t) => {
  const world = await tickWorld(t);
  const failed = { level: 'degraded', reason: 'a study failed' } as const;
  const studies = { kick: (): void => {}, stop: () => Promise.resolve(), concerns: () => [failed] };
  const { now } = world.parts;
  const rounds = [new TickRound(world.parts)];
  const loop = new TickLoop(
    { rounds, now, everyMs: 5, blocked: () => false, studies },
    { onTick: () => {}, onFailed: () => {} },
  );
  world.at(0);
  await loop.poll();
  assert.deepEqual(loop.concerns(), [failed]);
});

test('tick loop: a class that cannot go on with its log stops, and says so; the log goes on', async (t: TestContext) => {
  const world = await tickWorld(t);
  await world.run(new TickRound(world.parts), 0, 5);
  const { loop, events } = loopOf(world, { seed: new Uint8Array(32) });
  for (const k of [5, 6]) {
    world.at(k);
    await loop.poll();
  }
  assert.equal(events.length, 1);
  assert.match(events[0] ?? '', /^crypto failed: /);
  assert.deepEqual(
    loop.concerns().map(({ reason }) => reason),
    ['There are no more ticks of crypto: the log has other entries than its readings make.'],
  );
  assert.equal(await ticksIn(world), 5);
  await world.ledger.write(() => [note('another part of the node')]);
});

test('tick loop: by itself, until it is stopped', async (t) => {
  const world = await tickWorld(t);
  const { loop, events } = loopOf(world);
  world.at(0);
  loop.start();
  while (events.length < 1) await new Promise((resolve) => setTimeout(resolve, 1));
  world.at(1);
  while (events.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  await loop.stop();
  world.at(2);
  loop.start();
  await loop.poll();
  assert.deepEqual(events, ['crypto 0 ticked', 'crypto 1 ticked']);
});

test('tick loop: a class that takes long to be taken up holds no other back', async (t) => {
  const world = await tickWorld(t);
  const crypto = new TickRound(world.parts);
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const rule = { ...RULE, class: 'stock' } as const;
  const entries = async function* (): AsyncGenerator<Uint8Array> {
    await gate;
    yield* [];
  };
  const stock = new TickRound({ ...world.parts, rule, entries });
  const events: string[] = [];
  const days: string[] = [];
  const loop = new TickLoop(
    {
      rounds: [stock, crypto],
      now: world.parts.now,
      everyMs: 1,
      blocked: () => false,
      daily: (of) => {
        days.push(of);
        return Promise.resolve();
      },
    },
    {
      onTick: (of, ts, { kind }) => events.push(`${of} ${(ts - START) / TICK} ${kind}`),
      onFailed: (of, error) => events.push(`${of} failed: ${messageOf(error)}`),
    },
  );
  loop.start();
  for (const k of [0, 1, 2]) {
    world.at(k);
    while (events.length <= k) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.deepEqual(events, ['crypto 0 ticked', 'crypto 1 ticked', 'crypto 2 ticked']);
  assert.deepEqual(days, ['crypto']);
  release();
  while (days.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  await loop.stop();
});

test('tick loop: what is wrong with the readings is reported, a provider with a name too few among it', async (t) => {
  const world = await tickWorld(t);
  const down = vendor(() => page('', 503));
  const reasonsWith = async (second: TickSource): Promise<readonly string[]> => {
    const { loop } = loopOf(world, { sources: [marketSource('first'), second], readMs: 270_000 });
    await loop.poll();
    return loop.concerns().map(({ reason }) => reason);
  };
  world.at(0);
  const names = { BTC: 'BTCUSDT', ETH: 'ETHUSDT' };
  assert.deepEqual(await reasonsWith(binance({ source: down, names })), [
    'binance had no price for crypto: status 503.',
  ]);
  world.at(1);
  const apart: TickSource = {
    provider: 'apart',
    read: async (...asked) =>
      (await marketSource('apart').read(...asked)).map((read) =>
        read.symbol === 'BTC' ? read : { ...read, said: { ...read.said, price: '1' } },
      ),
  };
  assert.deepEqual(await reasonsWith(apart), [
    'Of 3 assets of crypto 1 had a good price at 2026-10-01T00:15:00Z: of the others the sources disagree, are too old or too few.',
  ]);
  await world.ledger.write(() => [assetDraft('BTC', false)]);
  world.at(2);
  const unnamed: TickSource = { provider: 'none', read: () => Promise.resolve([]) };
  const { loop } = loopOf(world, { sources: [unnamed, marketSource('first'), marketSource('b')] });
  await loop.poll();
  assert.deepEqual(
    loop.concerns().map(({ reason }) => reason),
    [
      'none has no name for any asset of crypto.',
      'BTC, which crypto is compared with, is not listed.',
    ],
  );
});

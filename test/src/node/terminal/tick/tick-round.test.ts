import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { formatTime } from '@assay/core/time/time';
import { tickRow } from '@assay/core/view/ticks';
import type { Source } from '@assay/node/source/source';
import { binance } from '@assay/node/terminal/vendor/binance';
import { TICK_WINDOW_S } from '@assay/core/terminal/score/good';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import type { TickSource } from '@assay/node/terminal/vendor/tick-source';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import { entriesOf } from '../../ledger/ledger-fixture.ts';
import {
  assetDraft,
  marketAt,
  marketSource,
  never,
  START,
  SYMBOLS,
  TICK,
  tickWorld,
} from '../tick-world.ts';
import { page } from '../vendor-fixture.ts';

test('tick round: openings and leaves are kept before the entry, with all that it makes due', async (t) => {
  const world = await tickWorld(t);
  const kept: string[] = [];
  const round = new TickRound({
    ...world.parts,
    openings: {
      at: (ts) => world.openings.at(ts),
      since: (ts) => world.openings.since(ts),
      async put(ts, values) {
        await world.openings.put(ts, values);
        kept.push('openings');
      },
    },
    blobs: {
      get: world.blobs.get,
      async put(bytes) {
        kept.push('blob');
        return world.blobs.put(bytes);
      },
    },
    ledger: {
      tip: world.ledger.tip,
      blocked: undefined,
      get nextSeq() {
        return world.ledger.nextSeq;
      },
      idle: () => world.ledger.idle(),
      write: (draft) =>
        world.ledger.write((tip) => {
          const drafts = [...draft(tip)];
          kept.push(drafts.map(({ kind }) => kind).join(' '));
          return drafts;
        }),
    },
  });
  await world.run(round, 0, 100);
  assert.deepEqual(kept.slice(0, 3), ['openings', 'blob', 'tick/1']);
  assert.equal(kept.length, 300);
  assert.ok(
    kept.some((each) => each.startsWith('tick/1 event/1')),
    'an event with its tick',
  );
  for (let k = 0; k < 100; k += 1) {
    const ts = START + TICK * k;
    const row = tickRow(world.ledger.tip, 'crypto', formatTime(ts));
    assert.equal(row?.size, SYMBOLS.length);
    assert.ok(await world.blobs.has(toHashHex(row?.blob ?? '')));
    assert.equal((await world.openings.at(ts)).length, SYMBOLS.length);
  }
});

test('tick round: the first source that has a price is scored, and both are kept', async (t) => {
  const world = await tickWorld(t);
  const round = new TickRound(world.parts);
  assert.deepEqual(await round.run(world.at(3), never), {
    kind: 'ticked',
    good: 2,
    of: 3,
    events: 0,
  });
  const [, , sol] = await world.openings.at(START + TICK * 3);
  const { price, sources } = JSON.parse(Buffer.from(sol?.bytes ?? []).toString());
  assert.deepEqual(
    sources.map((each: { provider: string; price: string | null }) => [each.provider, each.price]),
    [
      ['first', null],
      ['second', price],
    ],
  );
  assert.deepEqual(
    [...(round.reading?.missing ?? [])].map(([of, why]) => [of, [...why]]),
    [['first', [['SOL', 'silent']]]],
  );
  assert.equal(round.boardAt(START + TICK * 3)?.get('SOL')?.good, false);
});

test('tick round: due within five minutes of a time of the grid, and once', async (t) => {
  const world = await tickWorld(t);
  const round = new TickRound(world.parts);
  const ts = world.at(7, 0);
  assert.equal(round.due, ts);
  world.at(7, TICK_WINDOW_S - 1);
  assert.equal(round.due, ts);
  world.at(7, TICK_WINDOW_S);
  assert.equal(round.due, undefined);
  world.at(7, 20);
  await round.run(ts, never);
  assert.equal(round.due, undefined);
  assert.equal(new TickRound(world.parts).due, undefined);
  assert.equal(world.at(8), ts + TICK);
  assert.equal(round.due, ts + TICK);
  const closed = new TickRound({ ...world.parts, grid: xnysGrid });
  assert.equal(closed.due, undefined);
});

test('tick round: without any price, or too late, nothing is written', async (t) => {
  const world = await tickWorld(t);
  const silent = marketSource('first', () => true);
  const before = world.ledger.nextSeq;
  const quiet = new TickRound({ ...world.parts, sources: [silent] });
  assert.deepEqual(await quiet.run(world.at(0), never), {
    kind: 'nothing',
    reason: 'no source has a price',
  });
  const slow: TickSource = {
    provider: 'slow',
    read(ts, symbols, signal) {
      world.at(0, TICK_WINDOW_S);
      return marketSource('slow').read(ts, symbols, signal);
    },
  };
  const late = new TickRound({ ...world.parts, sources: [slow] });
  assert.equal((await late.run(world.at(0), never)).kind, 'nothing');
  assert.equal(world.ledger.nextSeq, before);
  assert.deepEqual(await world.openings.at(START), []);
  assert.equal(late.boardAt(START), undefined);
});

test('tick round: a source that hangs or breaks has answered nothing, and the others count', async (t) => {
  const world = await tickWorld(t);
  const hanging: TickSource = {
    provider: 'hanging',
    read: (_ts, _symbols, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  };
  const sources = [hanging, ...world.parts.sources];
  const round = new TickRound({ ...world.parts, sources, readMs: 50 });
  assert.deepEqual(await round.run(world.at(0), never), {
    kind: 'ticked',
    good: 3,
    of: 3,
    events: 0,
  });
  assert.deepEqual(
    [...(round.reading?.missing.get('hanging')?.values() ?? [])],
    Array(3).fill('timeout'),
  );
  const controller = new AbortController();
  const stopped = new TickRound({ ...world.parts, sources }).run(world.at(1), controller.signal);
  controller.abort(new Error('it stops'));
  await assert.rejects(stopped, /it stops/);
});

test('tick round: what cannot be kept is not in the log, and the next is as if nothing had been', async (t) => {
  const world = await tickWorld(t);
  const plain = await tickWorld(t);
  let fails = false;
  const round = new TickRound({
    ...world.parts,
    openings: {
      at: (ts) => world.openings.at(ts),
      since: (ts) => world.openings.since(ts),
      put: (ts, values) =>
        fails
          ? Promise.reject(new Fault('storage_failed', 'disk'))
          : world.openings.put(ts, values),
    },
  });
  await world.run(round, 0, 80);
  fails = true;
  const before = world.ledger.nextSeq;
  await assert.rejects(round.run(world.at(80), never), { code: 'storage_failed' });
  assert.equal(world.ledger.nextSeq, before);
  fails = false;
  await world.run(round, 80, 160);
  await plain.run(new TickRound(plain.parts), 0, 160);
  assert.deepEqual(await entriesOf(world.place.store), await entriesOf(plain.place.store));
});

test('tick round: only what is listed is read', async (t) => {
  const world = await tickWorld(t);
  await world.ledger.write(() => [assetDraft('ETH', false)]);
  const round = new TickRound(world.parts);
  assert.equal((await round.run(world.at(0), never)).kind, 'ticked');
  assert.deepEqual(
    (await world.openings.at(START)).map(({ symbol }) => symbol),
    ['BTC', 'SOL'],
  );
  const kinds = (await entriesOf(world.place.store)).map((bytes) => parseEntry(bytes).kind);
  assert.equal(kinds.at(-1), 'tick/1');
});

test('tick round: a source that is late with some has answered the others', async (t) => {
  const source: Source = {
    read(request, { signal } = {}) {
      const pairs = JSON.parse(
        new URL(request.url).searchParams.get('symbols') ?? '[]',
      ) as string[];
      const rows = pairs.map((symbol) => ({
        symbol,
        lastPrice: (marketAt(symbol, 0).cents / 100).toFixed(2),
        quoteVolume: '1',
        closeTime: START * 1000,
      }));
      if (!pairs.includes('BTC')) {
        return new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
        });
      }
      return Promise.resolve(page(JSON.stringify(rows)));
    },
  };
  const world = await tickWorld(t);
  const more = Array.from({ length: 98 }, (_, i) => `B${String(i).padStart(2, '0')}`);
  await world.ledger.write(() => more.map((each) => assetDraft(each)));
  // BTC is of the first hundred names, ETH and SOL of the second.
  const names = Object.fromEntries(['BTC', ...more, 'ETH', 'SOL'].map((each) => [each, each]));
  const sources = [marketSource('first'), binance({ source, names })];
  const round = new TickRound({ ...world.parts, sources, readMs: 50 });
  const outcome = await round.run(world.at(0, 280), never);
  assert.ok(outcome.kind === 'ticked');
  assert.equal(round.boardAt(START)?.get('BTC')?.good, true);
  assert.equal(round.boardAt(START)?.get('SOL')?.good, false);
  assert.equal(round.reading?.missing.get('binance')?.get('SOL'), 'timeout');
  assert.equal(round.reading?.missing.get('binance')?.has('BTC'), false);
});

test('tick round: of which nothing is good is read again while there is time, and then written as it is', async (t) => {
  const world = await tickWorld(t);
  let cents = 1;
  const second: TickSource = {
    provider: 'second',
    read: async (ts, symbols, signal) =>
      (await marketSource('second').read(ts, symbols, signal)).map((read) => ({
        ...read,
        said: { ...read.said, price: cents === 0 ? null : read.said.price === null ? null : '1' },
      })),
  };
  const sources = [marketSource('first'), second];
  const round = new TickRound({ ...world.parts, sources, readMs: 120_000 });
  const nothing = {
    kind: 'nothing',
    reason: 'no reading is good, and there is time for another',
  };
  const before = world.ledger.nextSeq;
  for (const at of [0, 60, 149]) assert.deepEqual(await round.run(world.at(0, at), never), nothing);
  assert.equal(world.ledger.nextSeq, before);
  const bad = { kind: 'ticked', good: 0, of: 3, events: 0 };
  assert.deepEqual(await round.run(world.at(0, 150), never), bad);
  // It comes right in time.
  assert.deepEqual(await round.run(world.at(1, 20), never), nothing);
  const mended = new TickRound({ ...world.parts, readMs: 120_000 });
  assert.deepEqual(await mended.run(world.at(1, 50), never), { ...bad, good: 3 });
  // Of two readings the last that has a price is written.
  const held = new TickRound({
    ...world.parts,
    sources: [marketSource('first', () => cents === 0), second],
    readMs: 120_000,
  });
  assert.deepEqual(await held.run(world.at(2, 20), never), nothing);
  cents = 0;
  assert.deepEqual(await held.run(world.at(2, 150), never), bad);
  assert.deepEqual(await held.run(world.at(3, 20), never), {
    kind: 'nothing',
    reason: 'no source has a price',
  });
});

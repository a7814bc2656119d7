import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { entryPrev, parseEntry, scanEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { type Hash, hashHex, leafHash, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import {
  formatEntryBundle,
  formatHashTile,
  levelLength,
  type Tile,
  TILE_WIDTH,
  tilesOf,
} from '@assay/core/log/tile';
import { logRow } from '@assay/core/view/log';
import { tickers } from '@assay/core/view/rules';
import type { Receipt } from '@assay/node/ledger/ledger';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import type { Published } from '@assay/node/ledger/publishing';
import {
  bound,
  CHECKPOINTS,
  entriesOf,
  filledLedger,
  Gate,
  GENESIS_DRAFT,
  memoryPlace,
  naiveLevels,
  naiveRoot,
  NOON,
  note,
  openAt,
  type BarePlace,
  plainSha256,
  probeGuard,
  probeStore,
  requireSound,
  turns,
} from './ledger-fixture.ts';

import {
  closing,
  fault,
  requireServed,
  RULE,
  watch,
  STEPS,
  FAILURES,
  requireTile,
} from './served-ledger.ts';

test('ledger: an empty one has nothing, until its genesis', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await openAt(place));
  assert.equal(ledger.nextSeq, 0);
  assert.equal(ledger.log, undefined);
  assert.equal(ledger.published, undefined);
  assert.equal(ledger.blocked, undefined);
  assert.equal(await ledger.entry(0), undefined);
  assert.equal(await ledger.tile({ level: 0, index: 0, width: 1 }), undefined);
  const [receipt] = await ledger.write(() => [GENESIS_DRAFT]);
  assert.equal(receipt?.seq, 0);
  assert.equal(ledger.log, receipt.leaf);
  assert.equal(logRow(ledger.shown)?.log, receipt.leaf);
  await requireSound(place.store, 1);
});

test('ledger: receipts name each entry, in order, by number and leaf; the chain holds', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await openAt(place));
  const receipts: Receipt[] = [...(await ledger.write(() => [GENESIS_DRAFT]))];
  receipts.push(...(await ledger.write(() => [note('one'), RULE, note('two')])));
  receipts.push(...(await ledger.write(() => [note('three')])));
  assert.deepEqual(await ledger.write(() => []), []);
  const entries = await entriesOf(place.store);
  assert.equal(entries.length, 5);
  let prev: string = ZERO_HASH_HEX;
  for (const [seq, bytes] of entries.entries()) {
    const leaf = hashHex(leafHash(plainSha256, bytes));
    assert.deepEqual(receipts[seq], { seq, leaf });
    const layout = scanEntry(bytes);
    assert.equal(layout.seq, seq);
    assert.equal(entryPrev(bytes, layout), prev);
    assert.deepEqual(await ledger.entry(seq), bytes);
    prev = leaf;
  }
  assert.deepEqual(
    entries.map((bytes) => parseEntry(bytes).kind),
    ['genesis/1', 'note/1', 'rule/1', 'note/1', 'note/1'],
  );
  await requireSound(place.store, 5);
  await requireServed(ledger, entries, 5);
});

test('ledger: nobody is answered or shown anything before the guard holds the head', async (t) => {
  const place = await memoryPlace();
  const published: Published[] = [];
  const ledger = closing(t, await openAt(place, { onPublish: (each) => published.push(each) }));
  await ledger.write(() => [GENESIS_DRAFT]);
  let entries = await entriesOf(place.store);
  for (const gate of [place.store.gate, place.guard.gate]) {
    const before = published.length;
    const { size } = ledger.published as Published;
    gate.shut();
    const appended = ledger.write(() => [RULE, note('x')].slice(gate === place.store.gate ? 0 : 1));
    const watched = watch(appended);
    await turns(20);
    assert.equal(gate.arrived, 1);
    assert.equal(watched.state, 'pending');
    assert.equal(published.length, before);
    await requireServed(ledger, entries, size);
    assert.equal(tickers(ledger.shown).length, gate === place.store.gate ? 0 : 1);
    assert.equal(tickers(ledger.tip).length, 1, 'a draft builds on what waits');
    gate.open();
    await appended;
    assert.equal(published.length, before + 1);
    entries = await entriesOf(place.store);
    await requireServed(ledger, entries, ledger.nextSeq);
  }
  assert.equal(tickers(ledger.shown).length, 1);
});

test('ledger: publications come in order, each with the tables that it changed', async (t) => {
  const place = await memoryPlace();
  const told: string[] = [];
  const ledger = closing(
    t,
    await openAt(place, {
      onPublish({ size, note: signed }, tables) {
        assert.equal(CHECKPOINTS.open(signed).size, size);
        told.push(`${size}: ${tables === 'all' ? 'all' : [...tables].sort().join(' ')}`);
      },
    }),
  );
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.write(() => [RULE]);
  await ledger.write(() => [note('no rows')]);
  assert.deepEqual(told, ['1: log', '2: rules/LAYOFFS tickers', '3: ']);
});

test('ledger: a listener that throws does not stop the log', async (t) => {
  const place = await memoryPlace();
  const uncaught: (() => void)[] = [];
  const thrown = new Error('listener');
  const ledger = closing(
    t,
    await openAt(place, {
      onPublish() {
        throw thrown;
      },
    }),
  );
  const mock = t.mock.method(globalThis, 'queueMicrotask', (task: () => void) => {
    uncaught.push(task);
  });
  await ledger.write(() => [GENESIS_DRAFT]);
  await ledger.write(() => [note('x')]);
  mock.mock.restore();
  assert.equal(ledger.blocked, undefined);
  assert.equal(ledger.published?.size, 2);
  assert.equal(uncaught.length, 2);
  assert.throws(() => uncaught[0]?.(), thrown);
});

test('ledger: while the clock is in doubt nothing is dated by it', async (t) => {
  const place = await memoryPlace();
  let doubt: Fault | undefined;
  const ledger = closing(t, await openAt(place, { doubt: () => doubt }));
  await ledger.write(() => [GENESIS_DRAFT]);
  doubt = new Fault('bad_clock', 'clock');
  await assert.rejects(
    ledger.write(() => [note('x')]),
    fault('bad_clock'),
  );
  assert.equal(ledger.blocked, doubt);
  doubt = undefined;
  await ledger.write(() => [note('x')]);
  await requireSound(place.store, 2);
});

test('ledger: held, nothing new is begun, and what is under way is written', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 1));
  const reason = new Fault('no_room', 'disk', { found: '3 MB' });
  ledger.hold(reason);
  assert.equal(ledger.blocked, reason);
  assert.equal(ledger.held, reason);
  assert.equal(ledger.stopped, undefined);
  await ledger.write(() => [note('under way')]);
  ledger.hold(undefined);
  assert.equal(ledger.blocked, undefined);
  await requireSound(place.store, 3);
});

test('ledger: tiles and bundles at every width, around 255, 256 and 257 entries', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 250));
  while (ledger.nextSeq < 262) {
    await ledger.write(() => [note('x')]);
    await requireServed(ledger, await entriesOf(place.store), ledger.nextSeq);
  }
  await ledger.write(() => Array.from({ length: 245 }, () => note('y')));
  const entries = await entriesOf(place.store);
  const levels = naiveLevels(entries.map((bytes) => leafHash(plainSha256, bytes)));
  for (const tile of tilesOf(507)) {
    for (let width = 1; width <= tile.width; width += 1) {
      await requireTile(ledger, { ...tile, width }, levels, entries);
    }
  }
  for (const tile of [
    { level: 0, index: 2, width: 1 },
    { level: 1, index: 0, width: 2 },
    { level: 2, index: 0, width: 1 },
    { level: 'entries', index: 1, width: 252 },
  ] as const) {
    assert.equal(await ledger.tile(tile), undefined, `${tile.level}/${tile.index}`);
  }
});

test('ledger: the same around 65,536 entries, grown and opened again at each size', async (t) => {
  const place = await memoryPlace();
  let ledger = closing(t, await filledLedger(place, 65_530));
  const entries = [...(await entriesOf(place.store))];
  const leaves = entries.map((bytes) => leafHash(plainSha256, bytes));
  for (const size of [65_535, 65_536, 65_537]) {
    const drafts = Array.from({ length: size - ledger.nextSeq }, () => note('x'));
    await ledger.write(() => drafts);
    for (let seq = entries.length; seq < size; seq += 1) {
      const bytes = (await ledger.entry(seq)) as Uint8Array;
      entries.push(bytes);
      leaves.push(leafHash(plainSha256, bytes));
    }
    const levels = naiveLevels(leaves);
    const root = size % 2 === 0 ? Buffer.from(naiveRoot(leaves)) : undefined;
    for (const each of [ledger, await openAt(place)]) {
      if (root !== undefined) assert.deepEqual(Buffer.from(each.published?.root ?? []), root);
      for (const level of ['entries', 0, 1, 2] as const) {
        const length = levelLength(level, size);
        for (const index of new Set([0, Math.ceil(length / 256) - 1])) {
          const widest = Math.min(TILE_WIDTH, length - index * TILE_WIDTH);
          if (index < 0 || widest === 0) continue;
          for (const width of new Set([1, widest - 1, widest])) {
            if (width < 1) continue;
            await requireTile(each, { level, index, width }, levels, entries);
          }
          if (widest < TILE_WIDTH) {
            assert.equal(await each.tile({ level, index, width: widest + 1 }), undefined);
          }
        }
      }
      ledger = each;
    }
  }
});

test('ledger: a tile that fills while it is read is still the tile that was asked for', async (t) => {
  const inner = await openMemoryStore();
  const slow = new Gate();
  const place: BarePlace = {
    store: probeStore({
      ...bound(inner),
      async tile(level, index) {
        const found = await inner.tile(level, index);
        await slow.pass();
        return found;
      },
      async *entries(start, end) {
        await slow.pass();
        yield* inner.entries(start, end);
      },
    }),
    guard: probeGuard(),
  };
  const ledger = closing(t, await filledLedger(place, 199));
  const asked = [
    { level: 0, index: 0, width: 200 },
    { level: 0, index: 0, width: 1 },
    { level: 'entries', index: 0, width: 200 },
  ] as const;
  slow.shut();
  const before = asked.map((tile) => ledger.tile(tile));
  place.store.gate.shut();
  const appended = ledger.write(() => Array.from({ length: 400 }, () => note('x')));
  await turns();
  const during = asked.map((tile) => ledger.tile(tile));
  place.store.gate.open();
  await appended;
  slow.open();
  const entries = await entriesOf(inner);
  const levels = naiveLevels(entries.map((bytes) => leafHash(plainSha256, bytes)));
  for (const found of [await Promise.all(before), await Promise.all(during)]) {
    for (const [i, { level, width }] of asked.entries()) {
      const expected =
        level === 'entries'
          ? formatEntryBundle(entries.slice(0, width))
          : formatHashTile((levels[0] as readonly Hash[]).slice(0, width));
      assert.ok(Buffer.from(expected).equals(found[i] as Uint8Array), `${level} ${width}`);
    }
  }
});

test('ledger: readers at any moment of many commits get the tree of the published size', async (t) => {
  const inner = await openMemoryStore();
  const slow = async (batch: Parameters<typeof inner.commit>[0]): Promise<void> => {
    await turns(2);
    await inner.commit(batch);
    await turns(2);
  };
  const place: BarePlace = {
    store: probeStore({ ...bound(inner), commit: slow }),
    guard: probeGuard(),
  };
  const ledger = closing(t, await filledLedger(place, 0));
  let writing = true;
  const writer = (async () => {
    for (let i = 0; i < 60; i += 1) {
      const drafts = Array.from({ length: 1 + ((i * 7) % 23) }, (_, j) => note(`${i} ${j}`));
      await ledger.write(() => drafts);
    }
    writing = false;
  })();
  const seen: (readonly [Tile, Uint8Array])[] = [];
  const more = (): boolean => writing;
  while (more()) {
    const { size } = ledger.published as Published;
    for (const tile of tilesOf(size)) {
      const found = await ledger.tile(tile);
      assert.ok(found !== undefined, 'what was published does not vanish');
      seen.push([tile, found]);
    }
    await turns(1);
  }
  await writer;
  const entries = await entriesOf(place.store);
  const levels = naiveLevels(entries.map((bytes) => leafHash(plainSha256, bytes)));
  assert.ok(seen.length > 50);
  for (const [{ level, index, width }, found] of seen) {
    const start = index * TILE_WIDTH;
    const expected =
      level === 'entries'
        ? formatEntryBundle(entries.slice(start, start + width))
        : formatHashTile((levels[level] ?? []).slice(start, start + width));
    assert.ok(Buffer.from(expected).equals(found), `${level}/${index} ${width}`);
  }
});

test('ledger: a stored tile that is gone, cut or changed is derived from the entries, and written', async (t) => {
  for (const bad of [undefined, new Uint8Array(32), new Uint8Array(8192)]) {
    const inner = await openMemoryStore();
    let broken = false;
    const place: BarePlace = {
      store: probeStore({
        ...bound(inner),
        tile: (level, index) => (broken ? Promise.resolve(bad) : inner.tile(level, index)),
      }),
      guard: probeGuard(),
    };
    const ledger = closing(t, await filledLedger(place, 299));
    const good = (await inner.tile(0, 0)) as Uint8Array;
    if (bad !== undefined) {
      const tiles = [{ level: 0, index: 0, bytes: bad }];
      await inner.commit({ entries: [], tiles, views: [], head: null });
    }
    broken = true;
    assert.deepEqual(await ledger.tile({ level: 0, index: 0, width: 256 }), good);
    assert.deepEqual(ledger.mended.length, 1);
    assert.ok((await ledger.tile({ level: 0, index: 1, width: 44 })) !== undefined);
    await ledger.write(() => [note('the next commit writes it')]);
    assert.deepEqual(await inner.tile(0, 0), good);
  }
});

test('ledger: an entry that is not the one under the head is served to nobody, and nothing is signed over it', async (t) => {
  for (const seq of [1, 255, 256, 299]) {
    const inner = await openMemoryStore();
    const place: BarePlace = { store: probeStore(inner), guard: probeGuard() };
    const ledger = closing(t, await filledLedger(place, 299));
    const good = (await inner.entry(seq)) as Uint8Array;
    const bytes = Uint8Array.from(good);
    bytes[30] = (bytes[30] as number) ^ 1;
    await inner.commit({ entries: [{ seq, bytes }], tiles: [], views: [], head: null });
    const damaged = {
      name: 'Fault',
      code: 'ledger_corrupt',
      message: new RegExp(`entry ${seq}\\b`),
    };
    await assert.rejects(ledger.entry(seq), damaged);
    const index = Math.floor(seq / 256);
    const width = index === 0 ? 256 : 44;
    await assert.rejects(ledger.tile({ level: 'entries', index, width }), damaged);
    assert.ok((await ledger.entry(seq === 1 ? 2 : 1)) !== undefined);
    assert.equal(ledger.blocked?.code, 'ledger_corrupt');
    const { moves } = place.guard;
    await assert.rejects(
      ledger.write(() => [note('x')]),
      damaged,
    );
    assert.equal(place.guard.moves, moves);
    await assert.rejects(openAt(place), { code: 'ledger_corrupt' });
  }
});

test('ledger: what is proven behind the start halts it where an entry is damaged', async (t) => {
  const inner = await openMemoryStore();
  const place: BarePlace = { store: probeStore(inner), guard: probeGuard() };
  await filledLedger(place, 700);
  const bytes = Uint8Array.from((await inner.entry(77)) as Uint8Array);
  bytes[30] = (bytes[30] as number) ^ 1;
  await inner.commit({ entries: [{ seq: 77, bytes }], tiles: [], views: [], head: null });
  const ledger = closing(t, await openAt(place, { prove: 'behind' }));
  assert.equal(ledger.published?.size, 701);
  await assert.rejects(ledger.proven(), { code: 'ledger_corrupt', message: /entry 77\b/ });
  assert.equal(ledger.blocked?.code, 'ledger_corrupt');
  await assert.rejects(
    ledger.write(() => [note('x')]),
    { code: 'ledger_corrupt' },
  );
  assert.ok((await ledger.tile({ level: 'entries', index: 1, width: 256 })) !== undefined);
});

test('ledger: a bundle that the store cannot fill is an error, not a shorter one', async (t) => {
  const inner = await openMemoryStore();
  let broken = false;
  const place: BarePlace = {
    store: probeStore({
      ...bound(inner),
      entries: (start, end) => inner.entries(start, broken ? end - 1 : end),
    }),
    guard: probeGuard(),
  };
  const ledger = closing(t, await filledLedger(place, 9));
  broken = true;
  const bundle = ledger.tile({ level: 'entries', index: 0, width: 10 });
  await assert.rejects(bundle, fault('ledger_corrupt'));
});

test('ledger: opened again, it has the same rows, goes on the chain, and keeps the log’s id', async (t) => {
  const place = await memoryPlace();
  const first = await filledLedger(place, 3);
  await first.write(() => [RULE]);
  const again = closing(t, await openAt(place));
  assert.equal(again.log, first.log);
  assert.equal(again.nextSeq, 5);
  assert.deepEqual(again.published, first.published);
  for (const name of ['log', 'tickers', 'rules/LAYOFFS']) {
    const rows = JSON.stringify([...first.shown.list(name)]);
    assert.equal(
      JSON.stringify([...again.shown.list(name)]),
      rows,
      'to the order of their members',
    );
    assert.equal(JSON.stringify([...again.tip.list(name)]), rows);
  }
  await again.write(() => [note('x')]);
  await requireSound(place.store, 6);
  assert.equal(place.guard.moves, 4, 'nothing is signed again without need');
});

test('ledger: close waits for what is under way, then refuses', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 1);
  place.guard.gate.shut();
  const appended = watch(ledger.write(() => [note('x')]));
  await turns();
  const waiting = watch(ledger.write(() => [note('y')]));
  const closed = watch(ledger.close());
  await turns();
  assert.deepEqual(
    [appended.state, waiting.state, closed.state],
    ['pending', 'pending', 'pending'],
  );
  await assert.rejects(
    ledger.write(() => [note('z')]),
    fault('read_only'),
  );
  place.guard.gate.open();
  await turns(50);
  assert.deepEqual([appended.state, waiting.state, closed.state], ['kept', 'kept', 'kept']);
  await ledger.close();
  await assert.rejects(place.store.head());
  assert.equal(CHECKPOINTS.open((await place.signed.read()) as Uint8Array).size, 4);
});

test('ledger: any mix of appends, failures and restarts keeps what was acknowledged', async () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('append' as const), count: fc.nat(40) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('fail' as const),
        at: fc.constantFrom(...STEPS),
        how: fc.constantFrom(...FAILURES),
        resumes: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const place = await memoryPlace();
      let ledger = await filledLedger(place, 0);
      const acknowledged = new Map<number, string>();
      for (const each of steps) {
        if (each.do === 'append') {
          const drafts = Array.from({ length: each.count }, (_, i) => note(`${i}`));
          for (const { seq, leaf } of await ledger.write(() => drafts)) {
            acknowledged.set(seq, leaf);
          }
          continue;
        }
        if (each.do === 'fail') {
          const part = each.at === 'commit' ? place.store : place.guard;
          part.fail = each.how;
          const failing = ledger.write(() => [note('a'), note('b')]);
          await assert.rejects(failing, fault('stopped'));
          part.fail = undefined;
        }
        if (each.do === 'fail' && each.resumes) await ledger.resume();
        else ledger = await openAt(place);
      }
      assert.ok(ledger.nextSeq > Math.max(-1, ...acknowledged.keys()));
      for (const [seq, leaf] of acknowledged) {
        const bytes = (await ledger.entry(seq)) as Uint8Array;
        assert.equal(hashHex(leafHash(plainSha256, bytes)), leaf);
      }
      await requireSound(place.store, ledger.nextSeq);
    }),
    { numRuns: 60 },
  );
});

test('ledger: NOON is what the tests say it is', () => {
  assert.equal(new Date(NOON * 1000).toISOString(), '2026-07-30T12:30:00.000Z');
});

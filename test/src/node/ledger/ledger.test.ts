import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { entryPrev, parseEntry, scanEntry } from '@assay/core/log/entry';
import { Fault, faultCode } from '@assay/core/fault';
import { type Hash, hashHex, leafHash, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import {
  formatEntryBundle,
  formatHashTile,
  levelLength,
  type Tile,
  TILE_WIDTH,
  tilesOf,
} from '@assay/core/log/tile';
import { parseTime } from '@assay/core/time/time';
import { logRow } from '@assay/core/view/log';
import { ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { EntryDraft, Ledger, Receipt } from '@assay/node/ledger/ledger';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { MemoryHeadGuard } from '@assay/node/ledger/memory-head-guard';
import type { Published } from '@assay/node/ledger/publishing';
import { layoffsRule } from '../../core/fixture/fixture.ts';
import {
  bound,
  CHECKPOINTS,
  cutTo,
  entriesOf,
  type Failure,
  filledLedger,
  Gate,
  GENESIS_DRAFT,
  genesisBody,
  memoryPlace,
  naiveLevels,
  naiveRoot,
  NOON,
  note,
  openAt,
  type Place,
  plainSha256,
  probeGuard,
  probeStore,
  requireSound,
  turns,
} from './ledger-fixture.ts';

const RULE: EntryDraft = { kind: 'rule/1', body: { rule: layoffsRule() } };
const fault = (code: string): { name: string; code: string } => ({ name: 'Fault', code });

/** Closes a ledger at the end of its test: what waits there must not outlive it. */
function closing(t: TestContext, ledger: Ledger): Ledger {
  t.after(() => ledger.close().catch(() => undefined));
  return ledger;
}

/** What becomes of a promise, without waiting for it. */
function watch<T>(promise: Promise<T>): { state: 'pending' | 'kept' | 'broken'; code?: unknown } {
  const watched: { state: 'pending' | 'kept' | 'broken'; code?: unknown } = { state: 'pending' };
  promise.then(
    () => {
      watched.state = 'kept';
    },
    (error: unknown) => {
      watched.state = 'broken';
      watched.code = faultCode(error);
    },
  );
  return watched;
}

/** Demands that a ledger serves exactly the tree of the first `size` leaves and nothing beyond. */
async function requireServed(
  ledger: Ledger,
  entries: readonly Uint8Array[],
  size: number,
): Promise<void> {
  const leaves = entries.slice(0, size).map((bytes) => leafHash(plainSha256, bytes));
  const levels = naiveLevels(leaves);
  assert.equal(ledger.published?.size, size);
  assert.deepEqual(Buffer.from(ledger.published.root), Buffer.from(naiveRoot(leaves)));
  const opened = CHECKPOINTS.open(ledger.published.note);
  assert.equal(opened.size, size);
  assert.deepEqual(Buffer.from(opened.root), Buffer.from(naiveRoot(leaves)));
  for (const { level, index, width } of tilesOf(size)) {
    for (const part of new Set([1, Math.ceil(width / 2), width - 1, width])) {
      if (part === 0) continue;
      await requireTile(ledger, { level, index, width: part }, levels, entries);
    }
    const wider = { level, index, width: width + 1 };
    if (width < TILE_WIDTH) assert.equal(await ledger.tile(wider), undefined);
  }
  assert.equal(await ledger.entry(size), undefined);
}

async function requireTile(
  ledger: Ledger,
  { level, index, width }: Tile,
  levels: readonly (readonly Hash[])[],
  entries: readonly Uint8Array[],
): Promise<void> {
  const start = index * TILE_WIDTH;
  const expected =
    level === 'entries'
      ? formatEntryBundle(entries.slice(start, start + width))
      : formatHashTile((levels[level] ?? []).slice(start, start + width));
  const found = await ledger.tile({ level, index, width });
  assert.ok(found !== undefined, `tile ${level}/${index} of width ${width}`);
  assert.ok(Buffer.from(expected).equals(found), `tile ${level}/${index} of width ${width}`);
}

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

test('ledger: entries say the time that their drafts are made of', async () => {
  let now = parseTime('2026-07-01T00:00:00Z');
  const ledger = await openAt(await memoryPlace(), { now: () => now });
  await ledger.write(() => [GENESIS_DRAFT]);
  now += 5;
  await ledger.write(function* ({ at }) {
    now += 5;
    yield note(at);
    yield note(at);
  });
  for (const seq of [1, 2]) {
    const { at, body } = parseEntry((await ledger.entry(seq)) as Uint8Array);
    assert.deepEqual([at, body], ['2026-07-01T00:00:05Z', { text: at }]);
  }
  now -= 8;
  await ledger.write(({ at }) => [note(at)]);
  assert.equal(parseEntry((await ledger.entry(3)) as Uint8Array).at, '2026-07-01T00:00:05Z');
  assert.equal(ledger.nextSeq, 4);
});

test('ledger: what is appended in one turn is one commit and one swap', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  place.store.commits.length = 0;
  place.guard.swaps = 0;
  const appended: Promise<readonly Receipt[]>[] = [];
  for (let i = 0; i < 1000; i += 1) appended.push(ledger.write(() => [note(`${i}`)]));
  const receipts = (await Promise.all(appended)).flat();
  assert.deepEqual(
    receipts.map(({ seq }) => seq),
    Array.from({ length: 1000 }, (_, i) => i + 1),
  );
  assert.deepEqual(place.store.commits, [1000]);
  assert.equal(place.guard.swaps, 1);
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

const notes = (count: number): readonly EntryDraft[] =>
  Array.from({ length: count }, (_, i) => note(`${i}`));

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

test('ledger: drafts are made of all that was written before, and of those before them', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 2));
  const versions = (views: ViewState): number => ruleVersions(views, layoffsRule().ticker).length;
  const seen: number[] = [];
  const first = ledger.write(function* (tip) {
    seen.push(tip.seq, versions(tip.views));
    yield RULE;
    seen.push(tip.seq, versions(tip.views));
  });
  const second = ledger.write((tip) => {
    seen.push(tip.seq, versions(tip.views));
    return [note('second')];
  });
  assert.deepEqual(seen, [3, 0, 3, 1, 4, 1], 'at once, and in the order of the calls');
  assert.deepEqual([(await first)[0]?.seq, (await second)[0]?.seq], [3, 4]);
  assert.deepEqual(await ledger.write(() => []), []);
  assert.equal(ledger.nextSeq, 5);
  await requireSound(place.store, 5);
});

test('ledger: drafts that end in a throw leave no trace', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 2));
  const rows = (): unknown =>
    ['log', 'rules', 'rules/LAYOFFS'].map((table) => [...ledger.tip.list(table)]);
  const before = [rows(), ledger.nextSeq];
  const reason = new TypeError('no more drafts');
  for (const wrong of [
    function* () {
      yield RULE;
      throw reason;
    },
    () => {
      throw reason;
    },
  ]) {
    await assert.rejects(ledger.write(wrong), reason);
    assert.deepEqual([rows(), ledger.nextSeq], before);
  }
  let within: Promise<unknown> | undefined;
  await ledger.write(() => {
    within = assert.rejects(
      ledger.write(() => [note('within')]),
      TypeError,
    );
    return [note('around'), RULE];
  });
  await within;
  assert.equal(ledger.nextSeq, 5);
  await requireSound(place.store, 5);
});

test('ledger: nobody is told or shown anything before the guard holds the head', async (t) => {
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
        told.push(`${size}: ${[...tables].sort().join(' ')}`);
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

const STEPS = ['commit', 'swap'] as const;
const FAILURES: readonly Failure[] = ['failed', 'failed, but on disk'];

for (const step of STEPS) {
  for (const failure of FAILURES) {
    test(`ledger: ${step} ${failure}: nothing is told, it stops, and a restart settles it`, async () => {
      const place = await memoryPlace();
      const published: number[] = [];
      const ledger = await openAt(place, { onPublish: ({ size }) => published.push(size) });
      await ledger.write(() => [GENESIS_DRAFT]);
      await ledger.write(() => Array.from({ length: 249 }, (_, i) => note(`note ${i}`)));
      const before = await entriesOf(place.store);
      const part = step === 'commit' ? place.store : place.guard;
      part.fail = failure;
      part.gate.shut();
      const failing = ledger.write(() =>
        Array.from({ length: 10 }, (_, i) => note(`failing ${i}`)),
      );
      await turns();
      const waiting = ledger.write(() => [RULE]);
      part.gate.open();
      const settled = await Promise.allSettled([failing, waiting]);
      for (const each of settled) {
        assert.equal(each.status, 'rejected');
        assert.equal(faultCode(each.reason), 'stopped');
        assert.match((each.reason as Error).message, /EIO/);
      }
      assert.equal(ledger.blocked?.code, 'stopped');
      await assert.rejects(
        ledger.write(() => [note('x')]),
        fault('stopped'),
      );
      await ledger.idle();
      assert.deepEqual(published, [1, 250]);
      assert.deepEqual(tickers(ledger.shown), []);
      await requireServed(ledger, before, 250);

      part.fail = undefined;
      const again = await openAt(place);
      const size = step === 'commit' && failure === 'failed' ? 250 : 260;
      assert.equal(again.nextSeq, size);
      await requireSound(place.store, size);
      await requireServed(again, await entriesOf(place.store), size);
      assert.equal(CHECKPOINTS.open((await place.guard.read()) as Uint8Array).size, size);
      await again.write(() => [RULE]);
      await requireSound(place.store, size + 1);
      assert.deepEqual(tickers(again.shown), ['LAYOFFS']);
    });
  }
}

const FULL = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

for (const step of STEPS) {
  for (const failure of FAILURES) {
    test(`ledger: ${step} ${failure} on a full disk: it goes on in this process, once it has compared`, async (t) => {
      const place = await memoryPlace();
      const published: number[] = [];
      const ledger = closing(
        t,
        await openAt(place, { onPublish: ({ size }) => published.push(size) }),
      );
      await ledger.write(() => [GENESIS_DRAFT]);
      await ledger.write(() => notes(249));
      const { tip } = ledger;
      const before = await entriesOf(place.store);
      const part = step === 'commit' ? place.store : place.guard;
      part.fail = failure;
      part.failure = FULL;
      part.gate.shut();
      const failing = ledger.write(() => [...notes(9), RULE]);
      await turns();
      const waiting = ledger.write(() => notes(2));
      part.gate.open();
      for (const each of await Promise.allSettled([failing, waiting])) {
        assert.equal(faultCode((each as PromiseRejectedResult).reason), 'no_room');
      }
      assert.equal(ledger.blocked?.code, 'no_room');
      await requireServed(ledger, before, 250);

      if (failure === 'failed') {
        await assert.rejects(ledger.resume(), fault('no_room'));
        assert.equal(ledger.blocked?.code, 'no_room', 'the disk is as full as before');
        await requireServed(ledger, before, 250);
      }
      part.fail = undefined;
      await Promise.all([ledger.resume(), ledger.resume()]);
      assert.equal(ledger.blocked, undefined);
      const kept = !(step === 'commit' && failure === 'failed');
      const size = kept ? 260 : 250;
      assert.equal(ledger.nextSeq, size);
      assert.equal(ledger.tip, tip, 'whoever holds the rows has those of now');
      assert.deepEqual(tickers(tip), kept ? ['LAYOFFS'] : []);
      assert.deepEqual(tickers(ledger.shown), kept ? ['LAYOFFS'] : []);
      await requireSound(place.store, size);
      await requireServed(ledger, await entriesOf(place.store), size);
      assert.equal(CHECKPOINTS.open((await place.guard.read()) as Uint8Array).size, size);
      assert.deepEqual(published, kept ? [1, 250, 260] : [1, 250]);
      await ledger.write(() => [note('after')]);
      await requireSound(place.store, size + 1);
      await requireServed(ledger, await entriesOf(place.store), size + 1);
      await ledger.resume();
      assert.equal(ledger.nextSeq, size + 1, 'nothing is done where nothing has failed');
    });
  }
}

test('ledger: resume makes the checks of a start, and stays stopped for good where they fail', async (t) => {
  const lost = await memoryPlace();
  const ledger = closing(t, await filledLedger(lost, 5));
  lost.store.fail = 'failed';
  lost.store.failure = FULL;
  await assert.rejects(
    ledger.write(() => notes(1)),
    fault('no_room'),
  );
  lost.store.fail = undefined;
  // What was acknowledged is gone from the disk: the guard knows of it.
  await cutTo(lost.store, 4);
  await assert.rejects(ledger.resume(), fault('ledger_behind'));
  assert.equal(ledger.blocked?.code, 'ledger_behind');
  await ledger.resume();
  assert.equal(ledger.blocked?.code, 'ledger_behind');
  assert.equal(ledger.published?.size, 6);

  const other = await memoryPlace();
  const second = closing(t, await filledLedger(other, 5));
  other.guard.fail = 'failed';
  other.guard.failure = FULL;
  await assert.rejects(
    second.write(() => notes(1)),
    fault('no_room'),
  );
  other.guard.fail = undefined;
  const held = await other.guard.read();
  await other.guard.swap(held, CHECKPOINTS.sign(6, naiveRoot([])));
  await assert.rejects(second.resume(), fault('ledger_differs'));
  await assert.rejects(
    second.write(() => notes(1)),
    fault('ledger_differs'),
  );
});

test('ledger: what only this process knows of a head counts when it resumes', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 5));
  place.store.fail = 'failed';
  place.store.failure = FULL;
  await assert.rejects(
    ledger.write(() => notes(1)),
    fault('no_room'),
  );
  place.store.fail = undefined;
  const root = await cutTo(place.store, 4);
  const held = (await place.guard.read()) as Uint8Array;
  // Store and guard agree, as after a roll-back of both.
  await place.guard.swap(held, CHECKPOINTS.sign(4, root));
  await assert.rejects(ledger.resume(), fault('ledger_behind'));
  assert.match(ledger.blocked?.message ?? '', /as this process has seen/);
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

test('ledger: a signer that fails stops it before the guard is touched', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 1);
  const held = await place.guard.read();
  let broken = true;
  const signer = {
    ...CHECKPOINTS,
    sign(size: number, root: Published['root']) {
      if (broken) throw new Error('the key is gone');
      return CHECKPOINTS.sign(size, root);
    },
  };
  await ledger.idle();
  const next = await openAt(place, { signer });
  await assert.rejects(
    next.write(() => [note('x')]),
    fault('stopped'),
  );
  assert.deepEqual(await place.guard.read(), held);
  broken = false;
  const again = await openAt(place, { signer });
  assert.equal(again.published?.size, 3);
});

test('ledger: a failed first commit leaves an empty log, or a genesis that is completed', async () => {
  for (const [step, failure, size] of [
    ['commit', 'failed', 0],
    ['commit', 'failed, but on disk', 1],
    ['swap', 'failed', 1],
    ['swap', 'failed, but on disk', 1],
  ] as const) {
    const place = await memoryPlace();
    const ledger = await openAt(place);
    const part = step === 'commit' ? place.store : place.guard;
    part.fail = failure;
    await assert.rejects(
      ledger.write(() => [GENESIS_DRAFT]),
      fault('stopped'),
    );
    assert.equal(ledger.published, undefined);
    assert.equal(logRow(ledger.shown), undefined);
    part.fail = undefined;
    const again = await openAt(place);
    assert.equal(again.nextSeq, size, `${step} ${failure}`);
    assert.equal(again.published?.size, size === 0 ? undefined : size);
    if (size === 0) await again.write(() => [GENESIS_DRAFT]);
    await again.write(() => [note('x')]);
    await requireSound(place.store, 2);
  }
});

test('ledger: a guard that somebody else has moved stops it', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 1);
  const held = (await place.guard.read()) as Uint8Array;
  const other = CHECKPOINTS.sign(2, naiveRoot([]));
  await place.guard.swap(held, other);
  await assert.rejects(
    ledger.write(() => [note('x')]),
    fault('stopped'),
  );
  assert.equal(ledger.published?.size, 2);
  assert.deepEqual(await place.guard.read(), other, 'what it holds is not overwritten');
});

test('ledger: of two on one store and guard, one is stopped by its first swap', async () => {
  const place = await memoryPlace();
  const first = await filledLedger(place, 1);
  const second = await openAt(place);
  await first.write(() => [note('first')]);
  await assert.rejects(
    second.write(() => [note('second')]),
    fault('stopped'),
  );
  assert.equal(second.published?.size, 2);
});

const BAD_DRAFTS: readonly (readonly [string, EntryDraft, string])[] = [
  ['an unknown kind', { kind: 'question/1' as never, body: { text: 'x' } }, 'malformed'],
  ['a second genesis', GENESIS_DRAFT, 'malformed'],
  ['a body of another kind', { kind: 'rule/1', body: { text: 'x' } as never }, 'malformed'],
  ['a member too many', { kind: 'note/1', body: { text: 'x', more: 1 } as never }, 'malformed'],
  ['an empty text', note(''), 'malformed'],
  ['a body over the limit', note('€'.repeat(32_768)), 'too_large'],
  ['half a character', note('\ud800'), 'not_representable'],
];

for (const [name, bad, code] of BAD_DRAFTS) {
  test(`ledger: ${name} is refused with its neighbours, and leaves no trace`, async (t) => {
    const place = await memoryPlace();
    const ledger = closing(t, await filledLedger(place, 1));
    const before = await entriesOf(place.store);
    const commits = [...place.store.commits];
    await assert.rejects(
      ledger.write(() => [RULE, note('good'), bad, note('later')]),
      fault(code),
    );
    await ledger.idle();
    assert.equal(ledger.nextSeq, 2);
    assert.equal(ledger.blocked, undefined);
    assert.deepEqual(tickers(ledger.tip), []);
    assert.deepEqual(place.store.commits, commits);
    await requireServed(ledger, before, 2);
    await ledger.write(() => [RULE]);
    await requireSound(place.store, 3);
  });
}

test('ledger: genesis comes first and nothing else does', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await openAt(place));
  await assert.rejects(
    ledger.write(() => [note('x')]),
    fault('malformed'),
  );
  await assert.rejects(
    ledger.write(() => [note('x'), GENESIS_DRAFT]),
    fault('malformed'),
  );
  await assert.rejects(
    ledger.write(() => [GENESIS_DRAFT, GENESIS_DRAFT]),
    fault('malformed'),
  );
  const wrong = genesisBody({ network: 'production' });
  await assert.rejects(
    ledger.write(() => [{ kind: 'genesis/1', body: wrong }]),
    fault('malformed'),
  );
  assert.equal(ledger.nextSeq, 0);
  assert.equal(ledger.log, undefined);
  assert.deepEqual(place.store.commits, []);
  await ledger.write(() => [GENESIS_DRAFT, note('x')]);
  await requireSound(place.store, 2);
});

test('ledger: a body that its caller changes later is not the log’s', async (t) => {
  const place = await memoryPlace();
  const ledger = closing(t, await filledLedger(place, 0));
  const body = { rule: structuredClone(layoffsRule()) };
  const appended = ledger.write(() => [{ kind: 'rule/1', body }]);
  Reflect.set(body.rule, 'title', 'changed');
  await appended;
  Reflect.set(body.rule, 'title', 'changed again');
  await requireSound(place.store, 2);
  const again = await openAt(place);
  assert.deepEqual([...again.shown.list('rules/LAYOFFS')], [...ledger.shown.list('rules/LAYOFFS')]);
});

test('ledger: at never goes back, whatever the clock does', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 4_000_000_000 }), { minLength: 1, maxLength: 20 }),
      fc.nat(19),
      async (times, restart) => {
        const place = await memoryPlace();
        let now = times[0] as number;
        const clock = { now: () => now };
        let ledger = await openAt(place, clock);
        await ledger.write(() => [GENESIS_DRAFT]);
        for (const [i, time] of times.entries()) {
          now = time;
          if (i === restart) ledger = await openAt(place, clock);
          await ledger.write(() => [note('a'), note('b')]);
        }
        let highest = 0;
        for (const [i, bytes] of (await entriesOf(place.store)).entries()) {
          const at = parseTime(parseEntry(bytes).at);
          highest = Math.max(highest, times[Math.max(0, Math.floor((i - 1) / 2))] as number);
          assert.equal(at, highest, `entry ${i}`);
        }
      },
    ),
    { numRuns: 40 },
  );
  const place = await memoryPlace();
  const ledger = closing(t, await openAt(place, { now: () => Number.NaN }));
  await assert.rejects(ledger.write(() => [GENESIS_DRAFT]));
  assert.equal(ledger.nextSeq, 0);
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
  const place: Place = {
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
    guard: probeGuard(new MemoryHeadGuard()),
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
  const place: Place = {
    store: probeStore({ ...bound(inner), commit: slow }),
    guard: probeGuard(new MemoryHeadGuard()),
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
    const place: Place = {
      store: probeStore({
        ...bound(inner),
        tile: (level, index) => (broken ? Promise.resolve(bad) : inner.tile(level, index)),
      }),
      guard: probeGuard(new MemoryHeadGuard()),
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
    const place: Place = { store: probeStore(inner), guard: probeGuard(new MemoryHeadGuard()) };
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
    const { swaps } = place.guard;
    await assert.rejects(
      ledger.write(() => [note('x')]),
      damaged,
    );
    assert.equal(place.guard.swaps, swaps);
    await assert.rejects(openAt(place), { code: 'ledger_corrupt' });
  }
});

test('ledger: what is proven behind the start halts it where an entry is damaged', async (t) => {
  const inner = await openMemoryStore();
  const place: Place = { store: probeStore(inner), guard: probeGuard(new MemoryHeadGuard()) };
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
  const place: Place = {
    store: probeStore({
      ...bound(inner),
      entries: (start, end) => inner.entries(start, broken ? end - 1 : end),
    }),
    guard: probeGuard(new MemoryHeadGuard()),
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
  assert.equal(place.guard.swaps, 4, 'nothing is signed again without need');
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
  assert.equal(CHECKPOINTS.open((await place.guard.read()) as Uint8Array).size, 4);
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

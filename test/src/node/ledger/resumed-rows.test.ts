import assert from 'node:assert/strict';
import { promises } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Level } from 'level';
import { parseTicker } from '@assay/core/rule/ticker';
import { formatDate, parseDate } from '@assay/core/time/time';
import { newestRule, ruleVersions, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { LastSigned } from '@assay/node/ledger/guard/last-signed';
import { MemoryNoteSlot } from '@assay/node/ledger/guard/memory-note-slot';
import type { Ledger } from '@assay/node/ledger/ledger';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { layoffsRule } from '../../core/fixture/fixture.ts';
import {
  filledLedger,
  openAt,
  type Place,
  probeGuard,
  probeStore,
  requireSound,
  turns,
} from './ledger-fixture.ts';

/** How many indexes the log has, each with one rule. */
const INDEXES = 150;
const NAMES = Array.from({ length: INDEXES }, (_, i) => parseTicker(`INDEX${i}`, 'ticker'));

/** Every write of every database fails until it is called. */
function failingDisk(t: TestContext): () => void {
  const batch = Reflect.get(Level.prototype, 'batch') as () => ReturnType<Level['batch']>;
  const mock = t.mock.method(Level.prototype, 'batch', function failing(this: Level) {
    const writing = Reflect.apply(batch, this, []);
    writing.write = () =>
      Promise.reject(
        Object.assign(new Error('IO error: fsync: Input/output error'), { code: 'LEVEL_IO_ERROR' }),
      );
    return writing;
  } as never);
  return () => mock.mock.restore();
}

/** Reads rows one by one in every turn of the event loop until it is stopped. What it throws is thrown there. */
function readingEveryTurn(read: (turn: number) => void): () => Promise<number> {
  let isStopped = false;
  const reading = (async () => {
    for (let turn = 0; ; turn += 1) {
      if (isStopped) return turn;
      read(turn);
      await turns(1);
    }
  })();
  reading.catch(() => undefined);
  return () => {
    isStopped = true;
    return reading;
  };
}

/** The rules that readers are shown of one index: each turn another one, whose rows nobody has read before. */
function ruleAt(views: ViewState, turn: number): number {
  return ruleVersions(views, NAMES[turn % INDEXES] as (typeof NAMES)[number]).length;
}

/** A log on a disk, opened anew, so that none of its rows is held; and where it lies. */
async function coldLedger(
  t: TestContext,
): Promise<{ readonly ledger: Ledger; readonly place: Place; readonly root: string }> {
  const root = await mkdtemp(join(tmpdir(), 'assay-resume-'));
  const folder = join(root, 'ledger');
  t.after(() => rm(root, { recursive: true, force: true }));
  const place: Place = {
    store: probeStore(await openLevelStore(folder, { sync: false })),
    guard: probeGuard(),
    signed: new LastSigned(new MemoryNoteSlot()),
  };
  const first = await filledLedger(place, 0);
  const rule = layoffsRule();
  await first.write(() =>
    NAMES.map((ticker, i) => ({
      kind: 'rule/1',
      body: { rule: { ...rule, ticker, display: ticker, slug: `index${i}` } },
    })),
  );
  await first.close();
  const again = { ...place, store: probeStore(await openLevelStore(folder, { sync: false })) };
  return { ledger: await openAt(again), place: again, root };
}

/** A new version of the first rule. */
function changed(ledger: Ledger): Promise<unknown> {
  const last = newestRule(ledger.tip, NAMES[0] as (typeof NAMES)[number])?.rule;
  assert.ok(last !== undefined);
  const first = parseDate(last.applies_from) + 28;
  const rule = { ...last, version: last.version + 1, applies_from: formatDate(first) };
  return ledger.write(() => [{ kind: 'rule/1', body: { rule } }]);
}

test('resumed rows: while the database is opened again after a write that failed, every row can be read', async (t) => {
  const { ledger, place, root } = await coldLedger(t);
  const mend = failingDisk(t);
  await assert.rejects(changed(ledger), { code: 'stopped' });
  mend();
  let names: readonly string[] = [];
  const shown = readingEveryTurn((turn) => {
    assert.ok(ruleAt(ledger.shown, turn) > 0);
    const ticker = NAMES[(turn * 7) % INDEXES] as string;
    assert.ok(place.store.view('tickers', ticker) !== undefined, 'it is read from the disk');
  });
  const looking = (async () => {
    while (ledger.stopped !== undefined) {
      names = [...names, ...(await readdir(root))];
      await turns(1);
    }
  })();
  await ledger.resume();
  await looking;
  await turns(50);
  assert.ok((await shown()) > 50);
  assert.ok(
    names.some((name) => name.endsWith('.view')),
    'it was read from a view meanwhile',
  );
  assert.deepEqual(
    (await readdir(root)).filter((name) => name.endsWith('.view')),
    [],
  );
  await changed(ledger);
  assert.equal(
    ruleAt(ledger.shown, 0),
    3,
    'what the guard had of the failed write, and the one after it',
  );
  assert.equal(tickers(ledger.shown).length, INDEXES);
  await requireSound(place.store, ledger.nextSeq);
  await ledger.close();
});

test('resumed rows: where the disk has no room for a view, the database stays open, and a later call goes on', async (t) => {
  const { ledger, place, root } = await coldLedger(t);
  const mend = failingDisk(t);
  await assert.rejects(changed(ledger), { code: 'stopped' });
  mend();
  const full = t.mock.method(promises, 'copyFile', () =>
    Promise.reject(Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })),
  );
  syncBuiltinESMExports();
  const shown = readingEveryTurn((turn) => assert.ok(ruleAt(ledger.shown, turn) > 0));
  await assert.rejects(ledger.resume(), { code: 'no_room' });
  assert.equal(ledger.stopped?.code, 'no_room');
  await assert.rejects(place.store.commit({ entries: [], tiles: [], views: [], head: null }), {
    code: 'no_room',
  });
  full.mock.restore();
  syncBuiltinESMExports();
  assert.deepEqual((await readdir(root)).sort(), ['ledger']);
  await ledger.resume();
  await shown();
  await changed(ledger);
  await requireSound(place.store, ledger.nextSeq);
  await ledger.close();
});

test('resumed rows: a guard that has failed is no reason to open the database again', async (t) => {
  const { ledger, place } = await coldLedger(t);
  place.guard.fail = 'failed';
  await assert.rejects(changed(ledger), { code: 'stopped' });
  place.guard.fail = undefined;
  const shut = t.mock.method(Level.prototype, 'close');
  const shown = readingEveryTurn((turn) => void ruleAt(ledger.shown, turn));
  await ledger.resume();
  await shown();
  assert.equal(shut.mock.callCount(), 0);
  assert.equal(ruleAt(ledger.shown, 0), 2, 'what the database had of it counts');
  await ledger.close();
});

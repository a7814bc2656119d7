import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault, faultCode } from '@assay/core/fault';
import { concatBytes } from '@assay/core/bytes/bytes';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { formatHead, parseHead } from '@assay/core/view/head';
import { formatWire } from '@assay/core/wire/wire';
import { layoffsRule } from '../../core/fixture/fixture.ts';
import { rootOf } from '@assay/core/log/tree';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { openLevelStore, openMemoryStore } from '@assay/node/ledger/store/level-store';
import { compareAtStart, type KnownHead } from '@assay/node/ledger/start';
import { sumOf } from '@assay/node/ledger/store/sealed-row';
import type { LedgerStore, SealedRow, StoreBatch } from '@assay/node/ledger/store/store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  bound,
  CHECKPOINTS,
  contents,
  entriesOf,
  filledLedger,
  GENESIS_DRAFT,
  memoryPlace,
  note,
  openAt,
  ORIGIN,
  type BarePlace,
  plainSha256,
  probeGuard,
  probeStore,
  requireSound,
  sealed,
  temporaryFolder,
  testSigner,
  setHead,
  guardedSize,
} from './ledger-fixture.ts';

const fault = (code: string): { name: string; code: string } => ({ name: 'Fault', code });

/** A store with the same rows: what a back-up would be. */
async function copyOf(store: LedgerStore): Promise<LedgerStore> {
  const copy = await openMemoryStore();
  const batch: { -readonly [K in keyof StoreBatch]: StoreBatch[K] } = {
    entries: [],
    tiles: [],
    views: [],
    head: new Uint8Array(0),
  };
  for await (const row of store.rows()) {
    if (row.part === 'entry') batch.entries = [...batch.entries, row];
    if (row.part === 'tile') batch.tiles = [...batch.tiles, row];
    if (row.part === 'view') batch.views = [...batch.views, row];
    if (row.part === 'head') batch.head = row.bytes;
  }
  await copy.commit(batch);
  return copy;
}

/** A place over another store with this place's guard. */
function over(store: LedgerStore, { guard }: BarePlace): BarePlace {
  return { store: probeStore(store), guard };
}

/** A log that forks from another after `shared` entries. */
async function forkOf(notes: number, shared: number): Promise<BarePlace> {
  const place = await memoryPlace();
  const ledger = await openAt(place);
  await ledger.write(() => [GENESIS_DRAFT]);
  const drafts = Array.from({ length: notes }, (_, i) =>
    note(i + 1 < shared ? `note ${i + 1}` : `fork ${i + 1}`),
  );
  await ledger.write(() => drafts);
  return place;
}

async function refused(place: BarePlace, code: string, words: RegExp): Promise<void> {
  const before = await contents(place.store);
  const held = guardedSize(place.guard);
  const { moves } = place.guard;
  await assert.rejects(openAt(place), (error: unknown) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, words);
    return true;
  });
  assert.deepEqual(await contents(place.store), before, 'nothing is written');
  assert.equal(guardedSize(place.guard), held);
  assert.equal(place.guard.moves, moves);
}

function knownHead(entries: readonly Uint8Array[], size: number, holder = 'mirror'): KnownHead {
  const leaves = entries.slice(0, size).map((bytes) => leafHash(plainSha256, bytes));
  return { holder, checkpoint: { size, root: rootOf(plainSha256, leaves) } };
}

const noNetwork = (): Promise<never> => Promise.reject(new Error('no network'));

test('start: an empty database and an empty guard are a new log', async () => {
  const place = await memoryPlace();
  const found = await compareAtStart(nodeSha256, place.store, undefined, [], undefined);
  assert.deepEqual([found.tree.size, found.guard], [0, undefined]);
});

test('start: database and guard that agree go on', async () => {
  for (const notes of [0, 1, 254, 255, 256, 600]) {
    const place = await memoryPlace();
    await filledLedger(place, notes);
    const { row, pending } = place.guard.shared;
    const guarded = { head: row?.head, pending, untaken: undefined };
    const found = await compareAtStart(nodeSha256, place.store, guarded, [], undefined);
    assert.equal(found.tree.size, notes + 1);
    assert.deepEqual(found.guard, { size: notes + 1, root: found.tree.root() });
  }
});

test('start: a database behind the guard is refused, down to none at all', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 300);
  const backup = await copyOf(place.store);
  await ledger.write(() => [note('one more')]);
  await refused(over(backup, place), 'ledger_behind', /302 entries, as head guard.*found 301/);
  await refused(over(await openMemoryStore(), place), 'ledger_behind', /302 .*found 0/);
});

test('start: a database with another history than the guard is refused, also a larger one', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 300);
  for (const notes of [300, 301, 700]) {
    for (const shared of [1, 2, 256, 300]) {
      const fork = await forkOf(notes, shared);
      await refused(over(fork.store, place), 'ledger_differs', /size 301.*head guard/);
    }
  }
});

test('start: a guard of another log or key is refused', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 3);
  const other = checkpointSigner(nodeSha256, ORIGIN, testSigner(9));
  await assert.rejects(openAt(place, { signer: other }), fault('bad_note'));
  const renamed = checkpointSigner(nodeSha256, 'development/other', testSigner(2));
  await assert.rejects(openAt(place, { signer: renamed }), fault('bad_note'));
});

test('start: a database ahead of the guard is a commit that was cut short, and is completed', async () => {
  for (const [swapped, more] of [
    [1, 1],
    [3, 254],
    [200, 100],
    [255, 1],
    [256, 300],
  ] as const) {
    const place = await memoryPlace();
    const ledger = await filledLedger(place, swapped - 1);
    place.guard.fail = 'failed';
    const drafts = Array.from({ length: more }, (_, i) => note(`more ${i}`));
    await assert.rejects(
      ledger.write(() => drafts),
      fault('stopped'),
    );
    place.guard.fail = undefined;
    const again = await openAt(place);
    assert.equal(again.published?.size, swapped + more);
    const held = CHECKPOINTS.open((await place.signed.read()) as Uint8Array);
    assert.deepEqual([held.size, guardedSize(place.guard)], [swapped + more, swapped + more]);
    await again.write(() => [note('and on')]);
    await requireSound(place.store, swapped + more + 1);
  }
});

test('start: completing it may fail like any swap, and is tried again', async () => {
  for (const how of ['failed', 'failed, but on disk'] as const) {
    const place = await memoryPlace();
    const ledger = await filledLedger(place, 2);
    place.guard.fail = 'failed';
    await assert.rejects(
      ledger.write(() => [note('x')]),
      fault('stopped'),
    );
    place.guard.fail = how;
    await assert.rejects(openAt(place), /EIO/);
    place.guard.fail = undefined;
    assert.equal((await openAt(place)).published?.size, 4);
    await requireSound(place.store, 4);
  }
});

test('start: without a guard only a lone genesis goes on', async () => {
  for (const notes of [0, 1, 300]) {
    const full = await memoryPlace();
    await filledLedger(full, notes);
    const bare: BarePlace = { store: full.store, guard: probeGuard() };
    if (notes === 0) assert.equal((await openAt(bare)).published?.size, 1);
    else await refused(bare, 'guard_missing', new RegExp(`the guard of the ${notes + 1} entries`));
  }
});

test('start: without a guard a mirror that lags does not stand for entries that were signed', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 300);
  const afterPowerFailure = await copyOf(place.store);
  const entries = await entriesOf(place.store);
  // It is acknowledged and signed, and neither the disk nor a mirror has it.
  await ledger.write(() => [note('signed')]);
  const bare: BarePlace = { store: probeStore(afterPowerFailure), guard: probeGuard() };
  const before = await contents(bare.store);
  for (const size of [1, 300, 301]) {
    const askHeads = () => Promise.resolve([knownHead(entries, size)]);
    await assert.rejects(openAt(bare, { askHeads }), (error: unknown) => {
      assert.equal(faultCode(error), 'guard_missing');
      assert.match((error as Error).message, new RegExp(`mirror a head of ${size}, which may be`));
      return true;
    });
    assert.deepEqual(await contents(bare.store), before);
  }
});

test('start: without a guard a known head is enough for a signer that remembers what it signed', async () => {
  const full = await memoryPlace();
  const ledger = await filledLedger(full, 300);
  const entries = await entriesOf(full.store);
  const bare: BarePlace = { store: full.store, guard: probeGuard() };
  const signer = { ...CHECKPOINTS, remembers: true };
  await assert.rejects(openAt(bare, { signer }), fault('guard_missing'));
  const askHeads = () => Promise.resolve([knownHead(entries, 300)]);
  const again = await openAt(bare, { signer, askHeads });
  assert.equal(again.published?.size, ledger.nextSeq);
});

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at] = (changed[at] as number) ^ 4;
  return changed;
}

/** A store in which one read gives something else. */
function spoilt(place: BarePlace, change: Partial<LedgerStore>): BarePlace {
  return { store: probeStore({ ...bound(place.store), ...change }), guard: place.guard };
}

const other = (bytes: Uint8Array | undefined): Uint8Array => {
  const changed = Uint8Array.from(bytes ?? []);
  const at = Math.floor(changed.length / 2);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
};

test('start: a head row that is spoilt, foreign or gone is corrupt', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 300);
  const head = (bytes: Uint8Array | undefined): BarePlace =>
    spoilt(place, { head: () => Promise.resolve(bytes) });
  const text = Buffer.from((await place.store.head()) as Uint8Array).toString('latin1');
  for (const bad of [
    '',
    'x',
    text.replace('301', '301 '),
    text.replace('301', '0'),
    text.replace('301', '300'),
    text.replace('301', '302'),
    text.replace('301', '513'),
    text.replace(/[0-9a-f]{64}/, '0'.repeat(64)),
  ]) {
    await refused(head(Buffer.from(bad, 'latin1')), 'ledger_corrupt', /./);
  }
  await refused(head(undefined), 'ledger_behind', /found 0/);
  const bare = { ...head(undefined), guard: probeGuard() };
  await refused(bare, 'ledger_corrupt', /entry 0.*nothing behind the head/);
});

test('start: a tile that is spoilt or gone is derived from the entries, and written', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 300);
  const before = await contents(place.store);
  const good = (await place.store.tile(0, 0)) as Uint8Array;
  for (const bad of [new Uint8Array(0), new Uint8Array(31), good.slice(1), other(good)]) {
    const tiles = [{ level: 0, index: 0, bytes: bad }];
    await place.store.commit({ entries: [], tiles, views: [], head: null });
    const ledger = await openAt(place);
    assert.equal(ledger.blocked, undefined);
    assert.equal(ledger.mended.length, 1);
    assert.deepEqual(await contents(place.store), before);
  }
  const head = (await place.store.head()) as Uint8Array;
  const views: SealedRow[] = [];
  for await (const row of place.store.views()) views.push(row);
  await place.store.rewrite(301, { tiles: [], views, head });
  assert.equal((await openAt(place)).mended.length, 1);
  assert.deepEqual(await contents(place.store), before);
});

test('start: an entry at the edge that is spoilt or gone is corrupt', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 300);
  const { store } = place;
  for (const seq of [256, 280, 300]) {
    await refused(
      spoilt(place, {
        async *entries(start, end) {
          let at = start;
          for await (const bytes of store.entries(start, end)) {
            yield at === seq ? other(bytes) : bytes;
            at += 1;
          }
        },
      }),
      'ledger_corrupt',
      new RegExp(`root|entry ${seq}\\b|entry ${seq + 1}\\b.*or the one before`),
    );
    await refused(
      spoilt(place, {
        async *entries(start, end) {
          let at = start;
          for await (const bytes of store.entries(start, end)) {
            if (at !== seq) yield bytes;
            at += 1;
          }
        },
      }),
      'ledger_corrupt',
      /./,
    );
  }
});

test('start: the first and the newest entry are those of the tree, also below full tiles', async () => {
  for (const notes of [0, 1, 255, 300, 511]) {
    const place = await memoryPlace();
    await filledLedger(place, notes);
    const { store } = place;
    for (const seq of new Set([0, notes])) {
      const entry = (
        change: (bytes: Uint8Array | undefined) => Uint8Array | undefined,
      ): BarePlace =>
        spoilt(place, {
          async entry(each) {
            const bytes = await store.entry(each);
            return each === seq ? change(bytes) : bytes;
          },
        });
      await refused(entry(other), 'ledger_corrupt', new RegExp(`entry ${seq}\\b`));
      await refused(
        entry(() => undefined),
        'ledger_corrupt',
        new RegExp(`entry ${seq}\\b.*none`),
      );
    }
  }
});

test('start: entries missing or changed below full tiles are corrupt', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 700);
  const { store } = place;
  for (const [seq, spoil] of [
    [1, true],
    [40, false],
    [255, true],
    [256, false],
    [511, true],
    [600, false],
  ] as const) {
    await refused(
      spoilt(place, {
        async *entries(start, end) {
          let at = start;
          for await (const bytes of store.entries(start, end)) {
            if (at !== seq) yield bytes;
            else if (spoil) yield other(bytes);
            at += 1;
          }
        },
      }),
      'ledger_corrupt',
      /./,
    );
  }
});

test('start: damage inside LevelDB’s log is refused, and the log is there when it is mended', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  const guard = probeGuard();
  const open = async (): Promise<BarePlace> => ({
    store: probeStore(await openLevelStore(folder)),
    guard,
  });
  const first = await open();
  const ledger = await openAt(first);
  await ledger.write(() => [GENESIS_DRAFT]);
  for (let i = 0; i < 60; i += 1) {
    const drafts = Array.from({ length: 10 }, (_, j) => note(`commit ${i}, note ${j}`));
    await ledger.write(() => drafts);
  }
  await ledger.close();
  const name = (await readdir(folder)).find((each) => each.endsWith('.log')) as string;
  const whole = await readFile(join(folder, name));
  assert.ok(whole.length > 100_000);
  for (let at = 20; at < whole.length; at += 9973) {
    const damaged = Uint8Array.from(whole);
    damaged[at] = (damaged[at] as number) ^ 1;
    const path = join(
      folder,
      (await readdir(folder)).find((each) => each === name) ?? assert.fail('the log is gone'),
    );
    await writeFile(path, damaged);
    const place = await open();
    await assert.rejects(
      openAt(place),
      (error: unknown) => ['ledger_corrupt', 'ledger_behind'].includes(faultCode(error) ?? ''),
      `byte ${at}`,
    );
    await place.store.close();
    await writeFile(path, whole);
  }
  const mended = await open();
  assert.equal((await openAt(mended)).published?.size, 601);
  await requireSound(mended.store, 601);
  await mended.store.close();
});

test('start: an entry behind the head is corrupt', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 10);
  const head = (await place.store.head()) as Uint8Array;
  const stray = { seq: 11, bytes: (await place.store.entry(3)) as Uint8Array };
  await place.store.commit({ entries: [stray], tiles: [], views: [], head });
  await refused(place, 'ledger_corrupt', /entry 11.*nothing behind the head/);
});

/** Rows that a log with a rule has, and what could become of them. */
const ROTTEN: readonly (readonly [string, (rows: readonly SealedRow[]) => readonly SealedRow[]])[] =
  [
    [
      'a bit of a value',
      ([row, ...rest]) => [{ ...row, value: other(row?.value) } as never, ...rest],
    ],
    [
      'a bit of a digest',
      ([row, ...rest]) => [{ ...row, digest: other(row?.digest) } as never, ...rest],
    ],
    ['another key', ([row, ...rest]) => [{ ...row, key: 'x' } as never, ...rest]],
    [
      'no canonical JSON, with its digest',
      ([row, ...rest]) => [
        sealed({ ...(row as SealedRow), value: Buffer.from('{"a": 1}') }),
        ...rest,
      ],
    ],
    [
      'another value, with its digest',
      ([row, ...rest]) => [
        sealed({ ...(row as SealedRow), value: Buffer.from('{"a":1}') }),
        ...rest,
      ],
    ],
    ['a row gone', (rows) => rows.slice(1)],
    [
      'a row too many',
      (rows) => [...rows, sealed({ table: 'z', key: 'k', value: Buffer.from('1') })],
    ],
    ['no rows', () => []],
    ['no digest', ([row, ...rest]) => [{ ...row, digest: new Uint8Array(0) } as never, ...rest]],
  ];

test('start: rows that are not those of the head are derived from the entries, and written', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 300);
  await ledger.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
  const before = await contents(place.store);
  const rows: SealedRow[] = [];
  for await (const row of place.store.views()) rows.push(row);
  assert.equal(rows.length, 3);
  const head = (await place.store.head()) as Uint8Array;
  for (const [name, change] of ROTTEN) {
    await place.store.rewrite(302, { views: change(rows), head });
    assert.notDeepEqual(await contents(place.store), before, name);
    const again = await openAt(place);
    assert.equal(again.mended.length, 1, name);
    assert.deepEqual([...again.tip.list('tickers')], [...ledger.tip.list('tickers')], name);
    assert.deepEqual(await contents(place.store), before, name);
    assert.deepEqual((await openAt(place)).mended, [], name);
  }
});

test('start: every byte of a row and of the head is held to something', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 1);
  const before = await contents(place.store);
  const rows: SealedRow[] = [];
  for await (const row of place.store.views()) rows.push(row);
  const [row] = rows as [SealedRow];
  const head = (await place.store.head()) as Uint8Array;
  const bytes = concatBytes(row.value, row.digest);
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = flipped(bytes, at);
    const bad = { ...row, value: changed.slice(0, -32), digest: changed.slice(-32) };
    await place.store.commit({ entries: [], tiles: [], views: [bad], head: null });
    assert.equal((await openAt(place)).mended.length, 1, `byte ${at}`);
    assert.deepEqual(await contents(place.store), before, `byte ${at}`);
  }
  for (let at = 0; at < head.length; at += 1) {
    await place.store.commit({ entries: [], tiles: [], views: [], head: flipped(head, at) });
    await refused(place, 'ledger_corrupt', /recover/);
  }
});

test('start: rows and digests that fit, and that no entry gives, are found when the entries are read', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 300);
  await ledger.write(() => [{ kind: 'rule/1', body: { rule: layoffsRule() } }]);
  const before = await contents(place.store);
  const rows: SealedRow[] = [];
  for await (const row of place.store.views()) rows.push(row);
  const made = [...rows, sealed({ table: 'tickers', key: 'MADEUP', value: Buffer.from('"x"') })];
  const head = parseHead(nodeSha256, (await place.store.head()) as Uint8Array);
  const bytes = formatHead(nodeSha256, { ...head, ...sumOf(made) });
  await place.store.rewrite(302, { views: made, head: bytes });
  const again = await openAt(place, { prove: 'behind' });
  assert.equal(again.blocked?.code, 'unproven');
  assert.ok(again.shown.get('tickers', 'MADEUP') !== undefined);
  await assert.rejects(
    again.write(() => [note('x')]),
    fault('unproven'),
  );
  await again.proven();
  assert.equal(again.blocked, undefined);
  assert.equal(again.tip.get('tickers', 'MADEUP'), undefined);
  assert.equal(again.shown.get('tickers', 'MADEUP'), undefined);
  assert.equal(again.mended.length, 1);
  assert.deepEqual(await contents(place.store), before);
  await again.write(() => [note('and on')]);
  await requireSound(place.store, 303);
});

test('start: a database of the format before is derived anew', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 300);
  const before = await contents(place.store);
  const head = parseHead(nodeSha256, (await place.store.head()) as Uint8Array);
  const older = formatWire({ root: head.root, size: head.size });
  const views: SealedRow[] = [];
  for await (const row of place.store.views()) views.push({ ...row, digest: new Uint8Array(0) });
  await place.store.rewrite(301, { views, head: older });
  const ledger = await openAt(place);
  assert.equal(ledger.mended.length, 1);
  assert.deepEqual(await contents(place.store), before);
});

test('start: heads that others hold must be of this log: equal or smaller is fine', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 300);
  const entries = await entriesOf(place.store);
  for (const size of [0, 1, 2, 255, 256, 257, 300, 301]) {
    const known = [knownHead(entries, size, 'witness'), knownHead(entries, 1)];
    const ledger = await openAt(place, { askHeads: () => Promise.resolve(known) });
    assert.equal(ledger.blocked, undefined);
    assert.equal(ledger.published?.size, 301);
  }
});

test('start: a head elsewhere that is bigger means this database is behind', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 300);
  const backup = await copyOf(place.store);
  const stale = place.guard.shared.row?.head;
  const on = await openAt(place);
  await on.write(() => [note('published')]);
  const entries = await entriesOf(place.store);
  // Database and guard come back together, from a snapshot of the whole machine.
  const guard = probeGuard();
  setHead(guard, stale);
  const restored: BarePlace = { store: probeStore(backup), guard };
  await openAt(restored);
  await assert.rejects(
    openAt(restored, { askHeads: () => Promise.resolve([knownHead(entries, 302, 'witness w')]) }),
    (error: unknown) => {
      assert.equal(faultCode(error), 'ledger_behind');
      assert.match((error as Error).message, /302 entries, as witness w.*found 301/);
      return true;
    },
  );
  const none = {
    store: probeStore(await openMemoryStore()),
    guard: probeGuard(),
  };
  const askHeads = () => Promise.resolve([knownHead(entries, 302, 'witness w')]);
  await assert.rejects(openAt(none, { askHeads }), fault('ledger_behind'));
});

test('start: a head elsewhere with another history is refused', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 300);
  const entries = await entriesOf(place.store);
  const fork = await entriesOf((await forkOf(300, 200)).store);
  for (const size of [201, 256, 301]) {
    const known = [knownHead(entries, 301, 'good'), knownHead(fork, size, 'witness w')];
    await assert.rejects(
      openAt(place, { askHeads: () => Promise.resolve(known) }),
      (error: unknown) => {
        assert.equal(faultCode(error), 'ledger_differs');
        assert.match((error as Error).message, new RegExp(`size ${size}.*witness w`));
        return true;
      },
    );
  }
  const empty: Hash = rootOf(plainSha256, []);
  const lying = { holder: 'w', checkpoint: { size: 301, root: empty } };
  await assert.rejects(
    openAt(place, { askHeads: () => Promise.resolve([lying]) }),
    fault('ledger_differs'),
  );
});

test('start: where none can be reached it is read-only, and reads go on', async () => {
  const place = await memoryPlace();
  const first = await filledLedger(place, 300);
  const moves = place.guard.moves;
  const ledger = await openAt(place, { askHeads: noNetwork });
  assert.equal(ledger.blocked?.code, 'read_only');
  assert.match(ledger.blocked?.message ?? '', /no network/);
  await assert.rejects(
    ledger.write(() => [note('x')]),
    fault('read_only'),
  );
  assert.equal(ledger.nextSeq, 301);
  assert.deepEqual(ledger.published, first.published);
  assert.deepEqual(await ledger.entry(300), await first.entry(300));
  for (const tile of [
    { level: 0, index: 0, width: 256 },
    { level: 'entries', index: 1, width: 45 },
  ] as const) {
    assert.deepEqual(await ledger.tile(tile), await first.tile(tile));
  }
  assert.deepEqual([...ledger.shown.list('log')], [...first.shown.list('log')]);
  assert.equal(place.guard.moves, moves, 'nothing is signed');
  const back = await openAt(place, { askHeads: () => Promise.resolve([]) });
  await back.write(() => [note('x')]);
});

test('start: a cut-short commit is not completed while no head elsewhere can be asked', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 2);
  place.guard.fail = 'failed';
  await assert.rejects(
    ledger.write(() => [note('x')]),
    fault('stopped'),
  );
  place.guard.fail = undefined;
  await assert.rejects(openAt(place, { askHeads: noNetwork }), fault('read_only'));
  assert.equal(guardedSize(place.guard), 3);
  assert.equal(CHECKPOINTS.open((await place.signed.read()) as Uint8Array).size, 3);
  assert.equal((await openAt(place)).published?.size, 4);
});

test('start: a store or guard that cannot be read is distinguished from one that is wrong', async () => {
  const place = await memoryPlace();
  await filledLedger(place, 2);
  const eio = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  const broken = spoilt(place, { head: () => Promise.reject(eio) });
  await assert.rejects(openAt(broken), fault('storage_failed'));
  const guard = { ...probeGuard(), take: () => Promise.reject(eio) };
  await assert.rejects(openAt({ store: place.store, guard }), fault('storage_failed'));
});

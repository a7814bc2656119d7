import assert from 'node:assert/strict';
import promises, { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Level } from 'level';
import { openLevelStore, openMemoryStore } from '@assay/node/ledger/store/level-store';
import { rowsOf, sealed, temporaryFolder } from '../ledger-fixture.ts';
import { storeSuite } from '../store-suite.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

storeSuite('LevelDB store', async (t) => openLevelStore(await temporaryFolder(t)));
storeSuite('memory store', () => openMemoryStore());

test('LevelDB store: what was committed is there for the next process', async (t) => {
  const folder = await temporaryFolder(t);
  for (let size = 0; size < 4; size += 1) {
    const store = await openLevelStore(folder);
    const head = await store.head();
    assert.equal(head === undefined ? 0 : Number(Buffer.from(head).toString()), size);
    await store.commit({
      entries: [{ seq: size, bytes: bytes(`e${size}`) }],
      tiles: [],
      views: [sealed({ table: 't', key: 'k', value: bytes(`v${size}`) })],
      head: bytes(`${size + 1}`),
    });
    await store.close();
  }
  const store = await openLevelStore(folder);
  const rows = await rowsOf(store);
  assert.deepEqual(
    rows.map(({ part }) => part),
    ['entry', 'entry', 'entry', 'entry', 'head', 'view'],
  );
  await store.close();
});

test('LevelDB store: a sync that fails is no commit’s, and none is made up for before it is opened anew', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  const store = await openLevelStore(folder);
  const parts = { tiles: [], views: [], head: null };
  await store.commit({ ...parts, entries: [{ seq: 0, bytes: bytes('a') }] }, { sync: false });
  await store.sync();
  // It opens as no file does.
  const socket = createServer();
  await new Promise<void>((done) => void socket.listen(join(folder, '999999.log'), done));
  await assert.rejects(store.sync(), { code: 'storage_failed' });
  await new Promise((done) => void socket.close(done));
  await assert.rejects(store.sync(), { code: 'stopped' });
  await store.reopen();
  // Until then a close puts back the log that could not be synced.
  await assert.rejects(store.sync(), { code: 'stopped' });
  await store.settle();
  await store.sync();
  assert.equal(Buffer.from((await store.entry(0)) as Uint8Array).toString(), 'a');
  await store.close();
  await assert.rejects(store.sync(), { code: 'stopped' });
});

test('LevelDB store: what was found is not called durable before it is settled, and a refusal drops nothing', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  const first = await openLevelStore(folder);
  const parts = { tiles: [], views: [], head: null };
  await first.commit({ ...parts, entries: [{ seq: 0, bytes: bytes('a') }] }, { sync: false });
  await first.close();
  const store = await openLevelStore(folder);
  const kept = async (): Promise<boolean> =>
    (await readdir(join(folder, '..'))).some((name) => name.endsWith('.start'));
  await assert.rejects(store.sync(), { code: 'stopped' });
  assert.equal(await kept(), true);
  // It was no failure of the disk.
  await store.settle();
  await store.sync();
  assert.equal(await kept(), false);
  await store.close();
});

test('LevelDB store: a sync during which a write fails has failed as well', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  const other = new Level(await temporaryFolder(t));
  await other.open();
  const batches = Object.getPrototypeOf(other.batch()) as ReturnType<typeof other.batch>;
  await other.close();
  const store = await openLevelStore(folder);
  const batch = { entries: [{ seq: 0, bytes: bytes('a') }], tiles: [], views: [], head: null };
  await store.commit(batch, { sync: false });
  const cause = new Error('disk: EIO');
  const { mock } = t.mock.method(batches, 'write', () => Promise.reject(cause));
  const synced = store.sync();
  await assert.rejects(store.commit(batch), cause);
  mock.restore();
  await assert.rejects(synced, { code: 'stopped' });
  await store.close();
});

test('LevelDB store: where a file cannot be opened for a sync, nothing has failed', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  const store = await openLevelStore(folder);
  const batch = { entries: [{ seq: 0, bytes: bytes('a') }], tiles: [], views: [], head: null };
  await store.commit(batch, { sync: false });
  for (const [name, code, syscall] of [
    ['open', 'EMFILE', 'open'],
    ['open', 'ENOMEM', 'open'],
    ['readdir', 'ENFILE', 'scandir'],
  ] as const) {
    const cause = Object.assign(new Error(code), { code, syscall });
    const { mock } = t.mock.method(promises, name, () => Promise.reject(cause));
    syncBuiltinESMExports();
    const failed = assert.rejects(store.sync(), { code: 'storage_failed', cause });
    await failed.finally(() => {
      mock.restore();
      syncBuiltinESMExports();
    });
    await store.sync();
  }
  // The same code from the sync itself.
  const cause = Object.assign(new Error('ENOMEM'), { code: 'ENOMEM', syscall: 'fdatasync' });
  const file = { datasync: () => Promise.reject(cause), close: () => Promise.resolve() };
  const { mock } = t.mock.method(promises, 'open', () => Promise.resolve(file));
  syncBuiltinESMExports();
  await assert.rejects(store.sync(), { code: 'storage_failed', cause });
  mock.restore();
  syncBuiltinESMExports();
  await assert.rejects(store.sync(), { code: 'stopped' });
  await store.close();
});

test('LevelDB store: rows of no known part are shown, and no other read takes them for its own', async (t) => {
  const folder = await temporaryFolder(t);
  const strange = [
    'a',
    'e',
    'e1234567',
    'e123456789',
    'hh',
    't',
    't1',
    'v',
    'vtable',
    'va\0b\0c',
    'z',
  ];
  const database = new Level<Uint8Array, Uint8Array>(folder, {
    keyEncoding: 'view',
    valueEncoding: 'view',
  });
  for (const key of strange) await database.put(bytes(key), bytes('?'));
  await database.put(Uint8Array.of(0x76, 0xff, 0x00, 0x61), bytes('?'));
  await database.close();
  const store = await openLevelStore(folder);
  t.after(() => store.close());
  const entry = { seq: 0, bytes: bytes('e') };
  const row = sealed({ table: 't', key: 'k', value: bytes('1') });
  await store.commit({ entries: [entry], tiles: [], views: [row], head: bytes('h') });
  const rows = await rowsOf(store);
  const unknown = rows.flatMap((each) => (each.part === 'unknown' ? [each.key] : []));
  assert.equal(unknown.length, strange.length + 1);
  for (const key of strange) {
    assert.ok(
      unknown.some((each) => Buffer.from(each).toString() === key),
      JSON.stringify(key),
    );
  }
  const views = [];
  for await (const each of store.views()) views.push(each.table);
  assert.deepEqual(views, ['t']);
});

test('LevelDB store: a second process on it is refused', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  const store = await openLevelStore(folder);
  await assert.rejects(openLevelStore(folder), { name: 'Fault', code: 'refused' });
  await store.close();
  const again = await openLevelStore(folder);
  await again.close();
});

test('LevelDB store: a database that does not open is corrupt, and stays as it is', async (t) => {
  const folder = join(await temporaryFolder(t), 'block');
  const store = await openLevelStore(folder);
  await store.commit({ entries: [], tiles: [], views: [], head: bytes('h') });
  await store.close();
  await writeFile(join(folder, 'CURRENT'), 'MANIFEST-999999\n');
  await assert.rejects(openLevelStore(folder), { name: 'Fault', code: 'ledger_corrupt' });
  assert.equal(await readFile(join(folder, 'CURRENT'), 'utf8'), 'MANIFEST-999999\n');
  await rm(join(folder, 'CURRENT'));
  const before = await readdir(folder);
  await assert.rejects(openLevelStore(folder), { name: 'Fault', code: 'ledger_corrupt' });
  assert.deepEqual(
    before.filter((name) => name.endsWith('.log')),
    (await readdir(folder)).filter((name) => name.endsWith('.log')),
  );
});

test('LevelDB store: a log cut off at any byte loses the last commit whole, or nothing', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await openLevelStore(folder);
  for (let size = 1; size <= 3; size += 1) {
    await store.commit({
      entries: [{ seq: size - 1, bytes: bytes(`entry ${size - 1}`.repeat(20)) }],
      tiles: [],
      views: [sealed({ table: 't', key: 'size', value: bytes(`${size}`) })],
      head: bytes(`${size}`),
    });
  }
  await store.close();
  const names = await readdir(folder);
  const log = join(folder, names.find((name) => name.endsWith('.log')) as string);
  const whole = await readFile(log);
  const { size: length } = await stat(log);
  const seen = new Set<number>();
  for (let cut = length; cut >= 0; cut -= 13) {
    const copy = await temporaryFolder(t);
    for (const name of names) await writeFile(join(copy, name), await readFile(join(folder, name)));
    const file = join(copy, log.slice(folder.length + 1));
    await writeFile(file, whole);
    await truncate(file, cut);
    const opened = await openLevelStore(copy);
    const head = await opened.head();
    const size = head === undefined ? 0 : Number(Buffer.from(head).toString());
    const entries = (await rowsOf(opened)).filter(({ part }) => part === 'entry').length;
    assert.equal(entries, size, `cut at ${cut}`);
    seen.add(size);
    await opened.close();
  }
  assert.deepEqual([...seen], [3, 2, 1, 0]);
});

/** What LevelDB makes of a folder whose log it cannot open: it passes over it and deletes it. */
async function hideLog(folder: string): Promise<() => Promise<void>> {
  const log = (await readdir(folder)).find((name) => name.endsWith('.log')) as string;
  const spoilt = await readFile(join(folder, log));
  const whole = Uint8Array.from(spoilt);
  spoilt.fill(0xff, 0, 16);
  await writeFile(join(folder, log), spoilt);
  return () => writeFile(join(folder, log), whole);
}

async function entriesIn(folder: string, settle: boolean): Promise<number> {
  const store = await openLevelStore(folder);
  const count = (await rowsOf(store)).filter(({ part }) => part === 'entry').length;
  if (settle) await store.settle();
  await store.close();
  return count;
}

test('LevelDB store: until it is settled or written to, nothing that was there is gone', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  for (const settle of [false, true]) {
    const store = await openLevelStore(folder);
    const entries = [{ seq: settle ? 1 : 0, bytes: bytes('e') }];
    await store.commit({ entries, tiles: [], views: [], head: bytes('h') });
    await store.close();
    const mend = await hideLog(folder);
    const readable = settle ? 1 : 0;
    assert.equal(await entriesIn(folder, false), readable, 'the log is passed over');
    assert.equal(await entriesIn(folder, false), readable);
    await mend();
    assert.equal(await entriesIn(folder, false), readable + 1, 'and it is still there');
    assert.equal(await entriesIn(folder, true), readable + 1);
    assert.equal(await entriesIn(folder, true), readable + 1);
  }
  assert.deepEqual(await readdir(join(folder, '..')), ['ledger'], 'nothing is left beside it');
});

test('LevelDB store: a second process on it leaves nothing beside it', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  const store = await openLevelStore(folder);
  await store.commit({ entries: [], tiles: [], views: [], head: bytes('h') });
  await assert.rejects(openLevelStore(folder), { name: 'Fault', code: 'refused' });
  assert.deepEqual(await readdir(join(folder, '..')), ['ledger']);
  await store.commit({ entries: [], tiles: [], views: [], head: bytes('i') });
  await store.close();
  const again = await openLevelStore(folder);
  assert.equal(Buffer.from((await again.head()) as Uint8Array).toString(), 'i');
  await again.close();
});

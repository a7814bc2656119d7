import assert from 'node:assert/strict';
import { cp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseLoss } from '@assay/core/kind/loss';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { ledgerParts, openData } from '@assay/node/data/open-data';
import { Ledger } from '@assay/node/ledger/ledger';
import { FileNoteSlot } from '@assay/node/ledger/guard/file-note-slot';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ownData } from '../../cli/fixture/data-folder.ts';
import {
  backupOf,
  faultOf,
  grow,
  loseDisk,
  noteText,
  openNode,
  restored,
  serveBackup,
  SIZE,
} from './restore-world.ts';

/** A data folder whose database lost the newest two entries with the power, and whose journal has them. */
async function powerless(t: TestContext): Promise<string> {
  const folder = await ownData(t);
  const [data, before] = [join(folder, 'data'), join(folder, 'before')];
  await cp(join(data, 'ledger'), before, { recursive: true });
  const { ledger, data: opened } = await openNode(data);
  for (const text of ['a', 'b']) {
    await ledger.write(() => [{ kind: 'note/1', body: { text } }]);
  }
  // As it is before anything is settled.
  await cp(join(data, 'guard'), join(folder, 'guard'), { recursive: true });
  await ledger.close();
  await opened.guard.close();
  for (const [kept, name] of [
    [before, 'ledger'],
    [join(folder, 'guard'), 'guard'],
  ] as const) {
    await rm(join(data, name), { recursive: true });
    await cp(kept, join(data, name), { recursive: true });
  }
  return data;
}

test('left guard: a restore takes what the database lost from the journal beside it', async (t) => {
  const data = await powerless(t);
  await rm(join(data, 'head'));
  const result = await restored(data, [data], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss], [SIZE + 2, null]);
  assert.equal(await noteText(data, SIZE + 1), 'b');
  assert.equal(await grow(data, 'on'), SIZE + 3);
});

test('left guard: without the journal nothing is restored from a database that is behind its signed head', async (t) => {
  const data = await powerless(t);
  await rm(join(data, 'guard'), { recursive: true });
  const [code, words] = await faultOf(restored(data, [data], { unconfirmed: true }));
  assert.equal(code, 'not_found', words);
});

/** What nobody can exclude where the last second of entries may be lost. */
const UNKNOWN = { from: SIZE, to: null, root: null, known: 'nobody' } as const;

/**
 * A data folder that a power failure left without the newest two entries, in the database and in the note beside it, and whose
 * journal is lost. `copy` is a backup that has as much, `newest` one that has all.
 */
async function unguarded(
  t: TestContext,
  lose: (guard: string) => Promise<void>,
): Promise<{ readonly data: string; readonly copy: string; readonly newest: string }> {
  const folder = await ownData(t);
  const [data, on, copy, newest] = ['data', 'on', 'copy', 'newest'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  await backupOf(data, copy);
  await cp(data, on, { recursive: true });
  await grow(on, 'a', 'b');
  await backupOf(on, newest);
  await lose(join(data, 'guard'));
  return { data, copy, newest };
}

const remove = (guard: string): Promise<void> => rm(guard, { recursive: true });

async function damage(guard: string): Promise<void> {
  for (const name of ['0', '1']) await writeFile(join(guard, name), 'cut');
}

/** A node that is started without its guard is refused, and leaves a journal of nothing. */
async function start(guard: string): Promise<void> {
  await remove(guard);
  const folder = dataFolder(join(guard, '..'));
  const opened = await openData(folder, nodeSha256, { passphrase: undefined });
  const options = { sha256: nodeSha256, now: () => 0, askHeads: null };
  await assert.rejects(Ledger.open({ ...options, ...ledgerParts(opened) }), {
    code: 'guard_missing',
  });
  await opened.guard.close();
  await opened.store.close();
}

for (const [name, lose, code] of [
  ['is gone', remove, 'guard_missing'],
  ['is damaged', damage, 'guard_corrupt'],
  ['is one of nothing', start, 'guard_missing'],
] as const) {
  test(`left guard: where the journal ${name}, what was acknowledged last is not known`, async (t) => {
    const { data, copy } = await unguarded(t, lose);
    const before = await readdir(data);
    for (const from of [data, copy]) {
      const [found, words] = await faultOf(restored(data, [from]));
      assert.equal(found, code, words);
      assert.match(words, /whether more was acknowledged is not known; nobody is named/);
      assert.match(words, /--unconfirmed[^]*unless --acknowledged/);
    }
    assert.deepEqual(await readdir(data), before);
    const result = await restored(data, [data], { unconfirmed: true });
    assert.deepEqual([result.size, result.loss], [SIZE + 1, UNKNOWN]);
    assert.deepEqual(parseLoss(await noteText(data, SIZE)), UNKNOWN);
    assert.match(result.sources[0]?.faults.join() ?? '', /the journal of its head guard is /);
    assert.equal(await grow(data, 'on'), SIZE + 2);
  });
}

test('left guard: without a journal the log declares an open loss also where the note of its head is gone', async (t) => {
  const { data } = await unguarded(t, remove);
  await rm(join(data, 'head'));
  const result = await restored(data, [data], { unconfirmed: true });
  assert.deepEqual(result.loss, UNKNOWN);
});

test('left guard: without a journal a mirror that lags excludes nothing, and one that has all gives all', async (t) => {
  for (const [which, size] of [
    ['copy', SIZE],
    ['newest', SIZE + 2],
  ] as const) {
    const world = await unguarded(t, remove);
    const mirror = await serveBackup(t, world[which]);
    const result = await restored(world.data, [mirror]);
    assert.deepEqual(result.loss, { ...UNKNOWN, from: size });
    assert.equal(result.size, size + 1);
  }
});

test('left guard: without a journal the operator says how many there were', async (t) => {
  const { data, newest } = await unguarded(t, remove);
  const told = { unconfirmed: true, acknowledged: SIZE + 2 };
  assert.equal((await faultOf(restored(data, [data], told)))[0], 'ledger_behind');
  assert.equal(
    (await faultOf(restored(data, [data], { acknowledged: SIZE + 2 })))[0],
    'unreachable',
  );
  const all = await restored(data, [await serveBackup(t, newest)], { acknowledged: SIZE + 2 });
  assert.deepEqual([all.size, all.loss], [SIZE + 2, null]);
  const other = await unguarded(t, remove);
  const { loss } = await restored(other.data, [other.data], { ...told, acceptLoss: true });
  assert.deepEqual(loss, { from: SIZE, to: SIZE + 2, root: null, known: 'operator' });
});

test('left guard: without a journal a signed head is the least that is lost, and not the most', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await grow(data, 'a', 'b');
  for (const name of ['guard', 'ledger']) await rm(join(data, name), { recursive: true });
  const options = { unconfirmed: true };
  assert.equal((await faultOf(restored(data, [copy], options)))[0], 'ledger_behind');
  const { loss } = await restored(data, [copy], { ...options, acceptLoss: true });
  assert.deepEqual(loss, { from: SIZE, to: null, root: null, known: 'guard' });
});

test('left guard: a journal says how far the log was, also where nothing else is left', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await grow(data, 'a', 'b');
  for (const name of ['head', 'ledger']) await rm(join(data, name), { recursive: true });
  const mirrors = [await serveBackup(t, copy)];
  assert.equal((await faultOf(restored(data, [copy], { mirrors })))[0], 'ledger_behind');
  const { loss } = await restored(data, [copy], { mirrors, acceptLoss: true });
  assert.deepEqual([loss?.from, loss?.to, loss?.known], [SIZE, SIZE + 2, 'guard']);
  assert.notEqual(loss?.root, null);
});

test('left guard: a guard in a database is not lost with the folder, and declares nothing', async (t) => {
  const { data } = await unguarded(t, (guard) => rename(guard, `${guard}.moved`));
  await writeFile(join(data, 'writer'), '00000000-0000-4000-8000-000000000000\n');
  assert.equal((await faultOf(restored(data, [data])))[0], 'unreachable');
  const result = await restored(data, [data], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss, result.sources[0]?.faults], [SIZE, null, []]);
});

test('left guard: the signed note of release 0.1 is a guard, and nothing is lost', async (t) => {
  const { data } = await unguarded(t, remove);
  const head = join(data, 'head');
  const held = await FileNoteSlot.peek(head);
  await rm(head);
  const slot = await FileNoteSlot.open(head);
  await slot.swap(undefined, held?.note ?? assert.fail());
  await slot.close();
  const result = await restored(data, [data], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss], [SIZE, null]);
});

test('left guard: another data folder of the log counts as the own one, and one of another log not', async (t) => {
  const { data: disk, copy } = await unguarded(t, remove);
  const data = join(disk, '..', 'new');
  const bare = async (): Promise<void> => {
    await rm(data, { recursive: true, force: true });
    await cp(disk, data, { recursive: true });
    await loseDisk(data);
  };
  await bare();
  assert.deepEqual((await restored(data, [disk], { unconfirmed: true })).loss, UNKNOWN);
  await bare();
  const foreign = join(disk, '..', 'foreign');
  await initData(dataFolder(foreign), nodeSha256, () => 1_900_000_000, {
    origin: 'development/foreign',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const mirror = await serveBackup(t, copy);
  const result = await restored(data, [mirror, foreign], { unconfirmed: true });
  assert.deepEqual(result.loss, UNKNOWN);
});

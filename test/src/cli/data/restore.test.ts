import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { backupOf, grow, serveBackup } from '../../node/restore/restore-world.ts';
import { ownData } from '../fixture/data-folder.ts';
import { assay, scratch } from '../fixture/run.ts';

test('restore: from a backup, onto an empty machine, to the same folder', async (t) => {
  const folder = await ownData(t);
  const backup = await assay(folder, ['backup', 'data', '-o', 'copy', '--with-keys']);
  assert.deepEqual([backup.code, backup.err], [0, ''], backup.out + backup.err);
  assert.match(backup.out, /^copy: 277 entries of development\/folder, log [0-9a-f]{64}\n/);
  const before = await assay(folder, ['verify', 'data', '--no-pin', '--json']);
  await rename(join(folder, 'data'), join(folder, 'gone'));
  const args = ['restore', 'data', '--from', 'copy', '--keys', 'copy'];
  const refused = await assay(folder, args);
  assert.deepEqual([refused.code, refused.out], [3, '']);
  assert.match(
    refused.err,
    /--unconfirmed goes on without; [^]*nobody could be asked for a newer head: nobody is named[^]*\[unreachable\]\n$/,
  );
  const restored = await assay(folder, [
    ...args,
    '--unconfirmed',
    '--acknowledged',
    '277',
    '--json',
  ]);
  assert.deepEqual([restored.code, restored.err], [0, ''], restored.out + restored.err);
  const { size, loss, lacking, aside } = JSON.parse(restored.out);
  const nothing = { blobs: [], openings: [], tick_openings: [], files: [] };
  assert.deepEqual([size, loss, lacking, aside], [277, null, nothing, null]);
  const after = await assay(folder, ['verify', 'data', '--no-pin', '--json']);
  assert.deepEqual([after.code, after.out], [0, before.out]);
});

test('restore: a lost range is in the log, and the verdict names it', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await grow(data, 'lost 1', 'lost 2');
  await rm(join(data, 'ledger'), { recursive: true });
  const args = ['restore', 'data', '--from', 'copy', '--unconfirmed'];
  const refused = await assay(folder, args);
  assert.equal(refused.code, 3);
  assert.match(refused.err, /--accept-loss writes a note[^]*\[ledger_behind\]\n$/);
  const restored = await assay(folder, [...args, '--accept-loss']);
  assert.equal(restored.code, 0, restored.err);
  assert.match(restored.out, /Entry 277 is a note now: the entries 277 to 278, are lost/);
  const verdict = await assay(folder, ['verify', 'data', '--no-pin']);
  assert.equal(verdict.code, 0, verdict.out);
  assert.match(
    verdict.out.replaceAll(/\s+/g, ' '),
    /Entries that this log says it lost before a restore[^]*277 to 278/,
  );
});

test('restore: where going on would be a fork, a new log begins and names the old one', async (t) => {
  const folder = await ownData(t);
  const [data, copy, newer] = [join(folder, 'data'), join(folder, 'copy'), join(folder, 'newer')];
  await backupOf(data, copy);
  await grow(data, 'lost');
  await backupOf(data, newer);
  const mirror = await serveBackup(t, newer, (path, bytes) =>
    path === '/checkpoint' ? bytes : undefined,
  );
  for (const name of await readdir(data)) {
    if (name !== 'keys') await rm(join(data, name), { recursive: true });
  }
  const refused = await assay(folder, ['restore', 'data', '--from', 'copy', '--mirror', mirror]);
  assert.deepEqual([refused.code, refused.out], [3, '']);
  assert.match(refused.err, /assay init --succeeds \S*data [^]*\[head_lost\]\n$/);
  const init = ['init', '--data', 'next', '--contact', 'a@b.example', '--succeeds', 'data'];
  const same = await assay(folder, [...init, '--origin', 'development/folder']);
  assert.equal(same.code, 2, same.err);
  const begun = await assay(folder, [...init, '--origin', 'development/folder-2']);
  assert.equal(begun.code, 0, begun.err);
  assert.match(
    begun.out,
    /succeeds development\/folder, log [0-9a-f]{64},\nbehind its head of 277 entries; entries 277 to 277 of it are lost/,
  );
  const verdict = await assay(folder, ['verify', 'next', '--no-pin']);
  assert.equal(verdict.code, 0, verdict.out);
  const words = verdict.out.replaceAll(/\s+/g, ' ');
  assert.match(words, /which this one says it succeeds after its head of 277 entries/);
  assert.match(words, /that log's first checkpoint key signed the succession/);
  assert.match(words, /it is another log, which must be verified by itself/);
});

test('restore: a loss that was proposed is forgotten once its entries are found', async (t) => {
  const folder = await ownData(t);
  const [data, copy, newer] = [join(folder, 'data'), join(folder, 'copy'), join(folder, 'newer')];
  await backupOf(data, copy);
  await grow(data, 'found again', 'and this');
  await backupOf(data, newer);
  const mirror = await serveBackup(t, newer, (path, bytes) =>
    path === '/checkpoint' ? bytes : undefined,
  );
  for (const name of await readdir(data)) {
    if (name !== 'keys') await rm(join(data, name), { recursive: true });
  }
  const args = ['restore', 'data', '--mirror', mirror, '--acknowledged', '279', '--from'];
  assert.equal((await assay(folder, [...args, 'copy'])).code, 3);
  const proposal = await readFile(join(data, 'succession.json'));
  const restored = await assay(folder, [...args, 'newer', '--json']);
  assert.equal(restored.code, 0, restored.err);
  const { aside } = JSON.parse(restored.out);
  assert.equal((await readdir(data)).includes('succession.json'), false);
  assert.deepEqual(await readFile(join(data, aside, 'succession.json')), proposal);
  // Somebody puts it back, or an older release left it there: the ledger has what it says is lost.
  await writeFile(join(data, 'succession.json'), proposal);
  const init = ['init', '--contact', 'a@b.example', '--origin', 'development/folder-2'];
  const begun = await assay(folder, [...init, '--data', 'next', '--succeeds', 'data']);
  assert.equal(begun.code, 0, begun.err);
  assert.match(begun.out, /\nbehind its head of 279 entries\.\n/);
  const verdict = await assay(folder, ['verify', 'next', '--no-pin']);
  assert.doesNotMatch(verdict.out, /277 to 278/);
  // And where the ledger is of what was there before, the loss stands.
  const old = ['restore', 'old', '--from', 'copy', '--keys', 'data/keys', '--unconfirmed'];
  assert.equal((await assay(folder, [...old, '--acknowledged', '277'])).code, 0);
  await writeFile(join(folder, 'old', 'succession.json'), proposal);
  const lost = await assay(folder, [...init, '--data', 'third', '--succeeds', 'old']);
  assert.match(lost.out, /behind its head of 277 entries; entries 277 to 278 of it are lost/);
});

test('restore: usage', async (t) => {
  const folder = await scratch(t);
  for (const args of [
    [],
    ['data'],
    ['data', 'more', '--from', 'x'],
    ['data', '--from', 'x', '--log-id', 'abc'],
    ['data', '--from', 'x', '--acknowledged', 'all'],
    ['data', '--from', 'x', '--mirror', 'not an address'],
  ]) {
    assert.equal((await assay(folder, ['restore', ...args])).code, 2, args.join(' '));
  }
});

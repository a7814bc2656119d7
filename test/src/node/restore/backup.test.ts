import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { dataFolder } from '@assay/node/platform/data-folder';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import {
  BACKUP_FILE,
  formatBackup,
  parseBackup,
  type PrivateEntry,
} from '@assay/node/restore/backup-manifest';
import { snapshotLedger } from '@assay/node/restore/ledger-snapshot';
import { ownData } from '../../cli/fixture/data-folder.ts';
import { backupOf, faultOf, grow, openNode, restored } from './restore-world.ts';

test('backup: of a node at work, again and again, each a whole log of its own moment', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const { ledger } = await openNode(data);
  const over = new AbortController();
  const text = 'x'.repeat(20_000);
  const writing = (async () => {
    // Over LevelDB's buffer of 16 MiB: its files come and go meanwhile.
    for (let i = 0; i < 20 && !over.signal.aborted; i += 1) {
      const notes = Array.from({ length: 64 }, () => ({ kind: 'note/1' as const, body: { text } }));
      await ledger.write(() => notes);
    }
  })();
  const sizes: number[] = [];
  for (let i = 0; i < 3; i += 1) sizes.push((await backupOf(data, copy)).size);
  over.abort();
  await writing;
  const size = ledger.nextSeq;
  sizes.push((await backupOf(data, copy)).size);
  await ledger.close();
  assert.equal(sizes.at(-1), size);
  assert.deepEqual(
    sizes.toSorted((a, b) => a - b),
    sizes,
  );
  await rm(join(data, 'ledger'), { recursive: true });
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual([result.size, result.verdict.outcome], [size, 'verified']);
});

test('backup: a run that was cut leaves the backup before it', async (t) => {
  const folder = await ownData(t);
  const [data, copy, second] = ['data', 'copy', 'second'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await backupOf(data, copy);
  const manifest = await readFile(join(copy, BACKUP_FILE));
  await grow(data, 'more');
  await cp(copy, second, { recursive: true });
  await backupOf(data, second);
  // Everything that the second run wrote, but for what it writes last.
  await cp(second, copy, { recursive: true });
  await writeFile(join(copy, BACKUP_FILE), manifest);
  const keys = join(data, 'keys');
  const result = await restored(join(folder, 'other'), [copy], {
    keys,
    unconfirmed: true,
    acknowledged: 1,
  });
  assert.deepEqual([result.size, result.verdict.outcome], [277, 'verified']);
  // And a first run that was cut is no backup at all.
  await rm(join(copy, BACKUP_FILE));
  const [code] = await faultOf(restored(join(folder, 'third'), [copy], { keys }));
  assert.equal(code, 'not_found');
});

test('backup: of an older copy of the log, or of another history, is refused', async (t) => {
  const folder = await ownData(t);
  const [data, copy, older] = ['data', 'copy', 'older'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await cp(data, older, { recursive: true });
  await grow(data, 'a', 'b');
  await backupOf(data, copy);
  const manifest = await readFile(join(copy, BACKUP_FILE), 'utf8');
  assert.equal((await faultOf(backupOf(older, copy)))[0], 'ledger_behind');
  await grow(older, 'another', 'history', 'and more');
  assert.equal((await faultOf(backupOf(older, copy)))[0], 'ledger_differs');
  assert.equal(await readFile(join(copy, BACKUP_FILE), 'utf8'), manifest);
  const { note, files, with_keys: withKeys } = parseBackup(formatUtf8(manifest));
  assert.equal(parseCheckpoint(parseNote(formatUtf8(note)).text).size, 279);
  assert.deepEqual([files, withKeys], [[], false]);
  assert.deepEqual(
    Buffer.from(formatBackup(parseBackup(formatUtf8(manifest)))).toString(),
    manifest,
  );
});

test('backup: entries that are not those of the signed head make none', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const store = await openLevelStore(dataFolder(data).ledger);
  const bytes = new Uint8Array((await store.entry(9)) as Uint8Array);
  bytes[40] = (bytes[40] as number) ^ 1;
  const head = (await store.head()) as Uint8Array;
  await store.commit({ entries: [{ seq: 9, bytes }], tiles: [], views: [], head });
  await store.close();
  const [code] = await faultOf(backupOf(data, copy));
  assert.equal(
    code === 'ledger_corrupt' || code === 'malformed' || code === 'not_canonical',
    true,
    code,
  );
  assert.equal((await readdir(copy)).includes(BACKUP_FILE), false);
});

test('backup: private files come back by their hash, and a path leads nowhere else', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await writeFile(join(data, 'venues.json'), '{"kept":true}');
  const done = await backupOf(data, copy);
  assert.equal(done.privateFiles, 1);
  await rm(join(data, 'venues.json'));
  await rm(join(data, 'ledger'), { recursive: true });
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.equal(result.files, 1);
  assert.equal(await readFile(join(data, 'venues.json'), 'utf8'), '{"kept":true}');
  const manifest = parseBackup(await readFile(join(copy, BACKUP_FILE)));
  for (const path of ['../head', '/etc/passwd', 'a/../../b', '.ssh/key', 'a//b']) {
    const [file] = manifest.files;
    const bytes = formatBackup({
      ...manifest,
      files: [{ ...(file as never as object), path } as never],
    });
    assert.throws(() => parseBackup(bytes), path);
  }
});

test('backup: of a stranger, it gives no file that a backup has not, and none before the true one', async (t) => {
  const folder = await ownData(t);
  const [data, copy, hostile] = ['data', 'copy', 'hostile'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  // Everybody can have the entries of a log: the stranger's backup is of an older head, with files of his own.
  await writeFile(join(data, 'assay.json'), '{"host":"0.0.0.0"}');
  await writeFile(join(data, 'venues.json'), '{"stranger":true}');
  await backupOf(data, hostile);
  const manifest = parseBackup(await readFile(join(hostile, BACKUP_FILE)));
  const [file] = manifest.files as [PrivateEntry, ...PrivateEntry[]];
  const names = [
    'head',
    'HEAD',
    'guard/0',
    'shown',
    'scrub.json',
    'ledger/CURRENT',
    'stamps/open.json',
  ];
  names.push('webhooks/receivers.jsonl');
  const files = [...manifest.files, ...names.map((path) => ({ ...file, path }))];
  const written = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  await writeFile(join(hostile, BACKUP_FILE), formatBackup({ ...manifest, files: written }));
  await writeFile(join(data, 'assay.json'), '{"host":"127.0.0.1"}');
  await rm(join(data, 'venues.json'));
  await grow(data, 'on');
  await backupOf(data, copy);
  const keys = join(data, 'keys');
  const options = { keys, unconfirmed: true, acknowledged: 1 };
  const target = join(folder, 'target');
  const result = await restored(target, [hostile, copy], options);
  assert.equal(await readFile(join(target, 'assay.json'), 'utf8'), '{"host":"127.0.0.1"}');
  const found = await readdir(target);
  for (const name of ['shown', 'HEAD', 'scrub.json', 'stamps', 'webhooks']) {
    assert.equal(found.includes(name), false, name);
  }
  const [first, second] = result.sources;
  assert.deepEqual([first?.config, second?.config], [[], ['assay.json']]);
  assert.deepEqual([first?.files, second?.files, result.files], [1, 1, 2]);
  assert.match(first?.faults.join() ?? '', /^8 files that no backup has were not taken/);
  // Without a single entry of this log it gives nothing.
  await rm(join(hostile, 'tile'), { recursive: true });
  const other = join(folder, 'other');
  const alone = await restored(other, [hostile, copy], options);
  assert.deepEqual([alone.sources[0]?.files, alone.files], [0, 1]);
  assert.equal((await readdir(other)).includes('venues.json'), false);
  assert.match(alone.sources[0]?.faults.join() ?? '', /10 files were not taken/);
});

test('backup: what has rotted in it is written again, or listed where it was not brought back', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await writeFile(join(data, 'venues.json'), '{"kept":true}');
  const first = await backupOf(data, copy);
  const [blob] = await readdir(join(copy, 'blob'));
  const [file] = await readdir(join(copy, 'private'));
  const paths = [`blob/${blob}`, `private/${file}`, 'tile/entries/000'].map((path) =>
    join(copy, path),
  );
  const sound = await Promise.all(paths.map((path) => readFile(path)));
  const rot = async (path: string): Promise<void> => {
    const bytes = await readFile(path);
    bytes[3] = (bytes[3] as number) ^ 1;
    await writeFile(path, bytes);
  };
  for (const path of paths) await rot(path);
  const second = await backupOf(data, copy);
  assert.deepEqual([second.written, second.mended, second.kept], [3, 3, first.written - 3]);
  assert.deepEqual(await Promise.all(paths.map((path) => readFile(path))), sound);
  // Rotten in the only copy: the rest comes back, and this is listed.
  await rot(paths[1] as string);
  const options = { keys: join(data, 'keys'), unconfirmed: true, acknowledged: 1 };
  const result = await restored(join(folder, 'target'), [copy], options);
  assert.deepEqual(
    result.lacking.files.map(({ path }) => path),
    ['venues.json'],
  );
  assert.match(result.lacking.files[0]?.reason ?? '', /copy: file of a backup/);
  assert.equal(result.files, 0);
  // A second source that has it is enough.
  const other = join(folder, 'other');
  await backupOf(data, other);
  const whole = await restored(join(folder, 'third'), [copy, other], options);
  assert.deepEqual([whole.lacking.files, whole.files], [[], 1]);
  assert.match(
    whole.sources[0]?.faults.join() ?? '',
    /1 files are not as they were kept, such as ven/,
  );
});

test('backup: a snapshot of what is no database, or holds a link, is refused', async (t) => {
  const folder = await ownData(t);
  const to = join(folder, 'to');
  assert.equal((await faultOf(snapshotLedger(join(folder, 'none'), to)))[0], 'not_found');
  const { symlink } = await import('node:fs/promises');
  await symlink('/etc/hostname', join(folder, 'data', 'ledger', '000999.ldb'));
  assert.equal((await faultOf(snapshotLedger(join(folder, 'data', 'ledger'), to)))[0], 'refused');
});

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { PackedBlobStore } from '@assay/node/blob/packed-blob-store';
import { dataFolder } from '@assay/node/platform/data-folder';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { ownData } from '../../cli/fixture/data-folder.ts';
import {
  backupOf,
  contents,
  faultOf,
  grow,
  lostDisk,
  noteText,
  restored,
  serveBackup,
  SIZE,
} from './restore-world.ts';

test('restore: an entry and a blob that have rotted come back, and what was there is kept', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  const store = await openLevelStore(dataFolder(data).ledger);
  const bytes = new Uint8Array((await store.entry(3)) as Uint8Array);
  bytes[bytes.length - 4] = (bytes[bytes.length - 4] as number) ^ 1;
  const head = (await store.head()) as Uint8Array;
  await store.commit({ entries: [{ seq: 3, bytes }], tiles: [], views: [], head });
  await store.close();
  // As an earlier release stored them: each in a file of its own.
  const packed = await PackedBlobStore.open(join(data, 'blobs'));
  let rotten = '';
  for await (const hash of packed.list()) {
    rotten = join('blobs', hash.slice(0, 2), hash);
    await mkdir(join(data, 'blobs', hash.slice(0, 2)), { recursive: true });
    await writeFile(join(data, rotten), (await packed.get(hash)) as Uint8Array);
  }
  await rm(join(data, 'blobs', 'packs'), { recursive: true });
  await writeFile(join(data, rotten), 'rot');
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss, result.blobs.restored], [SIZE, null, 1]);
  assert.equal(result.verdict.outcome, 'verified');
  const aside = join(data, result.aside as string);
  assert.equal(await readFile(join(aside, rotten), 'utf8'), 'rot');
  const before = await openLevelStore(join(aside, 'ledger'));
  assert.equal(equalBytes((await before.entry(3)) as Uint8Array, bytes), true);
  await before.close();
});

test('restore: what is left on the disk is a source: entries that nobody else has come from there', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  assert.equal(await grow(data, 'a', 'b', 'c'), SIZE + 3);
  const store = await openLevelStore(dataFolder(data).ledger);
  const head = (await store.head()) as Uint8Array;
  const other = formatUtf8('not what the tree has there');
  await store.commit({ entries: [{ seq: 100, bytes: other }], tiles: [], views: [], head });
  await store.close();
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss], [SIZE + 3, null]);
  assert.equal(await noteText(data, SIZE + 2), 'c');
});

test('restore: wrong tiles, entries and blobs of a hostile source are skipped, and reported', async (t) => {
  const { data, copy } = await lostDisk(t);
  const flip: Parameters<typeof serveBackup>[2] = (path, bytes) => {
    if (bytes === undefined || path === '/checkpoint') return bytes;
    const out = bytes.slice();
    const at = Math.floor(out.length / 2);
    out[at] = (out[at] as number) ^ 1;
    return out;
  };
  const keys = await contents(join(data, 'keys'));
  const bad = await serveBackup(t, copy, flip);
  const [code, words] = await faultOf(restored(data, [bad]));
  assert.equal(code, 'not_found', words);
  assert.deepEqual(await readdir(data), ['keys']);
  assert.deepEqual(await contents(join(data, 'keys')), keys);
  // Wrong bundles alone: the tiles show which, and another source has them. The blobs are told by their hash.
  const lying = await serveBackup(t, copy, (path, bytes) =>
    path.startsWith('/tile/entries') || path.startsWith('/blob/') ? flip(path, bytes) : bytes,
  );
  const result = await restored(data, [lying, copy], { acknowledged: SIZE });
  assert.deepEqual([result.size, result.verdict.outcome], [SIZE, 'verified']);
  const [first, second] = result.sources;
  assert.deepEqual([first?.entries, second?.entries], [0, SIZE]);
  assert.equal((first?.faults.length ?? 0) > 1, true, JSON.stringify(first));
});

test('restore: --log-id holds it to one log', async (t) => {
  const { data, copy } = await lostDisk(t);
  const logId = '0'.repeat(64) as never;
  const [code, words] = await faultOf(restored(data, [copy], { logId, unconfirmed: true }));
  assert.equal(code, 'not_found');
  assert.match(words, /log id/);
});

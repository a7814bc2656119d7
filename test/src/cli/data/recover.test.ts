import assert from 'node:assert/strict';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatEntry, parseEntry } from '@assay/core/log/entry';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { dataFolder } from '@assay/node/platform/data-folder';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ownData } from '../fixture/data-folder.ts';
import { assay, scratch } from '../fixture/run.ts';

test('recover: nothing to do, and an entry that no head covered is dropped', async (t) => {
  const folder = await ownData(t);
  const sound = await assay(folder, ['recover', 'data']);
  assert.deepEqual([sound.code, sound.err], [0, '']);
  const size = Number(/^(\d+) entries, as the head guard has it; 0 behind/.exec(sound.out)?.[1]);
  const { ledger } = dataFolder(join(folder, 'data'));
  const store = await openLevelStore(ledger);
  const last = (await store.entry(size - 1)) as Uint8Array;
  const prev = hashHex(leafHash(nodeSha256, last));
  const entry = formatEntry({
    ...parseEntry(last),
    kind: 'note/1',
    body: { text: 'x' },
    seq: size,
    prev,
  });
  const head = (await store.head()) as Uint8Array;
  await store.commit({ entries: [{ seq: size, bytes: entry }], tiles: [], views: [], head });
  await store.close();
  const behind = await assay(folder, ['verify', 'data']);
  assert.equal(behind.code, 1);
  assert.match(behind.out, /guard_differs[^]*cut short; start the node, or run\s+recover/);
  // It is said how many would go, and nothing goes without consent to just that.
  for (const args of [[], ['--drop', '2']]) {
    const asked = await assay(folder, ['recover', 'data', ...args]);
    assert.deepEqual([asked.code, asked.out], [3, ''], asked.err);
    assert.match(asked.err, /consent to drop the 1 entries/);
  }
  const recovered = await assay(folder, ['recover', 'data', '--drop', '1']);
  assert.equal(recovered.code, 0, recovered.err);
  assert.match(recovered.out, /; 1 behind it dropped\n$/);
  assert.equal((await assay(folder, ['verify', 'data'])).code, 0);
});

test('recover never goes behind the head guard', async (t) => {
  const folder = await ownData(t);
  const older = await ownData(t);
  const store = await openLevelStore(dataFolder(join(older, 'data')).ledger);
  await store.rewrite(100, { tiles: [], views: [], head: (await store.head()) as Uint8Array });
  await store.close();
  await rm(join(folder, 'data', 'ledger'), { recursive: true });
  await cp(join(older, 'data', 'ledger'), join(folder, 'data', 'ledger'), { recursive: true });
  const { code, out, err } = await assay(folder, ['recover', 'data']);
  assert.deepEqual([code, out], [3, '']);
  assert.match(err, /The way forward: assay restore data --from SOURCE[^]*\[ledger_behind\]\n$/);
  assert.equal((await assay(folder, ['verify', 'data'])).code, 1);
});

test('recover needs a folder with a log', async (t) => {
  const folder = await scratch(t);
  assert.equal((await assay(folder, ['recover'])).code, 2);
  assert.equal((await assay(folder, ['recover', 'a', 'b'])).code, 2);
  assert.equal((await assay(folder, ['recover', 'a', '--drop', 'all'])).code, 2);
  const none = await assay(folder, ['recover', 'nowhere']);
  assert.deepEqual([none.code, none.out], [2, '']);
  assert.match(none.err, /^assay recover: nowhere holds no data of a node\n/);
  assert.deepEqual(await readdir(folder), []);
});

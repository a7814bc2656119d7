import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import { FileBlobStore } from '@assay/node/blob/file-blob-store';
import { soundBlob } from '@assay/node/recounter/served-blobs';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

test('served blobs: a damaged one is named, and another store is asked; where none has it sound it is no 404', async (t) => {
  const folder = await temporaryFolder(t);
  const own = await FileBlobStore.open(join(folder, 'own'), { sync: false });
  const kept = await FileBlobStore.open(join(folder, 'kept'), { sync: false });
  const stores = [
    { of: null, blobs: own },
    { of: 'publisher', blobs: kept },
  ];
  const damage = new DamageLog(() => NOON, undefined, 'recounter');
  const bytes = Buffer.from('what a source said');
  const hash = await own.put(bytes);
  assert.equal((await soundBlob(stores, hash, damage))?.size, bytes.length);
  await writeFile(join(folder, 'own', hash.slice(0, 2), hash), 'what a source sai.');
  await assert.rejects(soundBlob(stores, hash, damage), { code: 'blob_differs' });
  const found = (): readonly (readonly [string, string | null])[] =>
    damage.openList.map(({ name, copy_of: of }) => [name, of]);
  assert.deepEqual(found(), [[hash, null]]);
  await kept.put(bytes);
  assert.equal((await soundBlob(stores, hash, damage))?.size, bytes.length);
  assert.deepEqual(found(), [[hash, null]], 'its own is damaged all the same');
  await own.put(bytes);
  await soundBlob(stores, hash, damage);
  assert.deepEqual(found(), []);
  assert.equal(await soundBlob(stores, toHashHex('00'.repeat(32)), damage), undefined);
});

import assert from 'node:assert/strict';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createKey } from '@assay/node/key/keystore';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ownData } from '../../cli/fixture/data-folder.ts';
import { backupOf, faultOf, lostDisk, restored, serveBackup } from './restore-world.ts';

test('restore: another log is none of its sources', async (t) => {
  const { data, folder } = await lostDisk(t);
  const stranger = await ownData(t);
  // The same origin and the same first words, and other keys.
  await rm(join(stranger, 'data'), { recursive: true });
  const { initData, NO_POLICIES } = await import('@assay/node/data/init');
  const options = { origin: 'development/folder', passphrase: undefined, policies: NO_POLICIES };
  await initData(dataFolder(join(stranger, 'data')), nodeSha256, () => 1_700_000_000, options);
  await backupOf(join(stranger, 'data'), join(folder, 'stranger'));
  const url = await serveBackup(t, join(folder, 'stranger'));
  for (const from of [url, join(folder, 'stranger'), join(stranger, 'data')]) {
    const [code, words] = await faultOf(restored(data, [from], { unconfirmed: true }));
    assert.equal(code, 'not_found', words);
  }
  assert.deepEqual(await readdir(data), ['keys']);
});

test('restore: a source from before a change of the key names the file whose key signed it', async (t) => {
  const { data, copy } = await lostDisk(t);
  const { keys } = dataFolder(data);
  await rename(join(keys, 'checkpoint.json'), join(keys, 'checkpoint-0.json'));
  await createKey(join(keys, 'checkpoint.json'));
  const [code, words] = await faultOf(restored(data, [copy], { unconfirmed: true }));
  assert.equal(code, 'not_found', words);
  assert.match(words, /is in keys\/checkpoint-0\.json: a source from before a change/);
});

test('restore: no source, and no key', async (t) => {
  const { data, copy, folder } = await lostDisk(t);
  assert.equal((await faultOf(restored(data, [join(folder, 'nowhere')])))[0], 'not_found');
  await rename(join(data, 'keys'), join(folder, 'keys'));
  assert.equal((await faultOf(restored(data, [copy])))[0], 'key_missing');
  const result = await restored(data, [copy], { keys: join(folder, 'keys'), unconfirmed: true });
  assert.equal(result.verdict.outcome, 'verified');
  assert.equal((await stat(join(data, 'keys', 'checkpoint.json'))).mode & 0o077, 0);
});

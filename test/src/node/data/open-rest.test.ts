import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataFolder, keyPath } from '@assay/node/platform/data-folder';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openRest } from '@assay/node/data/open-rest';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

test('open rest: a log without its report key, one at a time; none where there is none', async (t) => {
  const folder = dataFolder(join(await temporaryFolder(t), 'data'));
  const options = { passphrase: undefined, mirrors: [] };
  const open = () => openRest(folder, nodeSha256, () => NOON, options);
  await assert.rejects(open(), { code: 'not_found' });
  await initData(folder, nodeSha256, () => NOON, {
    origin: 'development/rest',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  await rm(keyPath(folder, 'report'));
  const { ledger } = await open();
  assert.equal(ledger.nextSeq, 1);
  await assert.rejects(open(), { code: 'refused' });
  await ledger.close();
  // Where a mirror is named and none answers, nothing may be written.
  const { ledger: alone } = await openRest(folder, nodeSha256, () => NOON, {
    ...options,
    mirrors: ['http://127.0.0.1:9/'],
  });
  assert.equal(alone.blocked?.code, 'read_only');
  await alone.close();
});

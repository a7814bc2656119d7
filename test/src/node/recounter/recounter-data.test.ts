import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { NO_POLICIES } from '@assay/node/data/init';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { initRecounter, openRecounter } from '@assay/node/recounter/recounter-data';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

const CHOICES = {
  origin: 'development/recounter-test',
  passphrase: undefined,
  policies: NO_POLICIES,
} as const;

test('own log: it is begun once in an empty folder, and opened by one process at a time', async (t) => {
  const root = join(await temporaryFolder(t), 'r');
  const made = await initRecounter(root, nodeSha256, () => NOON, CHOICES);
  await assert.rejects(
    initRecounter(root, nodeSha256, () => NOON, CHOICES),
    { code: 'not_empty' },
  );
  const data = await openRecounter(root, nodeSha256, { passphrase: undefined });
  assert.equal(data.checkpoints.vkey, made.checkpointVkey);
  assert.equal(Buffer.from(data.statement.publicKey).toString('hex'), made.key);
  const peer = await data.peer('http://127.0.0.1:1');
  assert.equal(await data.peer('http://127.0.0.1:1'), peer);
  await assert.rejects(openRecounter(root, nodeSha256, { passphrase: undefined }), {
    code: 'refused',
  });
  await data.close();
  await data.close();
  const again = await openRecounter(root, nodeSha256, { passphrase: undefined, sync: false });
  await again.close();
});

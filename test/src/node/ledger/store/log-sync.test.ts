import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { syncLogs } from '@assay/node/ledger/store/log-sync';
import { temporaryFolder } from '../ledger-fixture.ts';

test('log sync: every log of a folder is synced, and nothing else is opened', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, '000003.log'), 'rows');
  await writeFile(join(folder, '000004.log'), 'more rows');
  await mkdir(join(folder, 'lost+found'));
  // One that LevelDB deletes between the listing and the opening.
  await symlink(join(folder, 'gone'), join(folder, '000005.log'));
  await syncLogs(folder);
  // A file that cannot be opened.
  const socket = createServer();
  t.after(() => socket.close());
  const at = (name: string): Promise<void> =>
    new Promise((done) => void socket.listen(join(folder, name), done));
  await at('LOG.old');
  await syncLogs(folder);
  await new Promise((done) => void socket.close(done));
  await at('000006.log');
  await assert.rejects(syncLogs(folder), { code: 'ENXIO' });
});

test('log sync: a folder that is gone is an error', async (t) => {
  await assert.rejects(syncLogs(join(await temporaryFolder(t), 'none')), { code: 'ENOENT' });
});

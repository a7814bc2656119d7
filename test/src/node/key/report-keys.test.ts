import assert from 'node:assert/strict';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { dataFolder, keyPath } from '@assay/node/platform/data-folder';
import { createKey } from '@assay/node/key/keystore';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  keyFiles,
  openOtherKeys,
  openReportKey,
  readKeyFiles,
  storedKeys,
} from '@assay/node/key/report-keys';
import {
  filledLedger,
  memoryPlace,
  REPORT_SIGNER,
  sealed,
  temporaryFolder,
} from '../ledger/ledger-fixture.ts';

test('report keys: the one that is asked for, whatever its file is called', async (t) => {
  const folder = dataFolder(await temporaryFolder(t));
  await assert.rejects(openReportKey(folder, 'ab'.repeat(32), {}), { code: 'key_missing' });
  assert.equal((await keyFiles(folder)).size, 0);
  const report = await createKey(keyPath(folder, 'report'));
  const next = await createKey(keyPath(folder, 'next-report'));
  await createKey(keyPath(folder, 'checkpoint'));
  const key = formatHex(report.publicKey);
  const opened = async (hex: string): Promise<string> =>
    formatHex((await openReportKey(folder, hex, {})).publicKey);
  assert.equal(await opened(key), key);
  assert.equal(await opened(formatHex(next.publicKey)), formatHex(next.publicKey));
  await rename(keyPath(folder, 'report'), join(folder.keys, 'report-3.json'));
  assert.equal(await opened(key), key);
  await assert.rejects(opened('ab'.repeat(32)), { code: 'key_missing' });
  await rm(join(folder.keys, 'report-3.json'));
  await assert.rejects(opened(key), { code: 'key_missing' });
});

test('report keys: those beside it that open', async (t) => {
  const folder = dataFolder(await temporaryFolder(t));
  const report = await createKey(keyPath(folder, 'report'));
  const old = await createKey(join(folder.keys, 'report-0.json'));
  await createKey(keyPath(folder, 'next-report'), { passphrase: 'of the safe' });
  await createKey(keyPath(folder, 'recovery'));
  const others = await openOtherKeys(folder, report, {});
  assert.deepEqual(
    others.map(({ publicKey }) => publicKey),
    [old.publicKey],
  );
  await chmod(join(folder.keys, 'report-0.json'), 0o640);
  await assert.rejects(openOtherKeys(folder, report, {}), { code: 'key_exposed' });
});

test('report keys: a file that cannot be read hides no other, and is named where the key is not found', async (t) => {
  const folder = dataFolder(await temporaryFolder(t));
  const report = await createKey(keyPath(folder, 'report'));
  const key = formatHex(report.publicKey);
  await rename(keyPath(folder, 'report'), join(folder.keys, 'report-3.json'));
  const exposed = join(folder.keys, 'next-checkpoint.json');
  await createKey(exposed);
  await chmod(exposed, 0o640);
  await writeFile(join(folder.keys, 'checkpoint-2.json'), '', { mode: 0o600 });
  const { files, unread } = await readKeyFiles(folder);
  assert.deepEqual([...files], [['report-3.json', key]]);
  assert.deepEqual(
    [...unread].map(([name, { code }]) => [name, code]),
    [
      ['checkpoint-2.json', 'malformed'],
      ['next-checkpoint.json', 'key_exposed'],
    ],
  );
  assert.equal(formatHex((await openReportKey(folder, key, {})).publicKey), key);
  // Of the files of report keys alone a node with feeds signs.
  assert.deepEqual(await openOtherKeys(folder, report, {}), []);
  await assert.rejects(openReportKey(folder, 'ab'.repeat(32), {}), {
    code: 'key_missing',
    message: /1 others, and checkpoint-2\.json, which cannot be read .*: move it away, and next-ch/,
  });
});

test('report keys: the key in force follows from the entries where its row is damaged', async () => {
  const { store, ...place } = await memoryPlace();
  await filledLedger({ store, ...place }, 3);
  const expected = formatHex(REPORT_SIGNER.publicKey);
  const rows = [];
  for await (const row of store.views()) rows.push(row);
  const [genesis] = rows;
  assert.ok(genesis !== undefined);
  const text = Buffer.from(genesis.value).toString();
  const other = Buffer.from(text.replaceAll(expected, 'ab'.repeat(32)));
  for (const views of [
    [],
    [{ ...genesis, value: other }],
    [sealed({ table: 'keys', key: '1', value: Buffer.from('{}') }), { ...genesis, value: other }],
  ]) {
    await store.commit({ entries: [], tiles: [], views, head: null });
    const { report, checkpoint } = await storedKeys(nodeSha256, store);
    assert.deepEqual(
      report.map(({ key }) => key),
      [expected],
    );
    assert.equal(checkpoint.length, 1);
  }
});

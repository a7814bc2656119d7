import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openDataFolder } from '@assay/cli/reader/data-reader';
import { nodeEnvironment } from '@assay/cli/process/node-environment';
import { type DataFolder, dataFolder, KEY_NAMES, keyPath } from '@assay/node/platform/data-folder';
import { type InitChoices, initData, NO_POLICIES } from '@assay/node/data/init';
import { openKey } from '@assay/node/key/keystore';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { NOON, note, temporaryFolder } from '../ledger/ledger-fixture.ts';

const CHOICES: InitChoices = {
  origin: 'development/init',
  passphrase: undefined,
  policies: NO_POLICIES,
};

async function place(t: TestContext): Promise<DataFolder> {
  return dataFolder(join(await temporaryFolder(t), 'deep', 'data'));
}

const init = (folder: DataFolder, change: Partial<InitChoices> = {}) =>
  initData(folder, nodeSha256, () => NOON, { ...CHOICES, ...change });

test('init: a log with its first entry, its keys, and nothing else', async (t) => {
  const folder = await place(t);
  const { log, checkpointVkey } = await init(folder);
  assert.deepEqual((await readdir(folder.root)).sort(), ['guard', 'head', 'keys', 'ledger']);
  assert.deepEqual(
    (await readdir(folder.keys)).sort(),
    KEY_NAMES.map((name) => `${name}.json`).sort(),
  );
  assert.equal((await stat(folder.root)).mode & 0o777, 0o700);
  for (const name of KEY_NAMES) {
    assert.equal((await stat(keyPath(folder, name))).mode & 0o777, 0o600);
  }
  const data = await openData(folder, nodeSha256, { passphrase: undefined });
  assert.equal(data.checkpoints.vkey, checkpointVkey);
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store: data.store,
    guard: data.guard,
    signed: data.signed,
    signer: data.checkpoints,
    now: () => NOON,
    askHeads: null,
  });
  assert.equal(ledger.log, log);
  assert.equal(ledger.published?.size, 1);
  await ledger.write(() => [note('and on')]);
  await ledger.close();
  const { folder: reader, close } = await openDataFolder(folder.root);
  t.after(close);
  const environment = nodeEnvironment();
  const verdict = await verify({ kind: 'folder', folder: reader }, OPEN_POLICY, { environment });
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict));
});

test('init: a passphrase locks all four keys', async (t) => {
  const folder = await place(t);
  await init(folder, { passphrase: 'correct horse' });
  for (const name of KEY_NAMES) {
    const path = keyPath(folder, name);
    await assert.rejects(openKey(path, { passphrase: undefined }), { code: 'key_locked' });
    await openKey(path, { passphrase: 'correct horse' });
  }
  await assert.rejects(openData(folder, nodeSha256, { passphrase: 'wrong' }), {
    code: 'key_locked',
  });
});

test('init: never over anything', async (t) => {
  const folder = await place(t);
  await init(folder);
  const before = await readdir(folder.root, { recursive: true });
  await assert.rejects(init(folder), { name: 'Fault', code: 'not_empty' });
  assert.deepEqual(await readdir(folder.root, { recursive: true }), before);
  const other = await place(t);
  await mkdir(other.root, { recursive: true });
  await writeFile(join(other.root, 'letter.txt'), 'x');
  await assert.rejects(init(other), { code: 'not_empty' });
  assert.deepEqual(await readdir(other.root), ['letter.txt']);
});

test('init: what an interrupted one left behind does not prevent it', async (t) => {
  const folder = await place(t);
  await mkdir(join(folder.root, '.new-12345', 'keys'), { recursive: true });
  await writeFile(join(folder.root, '.new-12345', 'keys', 'report.json'), '{}');
  await init(folder);
  assert.deepEqual((await readdir(folder.root)).sort(), ['guard', 'head', 'keys', 'ledger']);
});

test('init: one that fails leaves the folder empty', async (t) => {
  const folder = await place(t);
  await assert.rejects(init(folder, { origin: 'NOT AN ORIGIN' }));
  assert.deepEqual(await readdir(folder.root), []);
  await init(folder);
});

test('init: a folder in a place that cannot be written, as a volume is', async (t) => {
  if (process.getuid?.() === 0) return t.skip('this user may write everywhere');
  const folder = await place(t);
  await mkdir(folder.root, { recursive: true });
  const parent = join(folder.root, '..');
  await chmod(parent, 0o555);
  try {
    await init(folder);
  } finally {
    await chmod(parent, 0o755);
  }
});

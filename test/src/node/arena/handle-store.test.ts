import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { toTime } from '@assay/core/time/time';
import {
  HANDLES_FILE,
  HandleStore,
  isSecretOf,
  keyRow,
  newSecret,
  secretRow,
} from '@assay/node/arena/handle-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { failOnce } from '../intake/failing-file.ts';
import { temporaryFolder, testSigner } from '../ledger/ledger-fixture.ts';

const AT = toTime('2026-07-09T02:00:00Z');
const SALT = new Uint8Array(32).fill(7);
const options = { sha256: nodeSha256, sync: false };

test('handle store: a name is found in any spelling that folds to it, also after a restart', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await HandleStore.open(folder, options);
  const ada = secretRow(nodeSha256, 'Ada-1', { salt: SALT, secret: newSecret() }, AT);
  const bob = keyRow(nodeSha256, 'bob', testSigner(9).publicKey, AT);
  await store.add([ada, bob]);
  await store.close();
  const again = await HandleStore.open(folder, options);
  for (const each of [store, again]) {
    assert.deepEqual(each.named('ADA-1'), ada);
    assert.deepEqual(each.get(bob.handle), bob);
    assert.equal(each.named('ada_1'), undefined);
    assert.equal(each.get('00'.repeat(16)), undefined);
  }
  assert.equal((await stat(join(folder, HANDLES_FILE))).mode & 0o777, 0o600);
  await again.close();
});

test('handle store: only the hash of a secret is stored, and it is what tells the right one', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await HandleStore.open(folder, options);
  const secret = newSecret();
  const row = secretRow(nodeSha256, 'ada', { salt: SALT, secret }, AT);
  await store.add([row]);
  await store.close();
  const stored = await readFile(join(folder, HANDLES_FILE), 'utf8');
  assert.ok(!stored.includes(formatHex(secret)));
  assert.ok(isSecretOf(nodeSha256, row, formatHex(secret)));
  for (const other of [formatHex(newSecret()), '', row.secret_sha256 ?? '', formatHex(SALT)]) {
    assert.equal(isSecretOf(nodeSha256, row, other), false, other);
  }
  const keyed = keyRow(nodeSha256, 'bob', testSigner(9).publicKey, AT);
  assert.equal(isSecretOf(nodeSha256, keyed, formatHex(secret)), false);
});

test('handle store: a name that is forgotten is nowhere in the file, and others stay', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await HandleStore.open(folder, options);
  const ada = secretRow(nodeSha256, 'ada', { salt: SALT, secret: newSecret() }, AT);
  const bob = keyRow(nodeSha256, 'bob', testSigner(9).publicKey, AT);
  await store.add([ada, bob]);
  assert.equal(await store.forget(ada.handle), true);
  assert.equal(await store.forget(ada.handle), false);
  const text = await readFile(join(folder, HANDLES_FILE), 'utf8');
  for (const part of ['ada', ada.salt, ada.secret_sha256, ada.handle]) {
    assert.ok(!text.includes(part ?? ''), `${part}`);
  }
  assert.equal(store.named('ada'), undefined);
  const carol = secretRow(nodeSha256, 'carol', { salt: SALT, secret: newSecret() }, AT);
  await store.add([carol]);
  await store.close();
  const again = await HandleStore.open(folder, options);
  assert.equal(again.get(ada.handle), undefined);
  assert.deepEqual([again.named('bob'), again.named('carol')], [bob, carol]);
  await again.close();
});

test('handle store: a name that could not be forgotten is still there, and can be forgotten later', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await HandleStore.open(folder, options);
  const ada = secretRow(nodeSha256, 'ada', { salt: SALT, secret: newSecret() }, AT);
  await store.add([ada]);
  await failOnce(t, 'writeFile');
  await assert.rejects(store.forget(ada.handle), { code: 'ENOSPC' });
  assert.deepEqual(store.named('ada'), ada);
  await store.add([keyRow(nodeSha256, 'bob', testSigner(9).publicKey, AT)]);
  assert.equal(await store.forget(ada.handle), true);
  await store.close();
  const again = await HandleStore.open(folder, options);
  assert.equal(again.named('ada'), undefined);
  assert.ok(again.named('bob') !== undefined);
  await again.close();
});

test('handle store: of two rows with one name the later counts', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await HandleStore.open(folder, options);
  const first = secretRow(nodeSha256, 'ada', { salt: SALT, secret: newSecret() }, AT);
  const salt = new Uint8Array(32).fill(8);
  const second = secretRow(nodeSha256, 'Ada', { salt, secret: newSecret() }, AT);
  await store.add([first]);
  await store.add([second]);
  assert.deepEqual(store.named('ada'), second);
  assert.equal(store.get(first.handle), undefined);
  await store.close();
});

test('handle store: a row whose id is of something else is refused', async (t) => {
  const folder = await temporaryFolder(t);
  const row = secretRow(nodeSha256, 'ada', { salt: SALT, secret: newSecret() }, AT);
  const key = formatHex(testSigner(9).publicKey);
  for (const change of [
    { name: 'bob' },
    { salt: 'ab'.repeat(32) },
    { key },
    { salt: null, key },
    { secret_sha256: null },
    { name: 'house-last' },
    { more: 1 },
  ]) {
    const path = join(folder, HANDLES_FILE);
    await writeFile(path, `${JSON.stringify({ ...row, ...change })}\n`);
    const at = `${path}: line 1`;
    await assert.rejects(HandleStore.open(folder, options), { code: 'ledger_corrupt', at });
  }
});

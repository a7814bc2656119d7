import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { ledgerParts, openData } from '@assay/node/data/open-data';
import { Ledger } from '@assay/node/ledger/ledger';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openHsmKeys } from '@assay/node/signer/hsm-keys';
import { makeSigner } from '@assay/node/signer/make-signer';
import { runSigner } from '@assay/node/signer/run-signer';
import { type SignerFolder, signerFolder } from '@assay/node/signer/signer-terms';
import { assay, type Ran, scratch } from '../src/cli/fixture/run.ts';
import { note } from '../src/node/ledger/ledger-fixture.ts';
import { PIN, pkcs11Binding, softHsm, softToken, TOKEN } from './pkcs11-peers.ts';

const NOW = 1_785_414_600;

test('a checkpoint key on a token is replaced by one that is brought there: from the copies of its file', async (t) => {
  const hsm = softHsm();
  if ('missing' in hsm) return t.skip(hsm.missing);
  const binding = await pkcs11Binding();
  if ('missing' in binding) return t.skip(binding.missing);
  const root = await scratch(t);
  await softToken(root);
  const data = dataFolder(join(root, 'data'));
  const { checkpointVkey } = await initData(data, nodeSha256, () => NOW, {
    origin: 'development/hsm-ceremony',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const file = join(data.keys, 'checkpoint.json');
  await bringToToken(root, join(data.keys, 'report.json'), 'report', '01');
  await bringToToken(root, file, 'checkpoint-0', '02');
  /** A new signer whose keys are on the token, and its folder. */
  const signerOf = async (name: string, checkpoint: string): Promise<SignerFolder> => {
    const folder = signerFolder(join(root, name));
    const terms = { module: hsm.module, token: TOKEN, checkpoint, report: ['report'] };
    await makeSigner(nodeSha256, data, folder, terms);
    return folder;
  };
  const first = await signerOf('signer-0', 'checkpoint-0');
  assert.equal(await written(binding.folder, data.root, first, 3), 4);

  // The file is in a safe, and a token gives no key away: a ceremony without the file changes nothing.
  const safe = join(root, 'safe');
  await mkdir(safe);
  await rename(file, join(safe, 'checkpoint.json'));
  const keys = (command: string): Promise<Ran> => assay(root, ['keys', command, 'data', '--yes']);
  const missing = await keys('promise-checkpoint');
  assert.equal(missing.code, 3);
  assert.match(missing.err, /\[key_missing\]/);
  await rename(join(safe, 'checkpoint.json'), file);
  for (const command of ['promise-checkpoint', 'rotate-checkpoint']) {
    const done = await keys(command);
    assert.equal(done.code, 0, done.err);
  }

  // The signer with the key before is of no use to the node, and another has the new key on the same token.
  await assert.rejects(written(binding.folder, data.root, first, 1), {
    code: 'refused',
    message: /assay signer init makes the signer again/,
  });
  await bringToToken(root, file, 'checkpoint-1', '03');
  await assert.rejects(
    written(binding.folder, data.root, await signerOf('signer-x', 'checkpoint-0'), 1),
    { code: 'key_missing' },
  );
  const second = await signerOf('signer-1', 'checkpoint-1');
  // Where both files are gone from the machine, the token alone signs.
  await rename(file, join(safe, 'checkpoint-1.json'));
  assert.equal(await written(binding.folder, data.root, second, 3), 9);
  const verdict = await assay(root, ['verify', 'data', '--key', checkpointVkey]);
  assert.equal(verdict.code, 0, verdict.out + verdict.err);
  assert.match(verdict.out, /^VERIFIED/);
});

/** Imports the key of a key file into the token, under a label. */
async function bringToToken(root: string, path: string, label: string, id: string): Promise<void> {
  const { private_key: seed } = JSON.parse(await readFile(path, 'utf8')) as {
    readonly private_key: string;
  };
  // PKCS #8 of Ed25519 (RFC 8410, section 7).
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex').toString('base64');
  const pem = join(root, `${label}.pem`);
  await writeFile(pem, `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`);
  const importing = ['--import', pem, '--token', TOKEN, '--label', label, '--id', id, '--pin', PIN];
  execFileSync('softhsm2-util', importing, { stdio: 'ignore' });
}

/** The size of the log after a node has written `count` notes, whose heads a signer has signed. */
async function written(
  binding: string,
  root: string,
  folder: SignerFolder,
  count: number,
): Promise<number | undefined> {
  const signer = await runSigner({
    folder,
    sha256: nodeSha256,
    passphrase: undefined,
    place: undefined,
    openHsm: (each) => openHsmKeys(each, PIN, binding),
    log: { info: () => undefined, warn: () => undefined },
  });
  try {
    const opened = await openData(dataFolder(root), nodeSha256, {
      passphrase: undefined,
      signer: folder.socket,
    });
    const ledger = await Ledger.open({
      sha256: nodeSha256,
      ...ledgerParts(opened),
      now: () => NOW,
      askHeads: null,
    });
    for (let i = 0; i < count; i += 1) await ledger.write(() => [note(`note ${i}`)]);
    const size = ledger.published?.size;
    await ledger.close();
    return size;
  } finally {
    await signer.close();
  }
}

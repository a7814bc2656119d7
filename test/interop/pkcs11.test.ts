import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ledger } from '@assay/node/ledger/ledger';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { genesisOf } from '@assay/node/data/genesis';
import { ledgerParts, openData } from '@assay/node/data/open-data';
import { openGuard } from '@assay/node/ledger/guard/open-guard';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { openHsmKeys } from '@assay/node/signer/hsm-keys';
import { makeSigner } from '@assay/node/signer/make-signer';
import { runSigner } from '@assay/node/signer/run-signer';
import { signerFolder } from '@assay/node/signer/signer-terms';
import { verify } from '@assay/verifier';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { NOON, note, temporaryFolder, testSigner } from '../src/node/ledger/ledger-fixture.ts';
import { PIN, pkcs11Binding, softHsm, softToken } from './pkcs11-peers.ts';

const ORIGIN = 'development/hsm';

test('a log whose keys were made in SoftHSM and never leave it: written, verified, and never signed twice', async (t) => {
  const hsm = softHsm();
  if ('missing' in hsm) return t.skip(hsm.missing);
  const binding = await pkcs11Binding();
  if ('missing' in binding) return t.skip(binding.missing);
  const root = await temporaryFolder(t);
  await softToken(root);
  const env = { ...process.env, ASSAY_TEST_PIN: PIN };
  const generate = [
    '--module',
    hsm.module,
    '--token-label',
    'assay',
    '--login',
    '--pin',
    'env:ASSAY_TEST_PIN',
    '--keypairgen',
    '--key-type',
    'EC:edwards25519',
  ];
  for (const [i, label] of ['checkpoint', 'report'].entries()) {
    execFileSync('pkcs11-tool', generate.concat('--label', label, '--id', `0${i + 1}`), {
      env,
      stdio: 'ignore',
    });
  }
  const terms = {
    module: hsm.module,
    token: 'assay',
    checkpoint: 'checkpoint',
    report: ['report'],
  };
  await assert.rejects(openHsmKeys(terms, '9999', binding.folder), { code: 'key_locked' });
  await assert.rejects(openHsmKeys({ ...terms, token: 'other' }, PIN, binding.folder), {
    code: 'key_missing',
  });
  await assert.rejects(openHsmKeys({ ...terms, report: ['none'] }, PIN, binding.folder), {
    code: 'key_missing',
  });

  // A log that begins with the public halves of the device's keys.
  const data = dataFolder(join(root, 'data'));
  const made = await openHsmKeys(terms, PIN, binding.folder);
  const [checkpoint, report] = made.keys;
  assert.ok(checkpoint !== undefined && report !== undefined);
  for (const length of [1, 128, 4096]) {
    const message = new Uint8Array(length).fill(7);
    const signature = await report.sign(message);
    assert.ok(nodeVerifySignature(report.publicKey, message, signature), `${length} bytes`);
  }
  await mkdir(data.root);
  const local = checkpointSigner(nodeSha256, ORIGIN, checkpoint as ReturnType<typeof testSigner>);
  const first = await Ledger.open({
    sha256: nodeSha256,
    store: await openLevelStore(data.ledger),
    ...(await openGuard(data)),
    signer: local,
    now: () => NOON,
    askHeads: null,
  });
  const genesis = genesisOf(
    nodeSha256,
    {
      report: report as ReturnType<typeof testSigner>,
      nextReport: testSigner(3),
      recovery: testSigner(4),
    },
    {
      origin: ORIGIN,
      checkpointVkey: local.vkey,
      chain: null,
      program: null,
      policies: { cosigners_required: 0, witnesses_required: 0, witness_max_age_s: 0 },
    },
  );
  await first.write(() => [{ kind: 'genesis/1', body: genesis }]);
  await first.close();
  await made.close();

  const folder = signerFolder(join(root, 'signer'));
  await makeSigner(nodeSha256, data, folder, terms);
  const signer = await runSigner({
    folder,
    sha256: nodeSha256,
    passphrase: undefined,
    place: undefined,
    openHsm: (each) => openHsmKeys(each, PIN, binding.folder),
    log: { info: () => undefined, warn: () => undefined },
  });
  t.after(() => signer.close());
  const opened = await openData(data, nodeSha256, { passphrase: undefined, signer: folder.socket });
  const { store, checkpoints } = opened;
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    ...ledgerParts(opened),
    now: () => NOON,
    askHeads: null,
  });
  for (let i = 0; i < 5; i += 1) await ledger.write(() => [note(`note ${i}`)]);
  assert.equal(ledger.published?.size, 6);
  const verdict = await verify(
    {
      kind: 'folder',
      folder: {
        rows: () => store.rows(),
        guard: async () => ledger.published?.note,
        blob: new MemoryBlobStore().get,
      },
    },
    OPEN_POLICY,
    { environment: { sha256: nodeSha256, verifySignature: nodeVerifySignature as never } },
  );
  assert.equal(verdict.outcome, 'verified', JSON.stringify(verdict));
  const { root: head } = ledger.published as NonNullable<typeof ledger.published>;
  const other = new Uint8Array(head);
  other[0] = (other[0] as number) ^ 1;
  await assert.rejects(
    async () => checkpoints.sign(6, other as typeof head, () => Promise.resolve([])),
    { code: 'would_fork' },
  );
  await ledger.close();
});

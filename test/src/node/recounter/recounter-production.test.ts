import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatNoteKey, NOTE_COSIGNATURE } from '@assay/core/log/note';
import { NO_POLICIES } from '@assay/node/data/init';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { initRecounter } from '@assay/node/recounter/recounter-data';
import { parseRecounterConfig } from '@assay/node/recounter/recounter-config';
import { startRecounterFromConfig } from '@assay/node/recounter/recounter-production';
import { CHECKPOINTS, NOON, temporaryFolder, testSigner } from '../ledger/ledger-fixture.ts';

const QUIET = makeLogger('silent');

test('recounter production: what init made runs from its config, again and again', async (t) => {
  const root = join(await temporaryFolder(t), 'r');
  const made = await initRecounter(root, nodeSha256, () => NOON, {
    origin: 'development/recounter-test',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const config = (change: object = {}) =>
    parseRecounterConfig(
      {
        publisher: { url: 'http://127.0.0.1:1', checkpoint_vkey: CHECKPOINTS.vkey, ...change },
        data: root,
        port: 0,
        name: 'Test',
        contact: 'ops@example.org',
        transport: 'node',
        poll_s: 3600,
      },
      {},
      '/',
    );
  for (let life = 0; life < 2; life += 1) {
    const running = await startRecounterFromConfig(config(), {}, QUIET);
    assert.equal(running.key, made.key);
    assert.equal(running.log, made.log);
    const looked = await running.follow();
    assert.match(looked.trouble ?? '', /could not be followed/);
    const status = await fetch(`http://127.0.0.1:${running.port}/status`);
    assert.equal(status.status, 200);
    await running.close();
    await running.close();
  }
  await assert.rejects(startRecounterFromConfig(config({ checkpoint_vkey: 'x' }), {}, QUIET), {
    code: 'bad_config',
    at: 'publisher.checkpoint_vkey',
  });
  await assert.rejects(
    startRecounterFromConfig(config({ witnesses: [CHECKPOINTS.vkey] }), {}, QUIET),
    { code: 'bad_config', at: 'publisher.witnesses.0' },
  );
});

test('recounter production: a log that asks for witnesses starts before anybody has cosigned it', async (t) => {
  const root = join(await temporaryFolder(t), 'r');
  const made = await initRecounter(root, nodeSha256, () => NOON, {
    origin: 'development/recounter-test',
    passphrase: undefined,
    policies: { ...NO_POLICIES, witnesses_required: 1 },
  });
  const signer = testSigner(77);
  const vkey = formatNoteKey(nodeSha256, 'witness', signer.publicKey, NOTE_COSIGNATURE);
  // It answers, and has seen nothing of the log yet.
  const witness = createServer((_, response) => response.writeHead(404).end());
  witness.listen(0, '127.0.0.1');
  await once(witness, 'listening');
  t.after(() => witness.close());
  const url = `http://127.0.0.1:${(witness.address() as AddressInfo).port}`;
  const config = parseRecounterConfig(
    {
      publisher: { url: 'http://127.0.0.1:1', checkpoint_vkey: CHECKPOINTS.vkey },
      data: root,
      port: 0,
      name: 'Test',
      contact: 'ops@example.org',
      transport: 'node',
      poll_s: 3600,
      witnesses: [{ url, vkey }],
    },
    {},
    '/',
  );
  const running = await startRecounterFromConfig(config, {}, QUIET);
  assert.equal(running.log, made.log);
  await running.close();
});

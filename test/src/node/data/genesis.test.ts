import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { logRow } from '@assay/core/view/log';
import { appendGenesis } from '@assay/node/data/genesis';
import { NO_POLICIES } from '@assay/node/data/init';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  CHECKPOINTS,
  memoryPlace,
  openAt,
  requireSound,
  testSigner,
} from '../ledger/ledger-fixture.ts';

const KEYS = { report: testSigner(1), nextReport: testSigner(3), recovery: testSigner(4) };
const CHOICES = {
  origin: 'log.example/assay',
  checkpointVkey: CHECKPOINTS.vkey,
  chain: null,
  program: null,
  policies: NO_POLICIES,
};

const committed = (byte: number): string =>
  hashHex(contentHash(nodeSha256, testSigner(byte).publicKey));

test('genesis: names the keys in force and commits to the ones for later', async () => {
  const place = await memoryPlace();
  const ledger = await openAt(place);
  const log = await appendGenesis(ledger, nodeSha256, KEYS, CHOICES);
  assert.equal(ledger.log, log);
  assert.deepEqual(logRow(ledger.shown), {
    log,
    origin: 'log.example/assay',
    network: 'production',
    report_key: formatHex(testSigner(1).publicKey),
    checkpoint_vkey: CHECKPOINTS.vkey,
    next_report_key_sha256: committed(3),
    recovery_key_sha256: committed(4),
    chain: null,
    program: null,
    policies: { cosigners_required: 0, witnesses_required: 0, witness_max_age_s: 0 },
  });
  await requireSound(place.store, 1);
});

test('genesis: the origin alone says that a log is for development', async () => {
  for (const [origin, network] of [
    ['development/a', 'development'],
    ['developments.example/a', 'production'],
  ] as const) {
    const ledger = await openAt(await memoryPlace());
    await appendGenesis(ledger, nodeSha256, KEYS, { ...CHOICES, origin });
    assert.equal(logRow(ledger.shown)?.network, network);
  }
});

test('genesis: once', async () => {
  const ledger = await openAt(await memoryPlace());
  await appendGenesis(ledger, nodeSha256, KEYS, CHOICES);
  await assert.rejects(appendGenesis(ledger, nodeSha256, KEYS, CHOICES), { code: 'wrong_head' });
  assert.equal(ledger.nextSeq, 1);
});

test('genesis: choices that a log cannot have leave it empty', async () => {
  const ledger = await openAt(await memoryPlace());
  for (const change of [{ origin: 'UPPER' }, { origin: '' }, { chain: 'x' }, { program: '0' }]) {
    await assert.rejects(appendGenesis(ledger, nodeSha256, KEYS, { ...CHOICES, ...change }), {
      code: 'malformed',
    });
  }
  assert.equal(ledger.nextSeq, 0);
});

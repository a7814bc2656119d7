import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { signerPayload } from '@assay/core/answer/signer';
import { seriesId } from '@assay/core/report/print';
import type { Ticker } from '@assay/core/rule/ticker';
import { checkpointVkey } from '@assay/core/view/key/checkpoint-keys';
import { firstCheckpointKey } from '@assay/core/view/key/keys';
import { MemoryViews } from '@assay/core/view/state';
import { recountedLog, SET, SET_HASH } from '../fixture/cosigner-fixture.ts';
import { GENESIS, SampleLog, sha256 } from '../fixture/fixture.ts';
import {
  committed,
  FIRST,
  FOURTH,
  FRESH,
  RECOVERY,
  RECOVERY_2,
  recovery,
  THIRD,
} from '../fixture/key-fixture.ts';
import { smallLog } from '../view/small-log.ts';

test('signer payload: the exact shape', () => {
  const { log, views } = smallLog();
  const { report_key: key, ...rest } = GENESIS;
  assert.deepEqual(signerPayload(views, sha256), {
    ...rest,
    log_id: log,
    report_key: { algorithm: 'Ed25519', public_key: key },
    keys: [
      { purpose: 'report', number: 0, key, from_seq: 0, to_seq: null, revoked: false },
      {
        purpose: 'checkpoint',
        number: 0,
        key: rest['checkpoint_vkey'],
        from_seq: 0,
        to_seq: null,
        revoked: false,
      },
    ],
    cosigner_sets: [],
    series: {
      CPI: formatHex(seriesId(sha256, log, 'CPI' as Ticker)),
      LAYOFFS: formatHex(seriesId(sha256, log, 'LAYOFFS' as Ticker)),
    },
  });
  assert.equal(signerPayload(new MemoryViews(), sha256), undefined);
});

test('signer payload: every set of co-signers, and from when it holds', () => {
  const { views } = recountedLog();
  const { number, threshold, cosigners } = SET;
  assert.deepEqual(signerPayload(views, sha256)?.cosigner_sets, [
    {
      number,
      hash: SET_HASH,
      effective_at: '2026-07-30T12:00:00Z',
      threshold,
      cosigners,
      seq: 1,
    },
  ]);
});

test('signer payload: the checkpoint key in force, those before it, and the recovery key that a promise left', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('key/2', {
    type: 'checkpoint-promise',
    number: 1,
    next_checkpoint_sha256: committed(THIRD),
    recovery_key: RECOVERY.key,
    next_recovery_key_sha256: committed(RECOVERY_2),
    signature: '00'.repeat(64),
  });
  assert.deepEqual(signerPayload(log.views, sha256)?.checkpoint_promise, { number: 1, seq: 1 });
  log.append('key/2', {
    type: 'checkpoint-key',
    number: 1,
    cause: 'rotation',
    replaces: firstCheckpointKey(log.views),
    key: THIRD.key,
    last_size: 3,
    next_checkpoint_sha256: committed(FOURTH),
    recovery_key: null,
    next_recovery_key_sha256: committed(RECOVERY_2),
    signatures: { old: '00'.repeat(64), new: '00'.repeat(64), recovery: null },
  });
  const payload = signerPayload(log.views, sha256);
  const vkey = checkpointVkey(log.views, THIRD.key, sha256);
  assert.equal(payload?.checkpoint_vkey, vkey);
  assert.equal(payload?.recovery_key_sha256, committed(RECOVERY_2));
  const first = GENESIS['checkpoint_vkey'];
  const common = { purpose: 'checkpoint', revoked: false };
  assert.deepEqual(payload?.keys.slice(1), [
    { ...common, number: 0, key: first, from_seq: 0, to_seq: 2 },
    { ...common, number: 1, key: vkey, from_seq: 2, promised_by: 1, to_seq: null },
  ]);
  // The next one is promised by the entry of the key, which is listed.
  assert.ok(!('checkpoint_promise' in payload));
});

test('signer payload: the key in force, and those before it', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('key/1', recovery(log.log));
  const payload = signerPayload(log.views, sha256);
  assert.equal(payload?.report_key.public_key, FRESH.key);
  assert.equal(payload.next_report_key_sha256, committed(FOURTH));
  assert.equal(payload.recovery_key_sha256, committed(RECOVERY_2));
  assert.deepEqual(payload.keys.slice(0, 2), [
    { purpose: 'report', number: 0, key: FIRST.key, from_seq: 0, to_seq: 1, revoked: true },
    { purpose: 'report', number: 1, key: FRESH.key, from_seq: 1, to_seq: null, revoked: false },
  ]);
});

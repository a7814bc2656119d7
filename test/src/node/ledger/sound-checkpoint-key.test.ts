import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import {
  requireCheckpointKeySignatures,
  requireSoundCheckpointKey,
} from '@assay/node/ledger/sound-checkpoint-key';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { keyBody, promiseBody } from '../mirror/checkpoint-bodies.ts';
import { PaperPublisher } from '../mirror/paper-publisher.ts';

const code = 'ledger_corrupt';

test('sound checkpoint key: a promise, a rotation and a recovery, each signed by all of its keys', () => {
  const log = new PaperPublisher();
  const promise = promiseBody(log.log);
  const first = log.views();
  requireSoundCheckpointKey(code, promise, { log: log.log, seq: 1 }, first, nodeSha256);
  const forged = { ...promise, signature: '00'.repeat(64) };
  const check = (): void =>
    requireSoundCheckpointKey(code, forged, { log: log.log, seq: 1 }, first, nodeSha256);
  assert.throws(check, { code, at: 'entry 1/signature' });
  const promised = log.promise().views();
  const at = { log: log.log, seq: 2, number: 1, recoveries: 1 };
  for (const cause of ['rotation', 'recovery'] as const) {
    const body = keyBody(at, cause);
    requireSoundCheckpointKey(code, body, at, promised, nodeSha256);
    for (const [name, signature] of Object.entries(body.signatures)) {
      if (signature === null) continue;
      const signatures = { ...body.signatures, [name]: '00'.repeat(64) };
      const bad = { ...body, signatures };
      const place = `entry 2/signatures/${name}`;
      assert.throws(() => requireCheckpointKeySignatures(code, bad, at), { code, at: place });
    }
    // It is of this log and of no other.
    const other = { ...at, log: 'ab'.repeat(32) as typeof at.log };
    assert.throws(() => requireCheckpointKeySignatures(code, body, other), { code });
  }
});

test('sound checkpoint key: what the rows do not allow, and a key outside the prime-order group', () => {
  const log = new PaperPublisher().promise();
  const rows = log.views();
  const at = { log: log.log, seq: 2, number: 1, recoveries: 1 };
  const early = keyBody({ ...at, seq: 3 }, 'rotation');
  const check = (): void => requireSoundCheckpointKey(code, early, at, rows, nodeSha256);
  assert.throws(check, { code, at: 'entry 2/last_size' });
  const identity = new Uint8Array(32);
  identity[0] = 1;
  const committed = hashHex(contentHash(nodeSha256, identity));
  const weak = new PaperPublisher({ recovery_key_sha256: committed });
  const promise = { ...promiseBody(weak.log), recovery_key: formatHex(identity) };
  const promised = (): void =>
    requireSoundCheckpointKey(code, promise, { log: weak.log, seq: 1 }, weak.views(), nodeSha256);
  assert.throws(promised, { code, at: 'entry 1/recovery_key' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { toHashHex, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { parseSubmissionReceipt, submissionMessage } from '@assay/core/intake/submission-receipt';
import { wire } from '@assay/core/wire/wire';
import { heldBy, submissionReceipt } from '@assay/node/intake/submission-receipts';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import type { Published } from '@assay/node/ledger/ledger';
import { CHECKPOINTS, REPORT_SIGNER } from '../ledger/ledger-fixture.ts';

const PLACE = {
  log: ZERO_HASH_HEX,
  subject: 'claims-2026-08-22',
  ordinal: 3,
  leaf: toHashHex('ab'.repeat(32)),
  nonce: 'cd'.repeat(32),
};

function published(size: number, witnesses: number): Published {
  const root = parseHex('11'.repeat(32)) as Published['root'];
  const note = CHECKPOINTS.sign(size, root);
  const line = `— witness.example/ada ${Buffer.alloc(76, 1).toString('base64')}\n`;
  return { size, root, note: concatBytes(note, Buffer.from(line.repeat(witnesses))) };
}

test('submission receipts: the report key signs the place, and whoever has the key can check it', async () => {
  const receipt = await submissionReceipt(
    nodeSha256,
    REPORT_SIGNER,
    { published: published(9, 1) },
    {
      ...PLACE,
      seq: 8,
    },
  );
  assert.deepEqual(parseSubmissionReceipt(wire(receipt), ''), receipt);
  assert.equal(receipt.key, formatHex(REPORT_SIGNER.publicKey));
  const { key, signature } = receipt;
  const message = submissionMessage(nodeSha256, PLACE);
  assert.ok(nodeVerifySignature(parseHex(key), message, parseHex(signature)));
  assert.equal(receipt.held, 'second_machine');
});

test('submission receipts: a second machine holds what a witnessed checkpoint covers, and nothing else', () => {
  assert.equal(heldBy({ published: undefined }, 0), 'one_disk');
  assert.equal(heldBy({ published: published(9, 0) }, 8), 'one_disk');
  assert.equal(heldBy({ published: published(9, 1) }, 8), 'second_machine');
  assert.equal(heldBy({ published: published(9, 1) }, 9), 'one_disk');
});

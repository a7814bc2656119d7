import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEvidence } from '@assay/core/proof/evidence';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { parseNoteKey } from '@assay/core/log/note';
import { formatTlogProof } from '@assay/core/log/tlog-proof';
import { inclusionProof } from '@assay/node/cosign/inclusion-proof';
import type { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { leftOut } from '@assay/node/recounter/poll/left-out';
import type { ReceiptProof } from '@assay/node/recounter/poll/receipts';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { CHECKPOINTS, filledLedger, memoryPlace, note } from '../../ledger/ledger-fixture.ts';

import { mirrorPlace, openMirror } from '../../mirror/mirror-fixture.ts';
import { PaperPublisher } from '../../mirror/paper-publisher.ts';

const KEY = parseNoteKey(nodeSha256, CHECKPOINTS.vkey);

async function receiptOf(ledger: Ledger, index: number): Promise<ReceiptProof> {
  const { size, note: checkpoint } = ledger.published ?? assert.fail();
  const leaf = hashHex(leafHash(nodeSha256, (await ledger.entry(index)) ?? assert.fail()));
  const hashes = await inclusionProof(nodeSha256, ledger, index, size);
  return { leaf, proof: formatTlogProof({ index, hashes, checkpoint }) };
}

/** As a copy of the log shows it. */
function copyOf(ledger: Ledger): Parameters<typeof leftOut>[1] {
  const { size, note: head } = ledger.published ?? assert.fail();
  return {
    size,
    note: head,
    entry: (seq) => ledger.entry(seq),
    tile: (tile) => ledger.tile(tile),
    keyOf: () => KEY,
    terms: [],
    closingHead: () => Promise.resolve(undefined),
  };
}

/** A log that goes on otherwise behind its first entries. */
async function otherwise(same: number, size: number): Promise<Ledger> {
  const ledger = await filledLedger(await memoryPlace(), same - 1);
  while (ledger.nextSeq < size) {
    await ledger.write(() => [note(`another ${ledger.nextSeq}`)]);
  }
  return ledger;
}

test('left out: another entry in the place, in a smaller tree, in one as large and in a larger one', async () => {
  const promised = await filledLedger(await memoryPlace(), 20);
  const receipt = await receiptOf(promised, 9);
  const needs = { sha256: nodeSha256, verifySignature: nodeVerifySignatureAsync };
  for (const size of [10, 13, 21, 30]) {
    const evidence = await leftOut(nodeSha256, copyOf(await otherwise(6, size)), receipt);
    assert.ok(evidence !== undefined, `${size}`);
    const verdict = await checkEvidence(formatEvidence(evidence), needs);
    assert.ok(verdict.proven && verdict.log === promised.log, JSON.stringify(verdict.faults));
    assert.match(verdict.says, new RegExp(`receipt for entry 9, and signed a tree of ${size} `));
  }
});

test('left out: a receipt under a key that has ended is held against the closing head of it', async () => {
  const promised = new PaperPublisher().promise().notes(8);
  const given = promised.record();
  const leaf = hashHex(leafHash(nodeSha256, promised.entries[6] as Uint8Array));
  const hashes = await inclusionProof(nodeSha256, given, 6, promised.size);
  const checkpoint = promised.head();
  const receipt = { leaf, proof: formatTlogProof({ index: 6, hashes, checkpoint }) };
  const other = new PaperPublisher().promise().notes(6, 'other').rotate().notes(2);
  const mirror = await openMirror(await mirrorPlace(), other.serve());
  await mirror.follow();
  const evidence = (await leftOut(nodeSha256, mirror, receipt)) ?? assert.fail();
  const needs = { sha256: nodeSha256, verifySignature: nodeVerifySignatureAsync };
  const verdict = await checkEvidence(formatEvidence(evidence), needs);
  assert.ok(verdict.proven && verdict.log === other.log, JSON.stringify(verdict.faults));
  assert.match(verdict.says, /receipt for entry 6, and signed a tree of 9 /);
});

test('left out: nothing of an entry in its place, and of a log that ends before it', async () => {
  const promised = await filledLedger(await memoryPlace(), 20);
  const receipt = await receiptOf(promised, 9);
  assert.equal(await leftOut(nodeSha256, copyOf(promised), receipt), undefined);
  const short = copyOf(await otherwise(6, 9));
  assert.equal(await leftOut(nodeSha256, short, receipt), undefined);
  const none = { ...short, size: 0, note: undefined, entry: () => Promise.resolve(undefined) };
  assert.equal(await leftOut(nodeSha256, none, receipt), undefined);
});

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashHex, type HashHex, leafHash } from '@assay/core/hash/hash';
import { parseNoteKey } from '@assay/core/log/note';
import { formatTlogProof } from '@assay/core/log/tlog-proof';
import { inclusionProof } from '@assay/node/cosign/inclusion-proof';
import type { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { MAX_RECEIPTS, receiptIn, receiptOf, Receipts } from '@assay/node/recounter/poll/receipts';
import { postTo } from '@assay/node/recounter/publisher-post';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import {
  CHECKPOINTS,
  filledLedger,
  memoryPlace,
  note,
  temporaryFolder,
} from '../../ledger/ledger-fixture.ts';
import { CosignedWorld, RELEASE } from '../../cosign/cosigner-fixture.ts';
import { Disk, heldOf, recounterOn, TestPublisher } from '../recounter-world.ts';

const KEY = parseNoteKey(nodeSha256, CHECKPOINTS.vkey);
const REPORT = 'ab'.repeat(32) as HashHex;

/** The answer of a publisher that has taken entry `seq` of this ledger. */
async function answerOf(ledger: Ledger, seq: number): Promise<object> {
  const { size, note: checkpoint } = ledger.published ?? assert.fail();
  const leaf = hashHex(leafHash(nodeSha256, (await ledger.entry(seq)) ?? new Uint8Array()));
  const hashes = await inclusionProof(nodeSha256, ledger, seq, size);
  return { entry: { seq, leaf }, proof: formatTlogProof({ index: seq, hashes, checkpoint }) };
}

test('a receipt: the signed head of a proof that holds, and nothing of one that does not', async () => {
  const ledger = await filledLedger(await memoryPlace(), 20);
  const good = (await answerOf(ledger, 7)) as {
    readonly entry: { readonly seq: number; readonly leaf: string };
    readonly proof: string;
  };
  const receipt = receiptIn(nodeSha256, () => KEY, good);
  assert.deepEqual(receipt, { leaf: good.entry.leaf, proof: good.proof });
  for (const [what, answer] of [
    ['no answer', null],
    ['text', 'x'],
    ['no entry', { proof: good.proof }],
    ['no proof', { entry: good.entry, proof: null }],
    ['another entry', { ...good, entry: { ...good.entry, seq: 8 } }],
    ['another leaf', { ...good, entry: { ...good.entry, leaf: '00'.repeat(32) } }],
    ['no leaf', { ...good, entry: { ...good.entry, leaf: null } }],
    ['another size', { ...good, proof: good.proof.replace('\n21\n', '\n20\n') }],
    ['a proof cut short', { ...good, proof: good.proof.slice(0, 60) }],
  ] as const) {
    assert.equal(
      receiptIn(nodeSha256, () => KEY, answer),
      undefined,
      what,
    );
  }
  const other = parseNoteKey(nodeSha256, CHECKPOINTS.vkey);
  const stranger = { ...other, publicKey: new Uint8Array(32).fill(7) };
  assert.equal(
    receiptIn(nodeSha256, () => stranger, good),
    undefined,
  );
});

test('receipts: two that come at once are both kept', async (t) => {
  const path = join(await temporaryFolder(t), 'publisher', 'receipts.json');
  const receipts = await Receipts.open(path);
  const reports = ['ab', 'cd', 'ef'].map((byte) => byte.repeat(32) as HashHex);
  await Promise.all(
    reports.map((report) =>
      receipts.keep(receiptOf(report, { leaf: report, proof: 'a proof' }, 0)),
    ),
  );
  const kept = (await Receipts.open(path)).held.map(({ report }) => report);
  assert.deepEqual(kept, reports);
});

test('receipts: kept over a restart, one a report, no more than there is room for', async (t) => {
  const path = join(await temporaryFolder(t), 'publisher', 'receipts.json');
  const receipts = await Receipts.open(path);
  const answer = await answerOf(await filledLedger(await memoryPlace(), 1), 1);
  const receipt = receiptIn(nodeSha256, () => KEY, answer) ?? assert.fail();
  for (let i = 0; i < MAX_RECEIPTS + 3; i += 1) {
    const report = i.toString(16).padStart(64, '0') as HashHex;
    await receipts.keep(receiptOf(report, receipt, i));
  }
  await receipts.keep(receiptOf(REPORT.replace(/./g, '0') as HashHex, receipt, 9));
  const again = await Receipts.open(path);
  assert.deepEqual(again.held, receipts.held);
  assert.equal(again.held.length, MAX_RECEIPTS);
  assert.equal(new Set(again.held.map(({ report }) => report)).size, MAX_RECEIPTS);
  await writeFile(path, '[1]');
  await assert.rejects(Receipts.open(path), { code: 'ledger_corrupt' });
});

test('a publisher that takes a statement under one history and shows another: its receipt is the proof', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const twin = await CosignedWorld.open();
  const disk = await Disk.make();
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const size = world.ledger.nextSeq;
  while (twin.ledger.nextSeq <= size + 1) {
    await twin.ledger.write(() => [note(`another ${twin.ledger.nextSeq}`)]);
  }
  const body = Buffer.from(JSON.stringify(await answerOf(twin.ledger, size)));
  const start = (): ReturnType<typeof recounterOn> =>
    recounterOn(disk, publisher, { post: () => Promise.resolve({ status: 201, body }) });
  let { running } = await start();
  await running.follow();
  assert.equal(disk.receipts.held.length, 1);
  assert.equal(disk.findings.has('fork', 'publisher'), false);
  await running.close();
  // Its log never comes to hold the word; after a day that is told, and when it has grown so far, proven.
  ({ running } = await start());
  world.clock.now += 86_401;
  await running.follow();
  assert.ok(disk.findings.has('receipt_unmet', row.hash));
  assert.equal(disk.findings.has('omission', row.hash), false);
  // Another entry in the place of the word proves it already, in a log that is still smaller than the promised one.
  await world.ledger.write(() => [note('in its place')]);
  assert.equal(world.ledger.nextSeq, size + 1);
  await running.follow();
  await running.follow();
  const omissions = disk.findings.open().filter(({ code }) => code === 'omission');
  assert.deepEqual(
    omissions.map(({ about }) => about),
    [row.hash],
  );
  assert.equal(disk.findings.has('fork', 'publisher'), false);
  const file = await disk.evidence.get(omissions[0]?.evidence ?? assert.fail());
  const verdict = await checkEvidence(file ?? assert.fail(), {
    sha256: nodeSha256,
    verifySignature: nodeVerifySignatureAsync,
  });
  assert.deepEqual(
    [verdict.proven, verdict.kind, verdict.log, verdict.accused.map(({ key }) => key)],
    [true, 'omission', world.ledger.log, [CHECKPOINTS.vkey]],
  );
  // And the fork, once its log has grown as far as the promised one.
  while (world.ledger.nextSeq <= size + 2) {
    await world.ledger.write(() => [note(`shown ${world.ledger.nextSeq}`)]);
  }
  await running.follow();
  await running.follow();
  const found = disk.findings.open().find(({ code }) => code === 'fork');
  assert.ok(found?.evidence !== null && found?.evidence !== undefined);
  await running.close();
});

test('a receipt of another entry is none: the statement is sent again, until the log has it', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const { world } = publisher;
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const body = Buffer.from(JSON.stringify(await answerOf(world.ledger, 0)));
  let posts = 0;
  const { running } = await recounterOn(disk, publisher, {
    post: (bytes, signal) => {
      posts += 1;
      if (posts > 2) return postTo(publisher.url)(bytes, signal);
      return Promise.resolve({ status: 201, body });
    },
  });
  t.after(() => running.close());
  assert.equal((await running.follow()).unposted, 1);
  assert.deepEqual([posts, disk.receipts.held.length], [1, 0]);
  world.clock.now += 5;
  assert.equal((await running.follow()).unposted, 1);
  world.clock.now += 10;
  assert.equal((await running.follow()).unposted, 0);
  assert.deepEqual([posts, disk.receipts.held.length], [3, 1]);
  assert.equal(heldOf(publisher, row, disk.key), 'agree');
});

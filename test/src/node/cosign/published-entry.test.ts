import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEntry, parseEntry } from '@assay/core/log/entry';
import { parseNoteKey } from '@assay/core/log/note';
import { formatTime, parseTime } from '@assay/core/time/time';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { requirePublished } from '@assay/node/cosign/published-entry';
import { CHECKPOINTS, testSigner } from '../ledger/ledger-fixture.ts';
import { CosignedWorld, RELEASE, republished, withReport } from './cosigner-fixture.ts';

test('published entry: a co-signer does not read what the checkpoint that it is shown does not hold', async () => {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  const provisional = await world.round();
  assert.ok(provisional !== undefined);
  const asked = await world.asked(provisional);
  const { cosigner, source, memory } = world.recounter();
  const { head, entry, bytes } = asked;
  const hash = 'ab'.repeat(32) as never;
  const stranger = checkpointSigner(nodeSha256, CHECKPOINTS.origin, testSigner(9));
  const elsewhere = checkpointSigner(nodeSha256, 'development/other', testSigner(2));
  const signed = Buffer.from(asked.checkpoint).toString();
  const { prev, at, body } = parseEntry(bytes);
  const entryOf = (change: object): Uint8Array =>
    formatEntry({ v: 1, seq: entry.seq, prev, at, kind: 'report/1', body, ...change });
  const cases: readonly (readonly [string, typeof asked])[] = [
    ['head.root', { ...asked, head: { ...head, root: hash } }],
    ['head.size', { ...asked, head: { ...head, size: head.size + 1 } }],
    ['checkpoint', { ...asked, checkpoint: new Uint8Array() }],
    ['checkpoint', republished(asked, bytes, stranger)],
    ['checkpoint', republished(asked, bytes, elsewhere)],
    ['checkpoint', { ...asked, checkpoint: Buffer.from(signed.replace(/\n\d+\n/, '\n9\n')) }],
    ['entry.leaf', { ...asked, entry: { ...entry, leaf: hash } }],
    ['entry', { ...asked, entry: { ...entry, seq: entry.seq - 1 } }],
    ['entry', republished(asked, entryOf({ seq: entry.seq + 1 }))],
    ['entry', republished(asked, entryOf({ kind: 'note/1' }))],
    ['entry', republished(asked, entryOf({ body: { ...body, signature: 'cd'.repeat(64) } }))],
    ['inclusion', { ...asked, inclusion: [] }],
    ['inclusion', { ...asked, inclusion: asked.inclusion.map(() => hash) }],
    ['inclusion', { ...asked, inclusion: [...asked.inclusion, hash] }],
    // An entry that its publisher keeps to itself: its leaf is in no tree that was signed.
    [
      'inclusion',
      {
        ...withReport(asked, { published_at: formatTime(parseTime(RELEASE) + 1) }),
        head,
        checkpoint: asked.checkpoint,
      },
    ],
  ];
  for (const [place, each] of cases) {
    await assert.rejects(cosigner.recount(each), { code: 'refused', at: place }, place);
    assert.equal(await memory.said(each.report.hash), undefined, place);
  }
  assert.equal(source.asked.length, 0);
  // What was refused has taken nothing from its word.
  assert.equal((await cosigner.recount(asked))?.kind, 'agree');
});

test('published entry: in a later checkpoint, and beside others of the log', async () => {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  const row = await world.round();
  assert.ok(row !== undefined);
  const key = parseNoteKey(nodeSha256, CHECKPOINTS.vkey);
  for (let i = 0; i < 5; i += 1) {
    requirePublished(await world.asked(row), key, nodeSha256);
    const note = { kind: 'note/1', body: { text: `${i}` } } as const;
    await world.ledger.write(() => [note]);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorTree } from '@assay/core/proof/anchor-tree';
import { hashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatLeafProof } from '@assay/core/ots/batch';
import { ANCHORS, appendBatch, nextBatch, rootAt, treeOf } from '../fixture/anchor-fixture.ts';
import { GENESIS, SampleLog, sha256, vectors } from '../fixture/fixture.ts';
import { smallLog } from '../view/small-log.ts';

/** Magic, version, hash tag and digest of an `.ots` file. */
const HEAD_BYTES = 31 + 1 + 1 + 32;

/** The log of the entry vectors. */
function vectorLog(): SampleLog {
  const log = new SampleLog();
  for (const { entry } of vectors<
    readonly {
      readonly entry: { readonly kind: string; readonly body: object; readonly at: string };
    }[]
  >('entry/entries')) {
    log.append(entry.kind, entry.body, entry.at);
  }
  return log;
}

test('anchor: leaves, nonces, paths and tip as another program makes them', () => {
  const log = vectorLog();
  const nothing = new Uint8Array(0);
  for (const { name, body, leaves } of ANCHORS) {
    assert.equal(rootAt(log, body.to), body.root, name);
    const origin = GENESIS['origin'] as string;
    const { digests, tree } = anchorTree(log.views, sha256, origin, body);
    assert.equal(hashHex(tree.tip), body.tip, name);
    assert.deepEqual(
      digests,
      leaves.map(({ digest }) => digest),
      name,
    );
    for (const [i, { digest, nonce, path }] of leaves.entries()) {
      const bytes = formatLeafProof(parseHex(digest, 32), tree.pathOf(i), nothing);
      assert.equal(formatHex(bytes.slice(HEAD_BYTES)), path, name);
      assert.ok(path.startsWith(`f010${nonce}08`), name);
    }
  }
});

test('anchor: another salt, size or range is another tree', () => {
  const log = smallLog();
  const body = nextBatch(log);
  const origin = GENESIS['origin'] as string;
  const tip = (change: object): string =>
    hashHex(anchorTree(log.views, sha256, origin, { ...body, ...change }).tree.tip);
  const tips = [
    {},
    { salt: '5b'.repeat(32) },
    { from: 6 },
    { to: body.to - 1 },
    { root: '00'.repeat(32) },
  ].map(tip);
  assert.equal(new Set(tips).size, tips.length);
  assert.equal(tips[0], body.tip);
});

test('anchor: what is written later changes nothing of a batch', () => {
  const log = smallLog();
  appendBatch(log, 7);
  const before = treeOf(log, 0);
  appendBatch(log);
  const after = treeOf(log, 0);
  assert.deepEqual(after.digests, before.digests);
  assert.deepEqual(after.tree.tip, before.tree.tip);
});

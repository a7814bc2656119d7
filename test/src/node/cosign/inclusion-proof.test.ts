import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leafHash } from '@assay/core/hash/hash';
import { verifyInclusion } from '@assay/core/log/tree';
import { inclusionProof } from '@assay/node/cosign/inclusion-proof';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { GENESIS_DRAFT, memoryPlace, openAt } from '../ledger/ledger-fixture.ts';

test('inclusion proof: of each entry in the published tree, across tiles; of none beyond it', async () => {
  const ledger = await openAt(await memoryPlace());
  const notes = Array.from(
    { length: 299 },
    (_, i) => ({ kind: 'note/1', body: { text: `${i}` } }) as const,
  );
  await ledger.write(() => [GENESIS_DRAFT, ...notes]);
  const { published } = ledger;
  assert.ok(published !== undefined && published.size === 300);
  for (const index of [0, 1, 127, 255, 256, 298, 299]) {
    const bytes = await ledger.entry(index);
    assert.ok(bytes !== undefined);
    const proof = await inclusionProof(nodeSha256, ledger, index, 300);
    const leaf = leafHash(nodeSha256, bytes);
    verifyInclusion(nodeSha256, leaf, index, 300, proof, published.root);
  }
  await assert.rejects(inclusionProof(nodeSha256, ledger, 300, 300), { code: 'out_of_range' });
});

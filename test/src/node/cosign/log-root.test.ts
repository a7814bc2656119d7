import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { logRoot } from '@assay/node/cosign/log-root';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { entriesOf, filledLedger, memoryPlace, naiveRoot } from '../ledger/ledger-fixture.ts';

test('log root: of every size that the log has had', async () => {
  const place = await memoryPlace();
  const ledger = await filledLedger(place, 600);
  const leaves = (await entriesOf(place.store)).map((entry) => leafHash(nodeSha256, entry));
  for (const size of [1, 2, 3, 255, 256, 257, 511, 512, 513, 600, 601]) {
    assert.equal(
      await logRoot(nodeSha256, ledger, size),
      hashHex(naiveRoot(leaves.slice(0, size))),
      `${size}`,
    );
  }
  assert.equal(await logRoot(nodeSha256, ledger, 602), undefined);
});

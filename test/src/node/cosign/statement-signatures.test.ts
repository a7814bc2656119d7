import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { badSignature } from '@assay/node/cosign/statement-signatures';
import { CosignedWorld, OTHER, RELEASE, SEEDS } from './cosigner-fixture.ts';

test("word signatures: each that a word has is its key's, whatever it says", async () => {
  const world = await CosignedWorld.open();
  world.at(RELEASE);
  await world.round();
  const against = world.recounter(SEEDS[1]);
  against.source.show(OTHER);
  for (const [recounter, names] of [
    [world.recounter(SEEDS[0]), ['signature', 'print_signature']],
    [against, ['signature', 'dissent_signature']],
  ] as const) {
    const word = await world.word(recounter.cosigner);
    assert.equal(badSignature(word, nodeVerifySignature), undefined);
    for (const at of names) {
      const found = '00'.repeat(64);
      assert.deepEqual(badSignature({ ...word, [at]: found }, nodeVerifySignature), { at, found });
    }
  }
});

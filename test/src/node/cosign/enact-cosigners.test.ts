import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SET_DELAY_S } from '@assay/core/report/cosigner-set';
import { formatHex } from '@assay/core/bytes/hex';
import { cosignersAt, cosignerSets } from '@assay/core/view/cosigner-sets';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { enactCosigners } from '@assay/node/cosign/enact-cosigners';
import {
  genesisBody,
  memoryPlace,
  NOON,
  openAt,
  type Place,
  REPORT_SIGNER,
} from '../ledger/ledger-fixture.ts';
import { CosignedWorld, setOf } from './cosigner-fixture.ts';

const badConfig = { name: 'Fault', code: 'bad_config' };

const log = async (required = 0, now = (): number => NOON, place?: Place) => {
  const ledger = await openAt(place ?? (await memoryPlace()), { now });
  const policies = { ...genesisBody().policies, cosigners_required: required };
  await ledger.write(() => [{ kind: 'genesis/1', body: genesisBody({ policies }) }]);
  return ledger;
};

test('enact co-signers: a set once, the next after it has come into force', async () => {
  let now = NOON;
  const ledger = await log(2, () => now);
  assert.equal(await enactCosigners(ledger, nodeSha256, setOf()), true);
  assert.equal(await enactCosigners(ledger, nodeSha256, setOf()), false);
  const next = setOf([22, 23], 1);
  now += 60;
  assert.equal(await enactCosigners(ledger, nodeSha256, next), true);
  assert.equal(await enactCosigners(ledger, nodeSha256, next), false);
  assert.equal(cosignersAt(ledger.tip, now)?.number, 0, 'a later set waits');
  await assert.rejects(enactCosigners(ledger, nodeSha256, setOf([23, 24], 2)), badConfig);
  now += SET_DELAY_S - 1;
  await assert.rejects(enactCosigners(ledger, nodeSha256, setOf([23, 24], 2)), badConfig);
  now += 1;
  assert.equal(cosignersAt(ledger.tip, now)?.number, 1);
  assert.equal(await enactCosigners(ledger, nodeSha256, setOf([23, 24], 2)), true);
  assert.equal(cosignerSets(ledger.tip).length, 3);
});

test('enact co-signers: what may not come is refused, and leaves no trace', async () => {
  const ledger = await log(2);
  const [one] = setOf([21]).cosigners;
  assert.ok(one !== undefined);
  const publisher = { name: 'publisher', key: formatHex(REPORT_SIGNER.publicKey) };
  // The point of order 2, and a point with torsion.
  const weak = { name: 'weak', key: `ec${'ff'.repeat(30)}7f` };
  const torsion = {
    name: 'torsion',
    key: '44b356db59d3728449a9ea27287dd8d79391503e001788ba78ee0bd32a3a42d6',
  };
  const two = (other: typeof one) => [one, other].sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const set of [
    setOf([21]),
    setOf([21, 22], 1),
    ...[publisher, weak, torsion].map((other) => ({
      number: 0,
      threshold: 2,
      cosigners: two(other),
    })),
  ]) {
    await assert.rejects(enactCosigners(ledger, nodeSha256, set), badConfig, JSON.stringify(set));
  }
  const unsorted = { ...setOf(), cosigners: setOf().cosigners.toReversed() };
  await assert.rejects(enactCosigners(ledger, nodeSha256, unsorted), { code: 'malformed' });
  assert.equal(ledger.nextSeq, 1);
  const empty = await openAt(await memoryPlace());
  await assert.rejects(enactCosigners(empty, nodeSha256, setOf()), TypeError);
});

test('enact co-signers: reports name the set that is in force when they are published', async () => {
  const world = await CosignedWorld.open();
  world.at('2026-07-29T01:00:00Z');
  await enactCosigners(world.ledger, nodeSha256, setOf([22, 23], 1));
  world.at('2026-07-30T12:30:00Z');
  const row = await world.round();
  assert.equal(row?.report.cosigners.set, cosignerSets(world.ledger.tip)[0]?.hash);
  world.source.show({ '2026-07-25': 197_000, '2026-08-01': 199_000 });
  world.at('2026-08-06T12:30:00Z');
  const later = await world.round('2026-08-01');
  assert.equal(later?.report.cosigners.set, cosignerSets(world.ledger.tip)[1]?.hash);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { reportsOf } from '@assay/core/view/reports';
import type { DateText } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { pagesOf } from '@assay/node/blob/named-blobs';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { namedCheck } from '@assay/node/scrub/named-check';
import { closesWorld, HIDDEN_RULE, WEEKS } from '../fixture/closes-world.ts';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';
import { entriesOf, NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

test('named check: blobs, the pages of their manifests and openings that entries name are to be there', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  await world.week(0);
  const [period] = WEEKS[0] as (typeof WEEKS)[number];
  const [report] = reportsOf(world.ledger.tip, CLAIMS_RULE.ticker, period as DateText);
  const [hidden] = reportsOf(world.ledger.tip, HIDDEN_RULE.ticker, period as DateText);
  const manifest = report?.report.reads[0]?.snapshot as HashHex;
  const [page] = pagesOf((await world.blobs.get(manifest)) as Uint8Array);
  const commitment = hidden?.report.commitment as HashHex;
  assert.ok(page !== undefined && commitment !== undefined);
  const damage = new DamageLog(() => NOON);
  const gone = new Set<string>();
  const check = namedCheck({
    blobs: { get: world.blobs.get, has: async (hash) => !gone.has(hash) && world.blobs.has(hash) },
    openings: { get: (each) => (gone.has(each) ? undefined : world.openings.get(each)) },
    sha256: nodeSha256,
    damage,
  });
  const run = async (): Promise<readonly string[]> => {
    for (const entry of await entriesOf(world.place.store)) await check(entry);
    return damage.openList.map(({ part, name, state }) => `${part} ${name} ${state}`).sort();
  };
  assert.deepEqual(await run(), []);
  for (const each of [page.hash, commitment]) gone.add(each);
  assert.deepEqual(await run(), [`blob ${page.hash} missing`, `opening ${commitment} missing`]);
  gone.add(manifest);
  assert.ok((await run()).includes(`blob ${manifest} missing`));
  gone.clear();
  assert.deepEqual(await run(), []);
});

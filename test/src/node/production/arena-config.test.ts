import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUICKNET } from '@assay/core/timelock/beacon-chain';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { arenaWorld, requirePublicBeacon } from '@assay/node/production/arena-config';
import { ARENA, arenaRule as ownRule } from '../../core/arena/arena-log.ts';
import { arenaRule } from '../../core/arena/arena-rule-fixture.ts';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

test('arena config: a production log seals to quicknet alone', () => {
  requirePublicBeacon('production', undefined);
  requirePublicBeacon('production', arenaRule('whole'));
  requirePublicBeacon('production', arenaRule('referee'));
  requirePublicBeacon('development', ownRule());
  assert.throws(() => requirePublicBeacon('production', ownRule()), {
    code: 'bad_config',
    at: 'arena.drand.hash',
    found: ARENA.drand.hash,
  });
});

test('arena config: the beacon of a chain, and none of a chain that may not be used', async (t) => {
  const folder = dataFolder(await temporaryFolder(t));
  const common = { folder, sha256: nodeSha256, now: () => 0, relays: null };
  const world = await arenaWorld({ ...common, network: 'production' });
  const beacon = world.beaconOf(QUICKNET);
  assert.equal(beacon?.chain, QUICKNET);
  assert.equal(world.beaconOf({ ...QUICKNET }), beacon);
  assert.equal(world.beaconOf(ARENA.drand), undefined);
  assert.equal(world.everyMs, 1000);
  await world.handles.close();
  const relays = ['http://127.0.0.1:9'];
  const own = await arenaWorld({ ...common, network: 'development', relays, everyMs: 5 });
  assert.equal(own.beaconOf(ARENA.drand)?.chain, ARENA.drand);
  // Nobody is asked before the round is out.
  const early = own.beaconOf(ARENA.drand)?.signature(9, new AbortController().signal);
  assert.equal(await early, undefined);
  assert.equal(own.everyMs, 5);
  await own.handles.close();
});

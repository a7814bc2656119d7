import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/hex';
import { newestBeacon } from '@assay/core/view/beacons';
import { LogBeacons } from '@assay/node/anchor/log-beacons';
import { AnchorWorld } from './anchor-fixture.ts';

test('log beacons: which stand, and the highest before an entry', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.look();
  const log = new LogBeacons({ ledger: world.ledger, headers: world.headers });
  const first = newestBeacon(world.ledger.tip) ?? assert.fail();
  assert.deepEqual(
    [await log.standing(first), log.highest(), log.concerns()],
    ['stands', first.height, []],
  );
  const moved = {
    height: first.height - 5,
    header: formatHex(world.headers.tip?.header ?? assert.fail()),
  };
  await world.append({ kind: 'beacon/1', body: moved });
  const lost = newestBeacon(world.ledger.tip) ?? assert.fail();
  assert.equal(await log.standing(lost), 'lost');
  assert.match(
    log.concerns().join(),
    /^The beacon of entry \d+ names a block that is not on the chain\.$/,
  );
  assert.equal(await log.standing({ ...lost, height: first.height + 2016 }), 'unknown');
  assert.deepEqual([log.highest(), log.highest(first.seq)], [first.height, -1]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { newestBeacon } from '@assay/core/view/beacons';
import { MemoryViews } from '@assay/core/view/state';
import { LogBeacons } from '@assay/node/anchor/log-beacons';
import type { Ledger } from '@assay/node/ledger/ledger';
import { AnchorWorld } from './anchor-fixture.ts';

test('log beacons: which are in the log, and the highest before an entry', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.poll();
  const log = new LogBeacons({ ledger: world.ledger, headers: world.headers });
  const first = newestBeacon(world.ledger.tip) ?? assert.fail();
  assert.deepEqual(
    [await log.stateOf(first), log.highest(), log.concerns()],
    ['on_chain', first.height, []],
  );
  const moved = {
    height: first.height - 5,
    header: formatHex(world.headers.tip?.header ?? assert.fail()),
  };
  await world.append({ kind: 'beacon/1', body: moved });
  const lost = newestBeacon(world.ledger.tip) ?? assert.fail();
  assert.equal(await log.stateOf(lost), 'lost');
  assert.match(
    log.concerns().join(),
    /^The beacon of entry \d+ names a block that is not on the chain\.$/,
  );
  assert.equal(await log.stateOf({ ...lost, height: first.height + 2016 }), 'unknown');
  assert.deepEqual([log.highest(), log.highest(first.seq)], [first.height, -1]);
});

test('log beacons: one that was never written is no longer the highest', async () => {
  const world = await AnchorWorld.make({ calendars: [] });
  await world.poll();
  const views = new MemoryViews();
  const copy = (): void => {
    for (const [key, value] of world.ledger.tip.list('beacons')) {
      views.write([{ table: 'beacons', key, value }]);
    }
  };
  copy();
  const before = [...views.list('beacons')];
  const { height, header } = newestBeacon(views) ?? assert.fail();
  const log = new LogBeacons({
    ledger: { tip: views } as unknown as Ledger,
    headers: world.headers,
  });
  assert.equal(log.highest(), height);
  await world.append({ kind: 'beacon/1', body: { height: height + 1000, header } });
  copy();
  assert.equal(log.highest(), height + 1000);
  views.clear();
  views.write(before.map(([key, value]) => ({ table: 'beacons', key, value })));
  assert.equal(log.highest(), height);
});

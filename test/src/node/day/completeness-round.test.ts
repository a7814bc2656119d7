import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import type { DateText } from '@assay/core/time/time';
import { indexEntries } from '@assay/core/view/completeness';
import { IndexRound } from '@assay/node/day/completeness-round';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { closesWorld } from '../fixture/closes-world.ts';
import { note, temporaryFolder, turns } from '../ledger/ledger-fixture.ts';
import { requireVerified } from '../fixture/round-fixture.ts';

test('index round: the day that has ended, once, with all that came before the entry', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  const { ledger } = world;
  const round = new IndexRound(ledger, nodeSha256, world.closeParts.now);
  // The log began today: no day of it has ended.
  assert.equal(await round.run(), undefined);
  world.at('2026-07-01T23:59:59Z');
  assert.equal(await round.run(), undefined);
  world.at('2026-07-02T00:00:00Z');
  const size = ledger.nextSeq;
  const first = await round.run();
  assert.deepEqual(first, {
    day: '2026-07-01',
    size,
    ...recomputeIndex(ledger.tip, nodeSha256, size),
  });
  assert.deepEqual([first?.prints.count, first?.rules.count, first?.keys.count], [0, 2, 4]);
  assert.equal(await round.run(), undefined, 'once a day');
  await world.week(0);
  const second = await round.run();
  assert.equal(second?.day, '2026-07-09');
  assert.equal(second?.size, ledger.nextSeq - 1);
  assert.ok((second?.prints.count ?? 0) > 0);
  const rows = [...indexEntries(ledger.shown)];
  assert.deepEqual(
    rows.map(({ day, seq, size: covered }) => [day, seq === covered]),
    [
      ['2026-07-01', true],
      ['2026-07-09', true],
    ],
  );
  // A node that starts again comes to the same lists.
  await world.week(1);
  const anew = new IndexRound(ledger, nodeSha256, world.closeParts.now);
  const third = await anew.run();
  assert.deepEqual(third?.prints, recomputeIndex(ledger.tip, nodeSha256, third?.size ?? 0).prints);
  assert.equal(await round.run(), undefined, 'the day has its entry, whoever made it');
  await world.week(2);
  const fourth = await round.run();
  assert.deepEqual(
    fourth?.prints,
    recomputeIndex(ledger.tip, nodeSha256, fourth?.size ?? 0).prints,
  );
  await requireVerified(world);
});

test('index round: an entry of a day to come keeps none of the others out', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  const { ledger } = world;
  const size = ledger.nextSeq;
  const content = recomputeIndex(ledger.tip, nodeSha256, size);
  const body = { day: '9999-12-31' as DateText, size, ...content };
  await ledger.write(() => [{ kind: 'index/1', body }]);
  world.at('2026-07-03T00:00:00Z');
  const round = new IndexRound(ledger, nodeSha256, world.closeParts.now);
  assert.equal((await round.run())?.day, '2026-07-02');
  assert.equal(await round.run(), undefined);
});

test('index round: nothing where nothing is written', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  world.at('2026-07-03T00:00:00Z');
  const blocked = {
    write: () => Promise.reject(new TypeError('written')),
    blocked: new Error('stopped') as never,
  };
  const round = new IndexRound(blocked, nodeSha256, world.closeParts.now);
  assert.equal(await round.run(), undefined);
});

test('index round: prints that were never written are in no later entry', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  const { ledger, place } = world;
  const round = new IndexRound(ledger, nodeSha256, world.closeParts.now);
  await world.week(0);
  await round.run();
  const before = ledger.nextSeq;
  place.store.fail = 'failed';
  place.store.failure = Object.assign(new Error('disk'), { code: 'ENOSPC' });
  place.guard.fail = 'failed';
  place.store.gate.shut();
  const lost = assert.rejects(world.week(1), { code: 'no_room' });
  while (ledger.nextSeq === before) await turns();
  world.at('2026-07-17T00:00:00Z');
  const failing = assert.rejects(round.run(), { code: 'no_room' });
  place.store.gate.open();
  await Promise.all([lost, failing]);
  place.store.fail = undefined;
  place.guard.fail = undefined;
  await ledger.resume();
  assert.equal(ledger.nextSeq, before);
  await ledger.write(() => [note('other entries in their place'), note('two')]);
  const entry = await round.run();
  assert.ok(entry !== undefined);
  assert.deepEqual(entry.prints, recomputeIndex(ledger.tip, nodeSha256, entry.size).prints);
});

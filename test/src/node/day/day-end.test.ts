import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexOfDay } from '@assay/core/view/completeness';
import { closesOf } from '@assay/core/view/closes';
import type { DateText } from '@assay/core/time/time';
import { DayEnd } from '@assay/node/day/day-end';
import { IndexRound } from '@assay/node/day/completeness-round';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { closesWorld } from '../fixture/closes-world.ts';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

test('day end: the Close, and the index entry behind it; a Close that fails stops no index entry', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  const { ledger, closeParts } = world;
  const log = makeLogger('silent');
  const indexing = new IndexRound(ledger, nodeSha256, closeParts.now);
  await world.week(0);
  world.at('2026-07-11T00:00:10Z');
  await new DayEnd({ ...closeParts, indexing, log }).run();
  const day = '2026-07-10' as DateText;
  const [close] = closesOf(ledger.shown, day);
  assert.ok(close !== undefined && close.seq < (indexOfDay(ledger.shown, day)?.seq ?? 0));
  world.at('2026-07-12T00:00:10Z');
  const mirror = { put: () => Promise.reject(new Error('full')) } as never;
  const failed: string[] = [];
  const end = new DayEnd({
    ...closeParts,
    mirror,
    indexing,
    log,
    onFailed: (of) => failed.push(of),
  });
  await end.run();
  assert.deepEqual(failed, ['Close']);
  assert.deepEqual(end.concerns(), [
    {
      level: 'degraded',
      reason:
        'The Close of the day that has ended could not be made: an error that is in the log of the operator. It is tried again.',
    },
  ]);
  const next = '2026-07-11' as DateText;
  assert.deepEqual(closesOf(ledger.shown, next), []);
  assert.equal(indexOfDay(ledger.shown, next)?.day, next);
  const broken = { run: () => Promise.reject(new Error('stopped')) };
  let isBroken = true;
  const mended = {
    run: () => (isBroken ? broken.run() : Promise.resolve(undefined)),
  };
  const indexed = new DayEnd({ ...closeParts, indexing: mended, log });
  await indexed.run();
  assert.deepEqual(
    indexed.concerns().map(({ reason }) => reason.slice(0, 19)),
    ['The index entry of '],
  );
  isBroken = false;
  await indexed.run();
  assert.deepEqual(indexed.concerns(), []);
});

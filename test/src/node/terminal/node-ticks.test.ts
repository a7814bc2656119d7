import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { DAY_SECONDS, type TimeText } from '@assay/core/time/time';
import { newestStudy } from '@assay/core/view/studies';
import { tickRow } from '@assay/core/view/ticks';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeTicks } from '@assay/node/terminal/node-ticks';
import { SEED, START, RULE, tickWorld } from './tick-world.ts';

test('node ticks: a loop over the classes, which thins what is old once a day and freezes a study a month', async (t) => {
  const world = await tickWorld(t);
  const { parts } = world;
  const loop = nodeTicks(
    {
      classes: [{ rule: RULE, sources: parts.sources, openings: world.openings }],
      seed: SEED,
      listing: { assets: [], splits: [] },
      everyMs: 1000,
      readMs: 60_000,
    },
    {
      ledger: world.ledger,
      blobs: world.blobs,
      sha256: nodeSha256,
      now: parts.now,
      log: makeLogger('silent'),
    },
  );
  const firstOf = (tick: string): number | undefined =>
    tickRow(world.ledger.tip, 'crypto', tick as TimeText)?.seq;
  for (let k = 0; k < 3; k += 1) {
    world.at(k);
    await loop.poll();
  }
  assert.equal(loop.readings.of('BTC', START + 1800)?.ts, START + 1800);
  const studied = async (seq: () => number | undefined): Promise<void> => {
    const to = (): number | undefined => newestStudy(world.ledger.tip, 'crypto')?.to;
    for (let i = 0; i < 1000 && (to() === undefined || to() !== seq()); i += 1)
      await setTimeout(10);
  };
  for (let k = 96 * 60; k < 96 * 60 + 160; k += 1) {
    world.at(k);
    await loop.poll();
    // A quarter of an hour is enough for the study of the month; here the next month would come before it is made.
    if (k === 96 * 60) await studied(() => firstOf('2026-11-30T00:00:00Z'));
  }
  assert.equal(parts.now() > START + 61 * DAY_SECONDS, true);
  const december = firstOf('2026-12-01T00:00:00Z');
  await studied(() => december);
  assert.ok(december !== undefined);
  assert.equal(newestStudy(world.ledger.tip, 'crypto')?.to, december);
  await loop.stop();
  assert.deepEqual((await readdir(world.folder)).sort(), [
    '2026-10-01.hours',
    '2026-11-30.ticks',
    '2026-12-01.ticks',
  ]);
});

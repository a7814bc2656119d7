import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { DAY_SECONDS } from '@assay/core/time';
import { makeLogger } from '@assay/node/log';
import { nodeSha256 } from '@assay/node/node-sha256';
import { nodeTicks } from '@assay/node/terminal/node-ticks';
import { SEED, START, RULE, tickWorld } from './tick-world.ts';

test('node ticks: a loop over the classes, which thins what is old once a day', async (t) => {
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
      store: world.place.store,
      blobs: world.blobs,
      sha256: nodeSha256,
      now: parts.now,
      log: makeLogger('silent'),
    },
  );
  for (let k = 0; k < 3; k += 1) {
    world.at(k);
    await loop.look();
  }
  assert.equal(loop.readings.of('BTC')?.ts, START + 1800);
  for (let k = 96 * 60; k < 96 * 60 + 160; k += 1) {
    world.at(k);
    await loop.look();
  }
  assert.equal(parts.now() > START + 61 * DAY_SECONDS, true);
  assert.deepEqual((await readdir(world.folder)).sort(), [
    '2026-10-01.hours',
    '2026-11-30.ticks',
    '2026-12-01.ticks',
  ]);
});

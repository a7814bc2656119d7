import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { tickOpeningStage } from '@assay/node/scrub/tick-opening-stage';
import { TickOpenings } from '@assay/node/terminal/tick/tick-openings';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import { NOON } from '../ledger/ledger-fixture.ts';
import { START, TICK, type TickWorld, tickWorld } from '../terminal/tick-world.ts';

const DAY_TICKS = 96;
const [FIRST, SECOND] = ['2026-10-01', '2026-10-02'];

interface World extends TickWorld {
  readonly damage: DamageLog;
  readonly scrub: (place?: string) => Promise<readonly string[]>;
}

/** Two days and a bit of ticks. */
async function world(t: TestContext): Promise<World> {
  const ticks = await tickWorld(t);
  await ticks.run(new TickRound(ticks.parts), 0, 2 * DAY_TICKS + 5);
  const damage = new DamageLog(() => NOON);
  const stage = tickOpeningStage({
    of: 'crypto',
    openings: ticks.openings,
    views: () => ticks.ledger.shown,
    blobs: ticks.blobs,
    sha256: nodeSha256,
    damage,
  });
  const scrub = async (place = ''): Promise<readonly string[]> => {
    const places: string[] = [];
    for await (const step of stage.steps(place)) places.push(step.place);
    return places;
  };
  return { ...ticks, damage, scrub };
}

const open = ({ damage }: World): readonly string[] =>
  damage.openList.map(({ part, name, state }) => `${part} ${name} ${state}`);

test('tick opening stage: every opening is held to its leaf, day by day, also of days that were thinned', async (t) => {
  const each = await world(t);
  assert.deepEqual(await each.scrub(), [FIRST, SECOND, '2026-10-03']);
  assert.deepEqual(await each.scrub(FIRST), [SECOND, '2026-10-03']);
  assert.deepEqual(open(each), []);
  assert.equal(await each.openings.thin(START + 60 * 86_400, () => () => false), 3);
  await each.scrub();
  assert.deepEqual(open(each), []);
});

test('tick opening stage: a bit that is flipped, a file that is cut or gone, and openings of another tick', async (t) => {
  const each = await world(t);
  const path = join(each.folder, `${SECOND}.ticks`);
  const sound = await readFile(path);
  const bit = Buffer.from(sound);
  bit[700] = (bit[700] as number) ^ 2;
  await writeFile(path, bit);
  await each.scrub();
  assert.deepEqual(open(each), [`tick-opening crypto/${SECOND} damaged`]);
  // The last records are gone: nothing in the file itself tells.
  await writeFile(path, sound.subarray(0, sound.length - 100));
  await each.scrub();
  assert.deepEqual(open(each), [`tick-opening crypto/${SECOND} damaged`]);
  await rm(path);
  await each.scrub();
  assert.deepEqual(open(each), [`tick-opening crypto/${SECOND} missing`]);
  await writeFile(path, sound);
  await each.scrub();
  assert.deepEqual(open(each), []);
  // A record that is whole, and opens other leaves than the log has there.
  const values = await each.openings.at(START + TICK * (DAY_TICKS + 7));
  await each.openings.put(START + TICK * (DAY_TICKS + 8), values);
  await each.scrub();
  assert.deepEqual(open(each), [`tick-opening crypto/${SECOND} damaged`]);
});

test('tick opening stage: what was there before the first file is not asked for', async (t) => {
  const each = await world(t);
  for (const name of await readdir(each.folder)) await rm(join(each.folder, name));
  assert.deepEqual(await each.scrub(), []);
  const openings = await TickOpenings.open(each.folder, { sha256: nodeSha256, thinFrom: null });
  const parts = { ...each.parts, openings };
  assert.deepEqual(await parts.openings.days(), []);
  assert.deepEqual(open(each), []);
});

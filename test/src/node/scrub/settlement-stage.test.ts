import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { closesOf, newestClose } from '@assay/core/view/closes';
import type { DateText } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { namedFile, settlementStage } from '@assay/node/scrub/settlement-stage';
import { closesWorld } from '../fixture/closes-world.ts';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

test('settlement stage: every file that a Close names is held to its sha256', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  for (const i of [0, 1]) await world.week(i);
  const damage = new DamageLog(() => NOON);
  const views = () => world.ledger.shown;
  const parts = { views, files: world.mirror.read, sha256: nodeSha256, damage };
  const stage = settlementStage(parts);
  const run = async (): Promise<readonly string[]> => {
    let bytes = 0;
    for await (const step of stage.steps('')) bytes += step.bytes;
    assert.ok(bytes > 0);
    return damage.openList.map(({ part, name, state }) => `${part} ${name} ${state}`);
  };
  assert.deepEqual(await run(), []);
  const day = newestClose(world.ledger.shown) as DateText;
  const [first, second] = closesOf(world.ledger.shown, day).flatMap(({ content }) => content.files);
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(namedFile(world.ledger.shown, first.path), first);
  assert.equal(namedFile(world.ledger.shown, `${first.path}x`), undefined);
  assert.equal(namedFile(world.ledger.shown, 'latest.json'), undefined);
  const sound = await readFile(join(folder, first.path));
  await writeFile(join(folder, first.path), sound.subarray(1));
  await rm(join(folder, second.path));
  assert.deepEqual(await run(), [
    `settlement ${first.path} damaged`,
    `settlement ${second.path} missing`,
  ]);
  await writeFile(join(folder, first.path), sound);
  await stage.recheck?.check(first.path);
  assert.deepEqual(
    damage.openList.map(({ name }) => name),
    [second.path],
  );
});

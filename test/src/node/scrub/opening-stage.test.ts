import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/hash/commitment';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { FileOpenings } from '@assay/node/data/openings';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { openingStage } from '@assay/node/scrub/opening-stage';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

test('opening stage: an opening that rotted or is gone is written again from memory', async (t) => {
  const folder = await temporaryFolder(t);
  const openings = await FileOpenings.open(folder, nodeSha256);
  const salt = new Uint8Array(32).fill(3);
  for (let i = 0n; i < 150n; i += 1n) {
    await openings.put(commitmentOf(nodeSha256, salt, i), { salt, value: i });
  }
  const damage = new DamageLog(() => NOON);
  const stage = openingStage({ openings, damage });
  const run = async (place = ''): Promise<readonly string[]> => {
    const places: string[] = [];
    for await (const step of stage.steps(place)) places.push(step.place);
    return places;
  };
  const names = openings.names();
  assert.deepEqual(await run(), [names[63], names[127], names[149]]);
  assert.equal((await run(names[63])).length, 2);
  assert.deepEqual(damage.list, []);
  const [first = '', second = ''] = names;
  const sound = await readFile(join(folder, first), 'utf8');
  await writeFile(join(folder, first), `1${sound.slice(1)}`);
  await rm(join(folder, second));
  await run();
  assert.deepEqual(
    damage.list.map(({ part, name, state }) => [part, name, state]),
    [
      ['opening', first, 'repaired'],
      ['opening', second, 'repaired'],
    ],
  );
  assert.equal(await readFile(join(folder, first), 'utf8'), sound);
  assert.equal((await FileOpenings.open(folder, nodeSha256)).names().length, 150);
});

test('opening stage: one that cannot be written now is named', async () => {
  const damage = new DamageLog(() => NOON);
  const name = commitmentOf(nodeSha256, new Uint8Array(32), 1n);
  const openings = {
    names: () => [name],
    mend: () => Promise.reject(new Error('EROFS')),
  };
  for await (const { share } of openingStage({ openings, damage }).steps(''))
    assert.equal(share, 1);
  assert.deepEqual(
    damage.openList.map((each) => each.name),
    [name],
  );
});

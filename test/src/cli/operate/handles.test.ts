import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { toTime } from '@assay/core/time/time';
import { HANDLES_FILE, HandleStore, keyRow, secretRow } from '@assay/node/arena/handle-store';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { assay, scratch } from '../fixture/run.ts';
import { testSigner } from '../../node/ledger/ledger-fixture.ts';

const AT = toTime('2026-08-04T02:00:00Z');

/** A data folder with two handles. */
async function data(t: TestContext): Promise<string> {
  const folder = await scratch(t);
  const root = join(folder, 'data');
  await mkdir(root);
  const place = dataFolder(root);
  await (await openLevelStore(place.ledger)).close();
  const handles = await HandleStore.open(place.handles, { sha256: nodeSha256 });
  const [salt, secret] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  await handles.add([
    secretRow(nodeSha256, 'Ada', { salt, secret }, AT),
    keyRow(nodeSha256, 'bob', testSigner(3).publicKey, AT),
  ]);
  await handles.close();
  return folder;
}

test('handles forget: a name goes with its salt, and the others stay', async (t) => {
  const folder = await data(t);
  const file = join(dataFolder(join(folder, 'data')).handles, HANDLES_FILE);
  const asked = await assay(folder, ['handles', 'forget', 'data', 'ADA']);
  assert.deepEqual([asked.code, /would be forgotten: --yes does it/.test(asked.out)], [0, true]);
  assert.match(await readFile(file, 'utf8'), /Ada/);
  const done = await assay(folder, ['handles', 'forget', 'data', 'ada', '--yes']);
  assert.deepEqual([done.code, done.err], [0, '']);
  const left = await readFile(file, 'utf8');
  assert.doesNotMatch(left, /Ada|0101010101/);
  assert.match(left, /bob/);
  const again = await assay(folder, ['handles', 'forget', 'data', 'ada', '--yes']);
  assert.deepEqual([again.code, again.err], [1, 'assay handles: no handle has the name ada\n']);
});

test('handles forget: not while a node has the folder, nor in a folder that is none', async (t) => {
  const folder = await data(t);
  const store = await openLevelStore(dataFolder(join(folder, 'data')).ledger);
  const busy = await assay(folder, ['handles', 'forget', 'data', 'ada', '--yes']);
  await store.close();
  assert.equal(busy.code, 3, busy.err);
  assert.equal((await assay(folder, ['handles', 'forget', 'nothing', 'ada', '--yes'])).code, 2);
});

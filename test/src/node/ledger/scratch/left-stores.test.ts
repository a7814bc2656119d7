import assert from 'node:assert/strict';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { removeLeftStores } from '@assay/node/ledger/scratch/left-stores';
import { openScratch } from '@assay/node/ledger/store/level-store';
import { ScratchView } from '@assay/node/ledger/store/scratch-view';
import { temporaryFolder } from '../ledger-fixture.ts';

const isLeft = (name: string): boolean => name.startsWith('left');

test('left stores: one that somebody has open stays, whatever else is in the others', async (t) => {
  const folder = await temporaryFolder(t);
  await (await openScratch(join(folder, 'left-sound'))).close();
  await mkdir(join(folder, 'left-empty'));
  await mkdir(join(folder, 'left-damaged'));
  await writeFile(join(folder, 'left-damaged', 'CURRENT'), 'no manifest');
  const used = await openScratch(join(folder, 'left-used'));
  await (await openScratch(join(folder, 'other'))).close();
  assert.equal(await removeLeftStores(folder, isLeft), true);
  assert.deepEqual((await readdir(folder)).sort(), ['left-used', 'other']);
  assert.equal(await removeLeftStores(folder, isLeft), false);
  await used.close();
  assert.equal(await removeLeftStores(folder, isLeft), true);
  assert.deepEqual(await readdir(folder), ['other']);
  assert.equal(await removeLeftStores(join(folder, 'none'), isLeft), false);
});

test('left stores: views of killed processes go when another is made there, but none that is being made', async (t) => {
  const folder = await temporaryFolder(t);
  const database = join(folder, 'ledger');
  await (await openScratch(database)).close();
  const [old, young] = [`assay-view.${'0'.repeat(16)}`, `assay-view.${'1'.repeat(16)}`];
  for (const name of [old, young, 'assay-view.own']) await mkdir(join(folder, name));
  const anHourAgo = Date.now() / 1000 - 3600;
  for (const name of [old, 'assay-view.own'])
    await utimes(join(folder, name), anHourAgo, anHourAgo);
  const view = await ScratchView.make(database, [folder]);
  await view.remove();
  assert.deepEqual((await readdir(folder)).sort(), [young, 'assay-view.own', 'ledger']);
});

import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import type { DateText } from '@assay/core/time/time';
import { closesOf, newestClose } from '@assay/core/view/closes';
import { FileBlobStore } from '@assay/node/blob/file-blob-store';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { FileOpenings } from '@assay/node/data/openings';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { publisherScrub } from '@assay/node/publisher-scrub';
import { storageStatus } from '@assay/node/scrub/storage-status';
import { closesWorld } from './fixture/closes-world.ts';
import { NOON, temporaryFolder } from './ledger/ledger-fixture.ts';

test('publisher scrub: a round finds whatever rots behind a running publisher, and tells what it repaired', async (t) => {
  const folder = await temporaryFolder(t);
  const openings = await FileOpenings.open(join(folder, 'openings'), nodeSha256, { sync: false });
  const world = await closesWorld(join(folder, 'mirror'), { openings });
  await world.week(0);
  const { ledger, place } = world;
  const blobs = await FileBlobStore.open(join(folder, 'blobs'), { sync: false });
  const hashes: HashHex[] = [];
  for await (const hash of world.blobs.list()) {
    hashes.push(await blobs.put((await world.blobs.get(hash)) as Uint8Array));
  }
  const damage = new DamageLog(() => NOON);
  const scrub = publisherScrub(
    {
      scrub: { roundS: 1 },
      blobs,
      openings,
      settlements: world.mirror,
      sha256: nodeSha256,
      now: () => NOON,
      log: makeLogger('silent'),
    },
    ledger,
    damage,
  );
  assert.ok(scrub !== undefined);
  await scrub.round();
  assert.equal(damage.list.length, 0);
  assert.equal(scrub.status.rounds, 1);
  assert.ok(scrub.status.bytes > 10_000);
  assert.deepEqual(scrub.concerns(), []);

  const [rotten, gone] = hashes as [HashHex, HashHex];
  await writeFile(join(folder, 'blobs', rotten.slice(0, 2), rotten), 'other bytes');
  await rm(join(folder, 'blobs', gone.slice(0, 2), gone));
  const [commitment] = openings.names();
  await writeFile(join(folder, 'openings', commitment as string), 'rot');
  const day = newestClose(ledger.shown) as DateText;
  const [file] = closesOf(ledger.shown, day).flatMap(({ content }) => content.files);
  await writeFile(join(folder, 'mirror', file?.path as string), 'rot');
  for await (const row of place.store.views()) {
    const bad = { ...row, value: Buffer.from('{"rot":1}') };
    await place.store.commit({ entries: [], tiles: [], views: [bad], head: null });
    break;
  }
  await scrub.round();
  const found = damage.list.map(({ part, name, state }) => `${part} ${name} ${state}`).sort();
  assert.deepEqual(
    found,
    [
      `blob ${rotten} damaged`,
      `blob ${gone} missing`,
      `opening ${commitment} repaired`,
      `settlement ${file?.path} damaged`,
    ].sort(),
  );
  const status = storageStatus(damage, scrub);
  assert.deepEqual([status.damaged, status.found.length, status.scrub?.rounds], [3, 4, 2]);
  assert.equal(ledger.blocked, undefined);
  // The rows are repaired, which the ledger tells whoever opened it.
  assert.equal(ledger.mended.length, 1);
});

test('publisher scrub: an entry that rotted halts the log, and all the rest is gone over', async (t) => {
  const folder = await temporaryFolder(t);
  const world = await closesWorld(folder);
  await world.week(0);
  const { ledger, place, blobs, mirror } = world;
  const damage = new DamageLog(() => NOON);
  const scrub = publisherScrub(
    {
      scrub: { roundS: 1 },
      blobs,
      openings: world.openings as never,
      settlements: mirror,
      sha256: nodeSha256,
      now: () => NOON,
      log: makeLogger('silent'),
    },
    ledger,
    damage,
  );
  const bytes = (await place.store.entry(2)) as Uint8Array;
  const entries = [{ seq: 2, bytes: bytes.with(30, (bytes[30] as number) ^ 1) }];
  await place.store.commit({ entries, tiles: [], views: [], head: null });
  await scrub?.round();
  assert.deepEqual(
    damage.openList.map(({ part, name }) => `${part} ${name}`),
    ['entry 2'],
  );
  assert.deepEqual([ledger.blocked?.code, ledger.blocked?.at], ['ledger_corrupt', 'entry 2']);
  assert.equal(scrub?.status.rounds, 1);
  assert.deepEqual(scrub?.concerns(), []);
});

test('publisher scrub: nothing is gone over where nobody asks for it', async (t) => {
  const world = await closesWorld(await temporaryFolder(t));
  const parts = {
    blobs: world.blobs,
    openings: world.openings as never,
    settlements: world.mirror,
  };
  const rest = { sha256: nodeSha256, now: () => NOON, log: makeLogger('silent') };
  const damage = new DamageLog(() => NOON);
  assert.equal(publisherScrub({ ...parts, ...rest }, world.ledger, damage), undefined);
  assert.equal(storageStatus(damage, undefined).scrub, null);
});

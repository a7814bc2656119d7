import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TemporaryRows } from '@assay/node/ledger/scratch/temporary-rows';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { RowStore } from '@assay/verifier/verdict/environment';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { makeGround, MISDEEDS } from './fixture/misdeeds.ts';
import {
  ENVIRONMENT,
  folderOf,
  judgeFolder,
  judgeSite,
  judging,
  siteOf,
} from './fixture/published.ts';

const ground = await makeGround();
const rows = new TemporaryRows(nodeSha256);
let made = 0;

/** A place on the disk to which everything is written at once, so that it is read from there. */
async function rowStore(): Promise<RowStore> {
  const place = await rows.make();
  made += 1;
  return {
    get: place.get.bind(place),
    list: place.list.bind(place),
    descend: place.descend.bind(place),
    write: place.write.bind(place),
    flush: () => place.flush(0),
    all: place.all.bind(place),
    drop: place.drop.bind(place),
  };
}

/** The verdict with the rows in memory, and the same one with those of every entry on the disk, to the byte. */
async function sameStored(judged: () => Promise<Verdict>): Promise<void> {
  const inMemory = JSON.stringify(await judged());
  judging.environment = { ...ENVIRONMENT, rowStore };
  judging.limits = { folded_bytes: 0 };
  try {
    assert.equal(JSON.stringify(await judged()), inMemory);
  } finally {
    judging.environment = ENVIRONMENT;
    judging.limits = {};
    await rows.drop();
  }
}

test('stored rows: the verdict on an honest log is the same', async () => {
  const site = siteOf(ground.published);
  await sameStored(() => judgeSite(site));
  const folder = folderOf(ground.published);
  await sameStored(() => judgeFolder(folder));
  assert.equal(made, 2);
});

/** One misdeed of each code; all of them with `ASSAY_ALL_MISDEEDS=1`. */
const chosen = MISDEEDS.filter(
  ({ code }, i) =>
    process.env['ASSAY_ALL_MISDEEDS'] === '1' ||
    MISDEEDS.findIndex((each) => each.code === code) === i,
);

for (const { name, code, verdict } of chosen) {
  test(`stored rows: the same verdict for ${code}: ${name}`, async () => {
    await sameStored(() => verdict(ground));
  });
}

test('stored rows: beyond the limit for them, or where there is no place, the verdict is incomplete', async () => {
  const site = siteOf(ground.published);
  const environment = { ...ENVIRONMENT, rowStore };
  const reasonOf = (verdict: Verdict): string =>
    verdict.outcome === 'incomplete' ? verdict.reason : verdict.outcome;
  const limits = { folded_bytes: 5000, stored_bytes: 9000 };
  assert.match(
    reasonOf(await judgeSite(site, {}, { environment, limits })),
    /at most 9000 bytes of rules/,
  );
  await rows.drop();
  const full = (): Promise<RowStore> => Promise.reject(new Error('no space is left'));
  assert.match(
    reasonOf(
      await judgeSite(site, {}, { environment: { ...ENVIRONMENT, rowStore: full }, limits }),
    ),
    /no space is left/,
  );
});

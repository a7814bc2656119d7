import assert from 'node:assert/strict';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { FileBlobStore } from '@assay/node/blob/file-blob-store';
import { type BlobStageParts, blobStage } from '@assay/node/scrub/blob-stage';
import { DamageLog } from '@assay/node/scrub/damage-log';
import type { ScrubStep } from '@assay/node/scrub/scrub-stage';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

interface World {
  readonly folder: string;
  readonly blobs: FileBlobStore;
  readonly hashes: readonly HashHex[];
  readonly damage: DamageLog;
  readonly run: (place?: string, change?: Partial<BlobStageParts>) => Promise<readonly ScrubStep[]>;
}

async function world(t: TestContext, count = 600): Promise<World> {
  const folder = await temporaryFolder(t);
  const blobs = await FileBlobStore.open(folder, { sync: false });
  const hashes: HashHex[] = [];
  for (let i = 0; i < count; i += 1) hashes.push(await blobs.put(Buffer.from(`blob ${i}`)));
  const damage = new DamageLog(() => NOON);
  const run: World['run'] = async (place = '', change = {}) => {
    const stage = blobStage({
      name: 'blobs',
      blobs,
      part: 'blob',
      damage,
      copyOf: null,
      ...change,
    });
    const steps: ScrubStep[] = [];
    for await (const step of stage.steps(place)) steps.push(step);
    return steps;
  };
  return { folder, blobs, hashes: hashes.sort(), damage, run };
}

/** Flips a bit as a disk does: neither the length nor a time of the file changes. */
async function rot({ folder }: World, hash: HashHex): Promise<void> {
  const path = join(folder, hash.slice(0, 2), hash);
  const { atime, mtime } = await stat(path);
  const bytes = await readFile(path);
  bytes[0] = (bytes[0] as number) ^ 1;
  await writeFile(path, bytes);
  await utimes(path, atime, mtime);
}

const found = ({ damage }: World): readonly string[] =>
  damage.list.map(({ name, state }) => `${name} ${state}`);

test('blob stage: every blob is hashed, in steps that are gone on from', async (t) => {
  const each = await world(t);
  const steps = await each.run();
  assert.equal(steps.length, 3);
  assert.equal(
    steps.reduce((sum, { bytes }) => sum + bytes, 0),
    10 * 6 + 90 * 7 + 500 * 8,
  );
  const shares = steps.map(({ share }) => share);
  assert.deepEqual(
    shares,
    [...shares].sort((a, b) => a - b),
  );
  assert.equal(shares.at(-1), 1);
  assert.equal(steps[0]?.place, each.hashes[255]);
  const rest = await each.run(steps[0]?.place);
  assert.equal(
    rest.reduce((sum, { bytes }) => sum + bytes, 0),
    steps.slice(1).reduce((sum, { bytes }) => sum + bytes, 0),
  );
  assert.deepEqual(found(each), []);
});

test('blob stage: a blob that rotted after it was found sound is named, and not served any more', async (t) => {
  const each = await world(t, 10);
  const [bad, ...others] = each.hashes as [HashHex, ...HashHex[]];
  assert.ok((await each.blobs.checked(bad)) !== undefined);
  await rot(each, bad);
  await each.run();
  assert.deepEqual(found(each), [`${bad} damaged`]);
  await assert.rejects(each.blobs.checked(bad), { code: 'blob_differs' });
  assert.ok((await each.blobs.checked(others[0] as HashHex)) !== undefined);
  await rot(each, bad);
  await each.run();
  assert.deepEqual(found(each), [], 'somebody brought it back');
});

test('blob stage: bytes that another has are brought back', async (t) => {
  const each = await world(t, 3);
  const [bad = '' as HashHex] = each.hashes;
  const bytes = await readFile(join(each.folder, bad.slice(0, 2), bad));
  await rot(each, bad);
  await each.run('', { fetch: () => Promise.reject(new Error('nobody answers')) });
  assert.deepEqual(found(each), [`${bad} damaged`]);
  await each.run('', { fetch: () => Promise.resolve('other bytes') });
  assert.deepEqual(found(each), [`${bad} damaged`]);
  await each.run('', { fetch: () => each.blobs.put(bytes) });
  assert.deepEqual(found(each), [`${bad} repaired`]);
  assert.ok((await each.blobs.checked(bad)) !== undefined);
});

test('blob stage: one damage is checked again by its name', async (t) => {
  const each = await world(t, 3);
  const [bad = '' as HashHex] = each.hashes;
  const { blobs, damage } = each;
  const stage = blobStage({ name: 'blobs', blobs, part: 'blob', damage, copyOf: 'publisher' });
  await rot(each, bad);
  await stage.recheck?.check(bad);
  assert.deepEqual(
    damage.list.map(({ name, copy_of: of }) => [name, of]),
    [[bad, 'publisher']],
  );
});

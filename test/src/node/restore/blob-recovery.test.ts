import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { formatPack, parsePack } from '@assay/core/log/pack';
import { TILE_WIDTH } from '@assay/core/log/tile';
import { ownData } from '../../cli/fixture/data-folder.ts';
import type { Site } from '../../verifier/fixture/published.ts';
import { packPaths, withPacks } from '../../verifier/fixture/packed-site.ts';
import {
  backupOf,
  loseDisk,
  lostDisk,
  openNode,
  restored,
  serveBackup,
  SIZE,
} from './restore-world.ts';

/** The pack of the entries that name the bytes of the sample log. */
const FULL = '/pack/0/001';

/** As `lostDisk`, of a log so long that the entries with bytes are in a full bundle. */
async function longDisk(t: TestContext): Promise<{ readonly data: string; readonly copy: string }> {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const { ledger } = await openNode(data);
  const note = { kind: 'note/1' as const, body: { text: 'one more' } };
  await ledger.write(() => Array.from({ length: 2 * TILE_WIDTH - SIZE + 3 }, () => note));
  await ledger.close();
  await backupOf(data, copy);
  await loseDisk(data);
  return { data, copy };
}

/** The packs of a backup's bundles, as the log's own server has them, by their paths. */
async function packsOf(copy: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const site: Site = new Map();
  for (const folder of ['tile/entries', 'blob']) {
    for (const each of await readdir(join(copy, folder), {
      recursive: true,
      withFileTypes: true,
    })) {
      if (!each.isFile()) continue;
      const file = join(each.parentPath, each.name);
      const body = new Uint8Array(await readFile(file));
      site.set(file.slice(copy.length), { status: 200, body, logSize: undefined });
    }
  }
  const packed = await withPacks(site);
  return new Map(packPaths(packed).map((path) => [path, packed.get(path)?.body as Uint8Array]));
}

test('restore: what nobody has is listed, by what names it', async (t) => {
  const { data, copy } = await lostDisk(t);
  const [hash = ''] = await readdir(join(copy, 'blob'));
  await rm(join(copy, 'blob', hash));
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual(
    result.lacking.blobs.map((each) => each.hash),
    [hash],
  );
  assert.equal(result.verdict.outcome, 'findings');
});

test('restore: of a source with many wrong blobs the first are named, and the others counted', async (t) => {
  const { data, copy } = await lostDisk(t);
  const hashes = await readdir(join(copy, 'blob'));
  for (const hash of hashes) await writeFile(join(copy, 'blob', hash), 'rot');
  const result = await restored(data, [copy], { unconfirmed: true });
  const lacking = result.lacking.blobs.length;
  // What only a manifest names is not known to be lacking.
  assert.equal(lacking > 5 && lacking <= hashes.length, true, `${lacking} of ${hashes.length}`);
  const [{ faults } = { faults: [] }] = result.sources;
  assert.equal(faults.length, 6);
  assert.equal(faults.at(-1), `and ${lacking - 5} more of the kind`);
  assert.equal(result.verdict.findings >= lacking, true);
});

test('restore: a server is asked for the bytes of a full bundle in its pack, and for others alone', async (t) => {
  const { data, copy } = await longDisk(t);
  const packs = await packsOf(copy);
  const pack = parsePack(packs.get(FULL) as Uint8Array);
  const inPack = new Set<string>(pack.blobs.map(({ hash }) => `/blob/${hash}`));
  const asked: string[] = [];
  const url = await serveBackup(t, copy, (path, bytes) => {
    asked.push(path);
    return packs.get(path) ?? bytes;
  });
  const result = await restored(data, [url]);
  assert.equal(result.verdict.outcome, 'verified');
  const all = await readdir(join(copy, 'blob'));
  assert.deepEqual(result.blobs, { there: 0, restored: all.length });
  const packed = asked.filter((path) => path.startsWith('/pack/'));
  const alone = asked.filter((path) => path.startsWith('/blob/'));
  // That of the last entries, which is partial, may be fetched ahead.
  assert.deepEqual(
    packed.filter((path) => !path.includes('.p/')),
    [FULL],
  );
  assert.deepEqual(
    alone.filter((path) => inPack.has(path)),
    [],
  );
  assert.ok(alone.length + packed.length < all.length / 4, `${alone.length} of ${all.length}`);
});

test('restore: what a pack has instead of the bytes is asked for alone, and what nobody has is asked for once', async (t) => {
  const { data, copy } = await longDisk(t);
  const packs = new Map(await packsOf(copy));
  const { parts, blobs } = parsePack(packs.get(FULL) as Uint8Array);
  const [changed, gone] = [blobs[0]?.hash, blobs[1]?.hash] as [HashHex, HashHex];
  const bent = blobs.flatMap(({ hash, bytes }) => {
    if (hash === gone) return [];
    return [{ hash, bytes: hash === changed ? new Uint8Array(9) : bytes }];
  });
  packs.set(FULL, formatPack({ part: 0, parts, blobs: bent }));
  const asked: string[] = [];
  const url = await serveBackup(t, copy, (path, bytes) => {
    asked.push(path);
    return path === `/blob/${gone}` ? undefined : (packs.get(path) ?? bytes);
  });
  const result = await restored(data, [url]);
  assert.deepEqual(
    result.lacking.blobs.map(({ hash }) => hash),
    [gone],
  );
  assert.equal(asked.filter((path) => path === `/blob/${changed}`).length, 1);
  assert.equal(asked.filter((path) => path === `/blob/${gone}`).length, 1);
});

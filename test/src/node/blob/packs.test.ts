import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { parsePack } from '@assay/core/log/pack';
import { formatEntryBundle } from '@assay/core/log/tile';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { packPieces, planPack, plannedLength } from '@assay/node/blob/pack-plan';
import { Packs } from '@assay/node/blob/packs';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { youngLog } from '../../verifier/fixture/published.ts';

const young = youngLog(await sampleLog());
const { entries } = young;
const parseBody = bodyParser(nodeSha256);

async function stored(): Promise<MemoryBlobStore> {
  const blobs = new MemoryBlobStore();
  for (const bytes of young.blobs.values()) await blobs.put(bytes);
  return blobs;
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of chunks) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

const bundleOf = async (): Promise<Uint8Array> => formatEntryBundle(entries);

test('pack plan: it has every blob that the entries lead to, each with its hash', async () => {
  const blobs = await stored();
  const plan = await planPack(entries, blobs, parseBody);
  assert.equal(plan.whole, true);
  const bytes = await bytesOf(packPieces(plan, 0, blobs));
  assert.equal(bytes.length, plannedLength(plan, 0));
  const { blobs: packed, parts } = parsePack(bytes);
  assert.equal(parts, 1);
  assert.deepEqual(packed.map(({ hash }) => hash).toSorted(), [...young.blobs.keys()].toSorted());
  for (const { hash, bytes: each } of packed)
    assert.deepEqual(new Uint8Array(each), young.blobs.get(hash));
  // A snapshot comes before its pages.
  const first = JSON.parse(new TextDecoder().decode(packed[0]?.bytes)) as {
    readonly type: string;
    readonly pages: readonly { readonly sha256: string }[];
  };
  assert.equal(first.type, 'assay-snapshot/1');
  assert.equal(packed[1]?.hash, first.pages[0]?.sha256);
});

test('pack plan: a blob that is lost or damaged is left out, and the pack says that it is not whole', async () => {
  const blobs = await stored();
  const all = (await planPack(entries, blobs, parseBody)).parts.flat();
  for (const { hash: lost } of all) {
    for (const how of ['lost', 'damaged']) {
      const checked: typeof blobs.checked = async (hash) => {
        if (hash !== lost) return blobs.checked(hash);
        if (how === 'lost') return undefined;
        throw new Fault('blob_differs', 'blob', { at: hash });
      };
      const plan = await planPack(entries, { checked }, parseBody);
      assert.equal(plan.whole, false);
      assert.ok(plan.parts.flat().every(({ hash }) => hash !== lost));
    }
  }
});

test('pack plan: entries that nobody can read name nothing', async () => {
  const junk = [new TextEncoder().encode('{'), ...entries, new Uint8Array(0)];
  const blobs = await stored();
  assert.deepEqual(
    await planPack(junk, blobs, parseBody),
    await planPack(entries, blobs, parseBody),
  );
});

test('packs: a part, and none where the log has no such bundle or part', async () => {
  const blobs = await stored();
  const packs = new Packs(nodeSha256, {
    tile: async ({ level, index, width }) =>
      level === 'entries' && index === 0 && width === entries.length ? bundleOf() : undefined,
    blobs,
  });
  const found = await packs.part({ part: 0, index: 0, width: entries.length });
  assert.equal(found?.whole, true);
  assert.equal((await bytesOf(found.chunks())).length, found.size);
  assert.equal(await packs.part({ part: 1, index: 0, width: entries.length }), undefined);
  assert.equal(await packs.part({ part: 0, index: 1, width: entries.length }), undefined);
});

test('packs: a blob that comes back is in the next answer, and one that goes ends the answer', async () => {
  const blobs = await stored();
  const plan = await planPack(entries, blobs, parseBody);
  const lost = plan.parts[0]?.at(-1)?.hash as HashHex;
  let isLost = true;
  let plans = 0;
  const packs = new Packs(nodeSha256, {
    tile: () => {
      plans += 1;
      return bundleOf();
    },
    blobs: { checked: async (hash) => (hash === lost && isLost ? undefined : blobs.checked(hash)) },
  });
  const named = { part: 0, index: 0, width: entries.length };
  assert.equal((await packs.part(named))?.whole, false);
  isLost = false;
  const whole = await packs.part(named);
  assert.equal(whole?.whole, true);
  assert.equal((await packs.part(named))?.size, whole.size);
  assert.equal(plans, 2, 'a whole plan is remembered');
  isLost = true;
  await assert.rejects(bytesOf(whole.chunks()), { code: 'blob_missing' });
  assert.equal((await packs.part(named))?.whole, false);
});

test('packs: all parts of a log, under their names', async () => {
  const blobs = await stored();
  const packs = new Packs(nodeSha256, { tile: bundleOf, blobs });
  const names: string[] = [];
  for await (const { name, chunks, size } of packs.all(entries.length)) {
    names.push(name);
    assert.equal(parsePack(await bytesOf(chunks())).parts, 1);
    assert.ok(size > 0);
  }
  assert.deepEqual(names, [`pack/0/000.p/${entries.length}`]);
});

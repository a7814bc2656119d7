import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerPath, cataloguePath, parseCatalogue } from '@assay/core/answer/copy/catalogue';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { formatCosignature } from '@assay/core/log/cosignature';
import { formatNote, parseNote } from '@assay/core/log/note';
import { formatTilePath, type Tile, tilesOf } from '@assay/core/log/tile';
import { CHECKPOINT_KEYS_TABLE } from '@assay/core/view/key/checkpoint-keys';
import type { ViewState } from '@assay/core/view/view';
import { Packs } from '@assay/node/blob/packs';
import type { BucketCopy } from '@assay/node/objects/bucket-copy';
import type { NewObject } from '@assay/node/objects/object-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { bucketWorld, type BucketWorld, verdictOn } from '../fixture/bucket-world.ts';
import type { MemoryObjects } from '../fixture/memory-objects.ts';
import { CHECKPOINTS, note } from '../ledger/ledger-fixture.ts';

function sizeOf({ objects }: MemoryObjects): number | undefined {
  const found = objects.get('checkpoint');
  return found && parseCheckpoint(parseNote(found.bytes).text).size;
}

async function requireVerified(objects: MemoryObjects, when: string): Promise<void> {
  const size = sizeOf(objects);
  if (size === undefined) return;
  const verdict = await verdictOn(objects);
  const found = verdict.outcome === 'findings' ? verdict.findings : [];
  assert.deepEqual([verdict.outcome, found], ['verified', []], `${when}, at size ${size}`);
}

test('bucket copy: the bucket is verified after every single write while the log grows', async (t) => {
  const world = await bucketWorld(t);
  const { objects } = world;
  // Nothing is kept for readers of former checkpoints, so that each removal is seen.
  const copy = world.copy({ keep: { seconds: 0, elapsed: () => 0 } });
  let checks = Promise.resolve();
  let count = 0;
  const check = (path: string): Promise<void> => {
    checks = checks.then(async () => {
      count += 1;
      await requireVerified(objects, `beside the write of ${path}`);
    });
    return checks;
  };
  objects.after = check;
  for (const grow of world.grow) {
    await grow();
    const done = await copy.advance();
    assert.equal(done?.size, world.ledger.nextSeq);
    assert.equal(sizeOf(objects), world.ledger.nextSeq);
    await requireVerified(objects, 'after a step');
  }
  assert.ok(count > 100, `${count} moments`);
});

test('bucket copy: it has every tile, bundle and settlement file, with types and cache headers', async (t) => {
  const world = await bucketWorld(t);
  const copy = world.copy();
  for (const grow of world.grow) {
    await grow();
    await copy.advance();
  }
  const { objects } = world.objects;
  const size = world.ledger.nextSeq;
  for (const tile of tilesOf(size)) {
    const found = objects.get(formatTilePath(tile));
    assert.equal(found?.cacheControl, 'public, max-age=31536000, immutable', formatTilePath(tile));
    assert.ok(equalBytes(found.bytes, (await world.ledger.tile(tile)) as Uint8Array));
  }
  for await (const hash of world.blobs.list()) {
    const found = objects.get(`blob/${hash}`);
    assert.equal(found && hashHex(contentHash(nodeSha256, found.bytes)), hash);
    assert.equal(found?.contentType, 'application/octet-stream');
  }
  // The one bundle that is full has a pack.
  const packs = new Packs(nodeSha256, {
    tile: (tile) => world.ledger.tile(tile),
    blobs: world.blobs,
  });
  const part = await packs.part({ part: 0, index: 0, width: 256 });
  const pieces: Uint8Array[] = [];
  for await (const piece of part?.chunks() ?? []) pieces.push(piece);
  assert.ok(equalBytes(objects.get('pack/0/000')?.bytes ?? formatUtf8(''), Buffer.concat(pieces)));
  assert.deepEqual(
    [...objects.keys()].filter((path) => path.startsWith('pack/')),
    ['pack/0/000'],
  );
  const checkpoint = objects.get('checkpoint');
  assert.equal(checkpoint?.cacheControl, 'public, no-cache');
  assert.equal(checkpoint.contentType, 'text/plain; charset=utf-8');
  assert.equal(objects.get('indices.json')?.contentType, 'application/json; charset=utf-8');
  assert.equal(objects.get('indices.json')?.cacheControl, 'public, no-cache');
  const csv = [...objects.keys()].find((name) => name.endsWith('history.csv')) as string;
  assert.equal(objects.get(csv)?.contentType, 'text/csv; charset=utf-8');
  assert.ok(objects.has('settlement/latest.json'));
  assert.ok([...objects.keys()].some((name) => /^proof\/[0-9a-f]{64}\.ots$/.test(name)));
  const { reports, folders } = parseCatalogue(
    (objects.get(cataloguePath(size)) as NewObject).bytes,
  );
  assert.equal(reports, 2);
  assert.ok(folders.has('.') && folders.has('proof'));
});

test('bucket copy: a line that a witness has renewed reaches the bucket, and an older one never does', async (t) => {
  const { ledger, objects, copy } = await bucketWorld(t);
  const { published } = ledger;
  assert.ok(published !== undefined);
  const plain = parseNote(published.note);
  const at = (time: number): Uint8Array => {
    const line = formatCosignature(
      { name: 'witness.example', keyId: '01020304' },
      { time, signature: new Uint8Array(64).fill(time) },
    );
    return formatNote({ ...plain, signatures: [...plain.signatures, line] });
  };
  let shown = at(100);
  const record = {
    get published() {
      return { ...published, note: shown };
    },
    shown: ledger.shown,
    tile: (tile: Tile) => ledger.tile(tile),
  };
  const one = copy({ record });
  const there = (): Uint8Array | undefined => objects.objects.get('checkpoint')?.bytes;
  const steps = [
    [100, 100],
    [200, 200],
    [150, 200],
    [201, 201],
  ] as const;
  for (const [given, kept] of steps) {
    shown = at(given);
    await one.advance();
    assert.deepEqual(there(), at(kept), `${given}`);
  }
});

test('bucket copy: what only a former checkpoint needs is removed after its time, and nothing else', async (t) => {
  const world = await bucketWorld(t);
  const { objects } = world.objects;
  let time = 0;
  const copy = world.copy({ keep: { seconds: 100, elapsed: () => time } });
  const all: number[] = [];
  for (const grow of world.grow) {
    await grow();
    await copy.advance();
    all.push(objects.size);
  }
  const named = (prefix: string): readonly string[] =>
    [...objects.keys()].filter((path) => path.startsWith(prefix));
  assert.equal(named('answers/at/').length, world.grow.length, 'they are kept for 100 seconds');
  time = 101;
  await world.ledger.write(() => [note('one more')]);
  await copy.advance();
  const last = world.ledger.nextSeq - 1;
  // Kept are those of the checkpoint that was replaced just now, and of the new one.
  assert.deepEqual(named('answers/at/'), [cataloguePath(last), cataloguePath(last + 1)]);
  const edges = [last, last + 1].flatMap((size) => [...tilesOf(size)].map(formatTilePath));
  assert.deepEqual(
    [...objects.keys()].filter((path) => path.startsWith('tile/')).sort(),
    [...new Set(edges)].sort(),
  );
  const catalogue = parseCatalogue((objects.get(cataloguePath(last + 1)) as NewObject).bytes);
  assert.equal(named('answers/folder/').length, catalogue.folders.size);
  await requireVerified(world.objects, 'after the removal');
});

test('bucket copy: what has not changed is not written again, also after a restart', async (t) => {
  const world = await bucketWorld(t);
  await world.grow[0]?.();
  const first = world.copy();
  await first.advance();
  assert.equal((await first.advance())?.written, 0);
  await world.ledger.write(() => [note('one more')]);
  const again = world.copy();
  const written: string[] = [];
  world.objects.after = (path) => void written.push(path);
  await again.advance();
  // A note changes no answer: new are the right edge, the catalogue and the checkpoint. Plain names and the mark
  // are written once by each process.
  const unplain = written.filter((path) =>
    /^(?:tile|blob|answers|checkpoint|settlement\/2)/.test(path),
  );
  const { nextSeq } = world.ledger;
  assert.deepEqual(unplain.sort(), [
    cataloguePath(nextSeq),
    'checkpoint',
    `tile/0/000.p/${nextSeq}`,
    `tile/entries/000.p/${nextSeq}`,
  ]);
});

test('bucket copy: a listing with other bytes than its name says is not believed after a restart', async (t) => {
  const world = await bucketWorld(t);
  await world.grow[0]?.();
  await world.copy().advance();
  const { objects } = world.objects;
  const path = [...objects.keys()].find((each) => each.startsWith('answers/folder/')) as string;
  const { bytes, ...rest } = objects.get(path) as NewObject;
  objects.set(path, { ...rest, bytes: bytes.subarray(0, bytes.length - 1) });
  await world.ledger.write(() => [note('one more')]);
  await assert.rejects(world.copy().advance(), { code: 'objects_differ' });
  objects.set(path, { ...rest, bytes });
  await world.copy().advance();
  await requireVerified(world.objects, 'once the listing is what its name says');
});

/** Runs a copy until it ends or is killed at its write number `at`. */
async function killedAt(
  world: BucketWorld,
  copy: BucketCopy,
  at: number,
  when: 'before' | 'after',
): Promise<boolean> {
  let count = 0;
  world.objects[when] = (path) => {
    count += 1;
    if (count === at) throw new Error(`killed ${when} ${path}`);
  };
  try {
    await copy.advance();
    return false;
  } catch {
    return true;
  } finally {
    world.objects[when] = () => undefined;
  }
}

test('bucket copy: a run that is killed before or after any of its writes is taken up by the next', async (t) => {
  const world = await bucketWorld(t);
  const { objects } = world;
  for (const grow of world.grow.slice(0, 3)) await grow();
  await world.copy().advance();
  const before = new Map(objects.objects);
  await world.grow[3]?.();
  await world.copy().advance();
  const whole = new Map(objects.objects);
  let kills = 0;
  for (const when of ['before', 'after'] as const) {
    for (let at = 1; ; at += 1) {
      objects.objects.clear();
      for (const [path, object] of before) objects.objects.set(path, object);
      if (!(await killedAt(world, world.copy(), at, when))) break;
      kills += 1;
      await world.copy().advance();
      assert.deepEqual([...objects.objects.keys()].sort(), [...whole.keys()].sort());
      for (const [path, { bytes }] of whole) {
        assert.ok(equalBytes((objects.objects.get(path) as NewObject).bytes, bytes), path);
      }
    }
  }
  assert.ok(kills > 60, `${kills} kills`);
});

test('bucket copy: a larger checkpoint in the bucket, or one of another history, is never replaced', async (t) => {
  const world = await bucketWorld(t);
  await world.grow[0]?.();
  await world.copy().advance();
  const good = world.objects.objects.get('checkpoint') as NewObject;
  const { size } = world.ledger.published ?? assert.fail();
  const root = new Uint8Array(32).fill(7) as never;
  for (const [bytes, code] of [
    [CHECKPOINTS.sign(size + 5, root), 'objects_ahead'],
    [CHECKPOINTS.sign(size, root), 'objects_differ'],
    [CHECKPOINTS.sign(3, root), 'objects_differ'],
    [formatUtf8('something else'), 'objects_differ'],
  ] as const) {
    world.objects.objects.set('checkpoint', { ...good, bytes });
    await world.ledger.write(() => [note('grown')]);
    const keys = [...world.objects.objects.keys()];
    await assert.rejects(world.copy().advance(), { code });
    assert.deepEqual(world.objects.objects.get('checkpoint')?.bytes, bytes);
    assert.deepEqual([...world.objects.objects.keys()], keys, 'nothing is written');
  }
});

test('bucket copy: other bytes in the place of a blob or a tile stop it, and stay', async (t) => {
  const world = await bucketWorld(t);
  await world.grow[0]?.();
  const { size } = world.ledger.published ?? assert.fail();
  const hashes: string[] = [];
  for await (const each of world.blobs.list()) hashes.push(each);
  const [hash] = hashes;
  for (const path of [`blob/${hash}`, `tile/entries/000.p/${size}`]) {
    const foreign = { bytes: formatUtf8('foreign'), contentType: 'text/plain', cacheControl: '' };
    world.objects.objects.clear();
    world.objects.objects.set(path, foreign);
    await assert.rejects(world.copy().advance(), { code: 'objects_differ' });
    assert.equal(world.objects.objects.get(path)?.bytes.length, 7);
    assert.equal(world.objects.objects.has('checkpoint'), false);
  }
});

test('bucket copy: two writers of one log come to one end', async (t) => {
  const world = await bucketWorld(t);
  for (const grow of world.grow) {
    await grow();
    const done = await Promise.all([world.copy().advance(), world.copy().advance()]);
    assert.deepEqual(
      done.map((each) => each?.size),
      [world.ledger.nextSeq, world.ledger.nextSeq],
    );
    await requireVerified(world.objects, 'after two writers');
  }
});

test('bucket copy: bytes that the log names and nobody has leave the checkpoint where it is', async (t) => {
  const world = await bucketWorld(t);
  await world.grow[0]?.();
  const { read, checked } = world.blobs;
  const blobs = { get: () => Promise.resolve(undefined), read, checked };
  await assert.rejects(world.copy({ blobs }).advance(), { code: 'blob_missing' });
  assert.equal(world.objects.objects.has('checkpoint'), false);
  await world.copy().advance();
  await requireVerified(world.objects, 'once the bytes are there');
});

test('bucket copy: an answer that was changed in the bucket is a finding', async (t) => {
  const world = await bucketWorld(t);
  await world.grow[0]?.();
  await world.copy().advance();
  const { objects } = world.objects;
  const name = [...objects.keys()].find((each) => each === 'indices.json') as string;
  const { bytes, ...rest } = objects.get(name) as NewObject;
  const path = answerPath(hashHex(contentHash(nodeSha256, bytes)));
  const changed = Buffer.from(bytes).toString().replace('"ticker"', '"tocker"');
  objects.set(path, { ...rest, bytes: formatUtf8(changed) });
  const verdict = await verdictOn(world.objects);
  assert.equal(verdict.outcome, 'findings');
  assert.deepEqual(
    verdict.findings.map(({ code, place }) => `${code} ${place}`.slice(0, 21)),
    ['api_differs /indices '],
  );
});

test('bucket copy: the closing heads of keys that ended are there before the checkpoint, and a missing one ends the copy', async (t) => {
  const { ledger, objects, copy } = await bucketWorld(t);
  const { published } = ledger;
  assert.ok(published !== undefined);
  const row = { number: 2 };
  const shown: ViewState = {
    get: (table, key) => ledger.shown.get(table, key),
    list: (table) => ledger.shown.list(table),
    descend: (table) =>
      table === CHECKPOINT_KEYS_TABLE
        ? [['2', row as never] as const].values()
        : ledger.shown.descend(table),
  };
  const kept = new Map([[0, formatUtf8('one')]]);
  const record = {
    published,
    shown,
    tile: (tile: Tile) => ledger.tile(tile),
    closingHead: (number: number) => Promise.resolve(kept.get(number)),
  };
  await assert.rejects(copy({ record }).advance(), { code: 'not_found', at: 'closing-head/1' });
  assert.equal(objects.objects.get('checkpoint'), undefined);
  kept.set(1, formatUtf8('two'));
  await copy({ record }).advance();
  for (const [number, bytes] of kept) {
    const found = objects.objects.get(`closing-head/${number}`);
    assert.deepEqual(found?.bytes, bytes);
    assert.equal(found?.cacheControl, 'public, max-age=31536000, immutable');
    assert.equal(found?.contentType, 'text/plain; charset=utf-8');
  }
  assert.equal(objects.objects.get('closing-head/2'), undefined);
  assert.ok(objects.objects.get('checkpoint') !== undefined);
});

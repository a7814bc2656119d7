import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { TickDraft } from '@assay/core/terminal/terminal';
import { nodeSha256 } from '@assay/node/node-sha256';
import { CRYPTO_FORMAT } from '@assay/node/terminal/market-formats';
import { MarketFolder } from '@assay/node/terminal/market-folder';
import { MarketRecount, type Recounted } from '@assay/node/terminal/market-recount';
import { replaySeed } from '@assay/node/terminal/replay-keys';
import { market, stepsOf } from './replay-world.ts';

const TICKS = 300;

type Loose = { -readonly [K in keyof TickDraft]: TickDraft[K] };

/** A replay's entries and blobs, to be changed, and the files that they are of. */
interface World {
  readonly drafts: TickDraft[];
  readonly blobs: Map<HashHex, Uint8Array>;
  readonly folder: MarketFolder;
}

async function world(t: TestContext): Promise<World> {
  const root = await market(t, TICKS);
  const blobs = new Map<HashHex, Uint8Array>();
  const drafts: TickDraft[] = [];
  for (const step of await stepsOf(root)) {
    for (const blob of step.blobs) blobs.set(hashHex(contentHash(nodeSha256, blob)), blob);
    drafts.push(...structuredClone(step.drafts));
  }
  return { drafts, blobs, folder: await MarketFolder.open(root, CRYPTO_FORMAT) };
}

async function recounted(
  { blobs, folder }: World,
  drafts: readonly TickDraft[],
  hasFiles = true,
): Promise<{ readonly recount: MarketRecount; readonly found: readonly string[] }> {
  const found: string[] = [];
  const recount = new MarketRecount({
    sha256: nodeSha256,
    seed: replaySeed(nodeSha256, 'salts'),
    markets: new Map(hasFiles ? [['crypto', { folder, grid: CRYPTO_FORMAT.grid }]] : []),
    blob: (hash) => Promise.resolve(blobs.get(hash)),
    onDifference: ({ of, place }) => found.push(`${of} ${place}`),
  });
  for (const [seq, draft] of drafts.entries())
    await recount.entry(draft as KnownBody, `entry ${seq}`);
  await recount.finish();
  return { recount, found };
}

/** The newest place of a kind; of receipts and benchmarks one with a return. */
function newest(drafts: readonly TickDraft[], kind: string): number {
  const at = drafts.findLastIndex((draft) => {
    const { ret = 0 } = draft.body as { readonly ret?: number | null };
    return draft.kind === kind && ret !== null;
  });
  assert.ok(at >= 0, kind);
  return at;
}

test('market recount: a replay is what its files make, to the last return and commitment', async (t) => {
  const all = await world(t);
  const { recount, found } = await recounted(all, all.drafts);
  assert.deepEqual(found, []);
  const { ticks, leaves, events, closes, receipts, benchmarks } = recount.checked;
  assert.equal(ticks, TICKS);
  assert.ok(leaves > 3 * TICKS, String(leaves));
  const dues = [events, closes, receipts, benchmarks];
  assert.ok(
    dues.every((each) => each > 0),
    dues.join(),
  );
  assert.equal(recount.ruleOf('crypto')?.version, 1);
  assert.equal(recount.ruleOf('stock'), undefined);
});

test('market recount: a value that no public leaf decides is found', async (t) => {
  const all = await world(t);
  const changes: readonly (readonly [kind: string, of: Recounted, change: object, at: string])[] = [
    ['receipt/1', 'receipts', { ret: 12_345 }, '/ret'],
    ['receipt/1', 'receipts', { price: 'ab'.repeat(32) }, '/price'],
    ['benchmark/1', 'benchmarks', { ret: 12_345 }, '/ret'],
    ['benchmark/1', 'benchmarks', { from_price: 'ab'.repeat(32) }, '/from_price'],
    ['event/1', 'events', { move_24h: 12_345 }, '/move_24h'],
    ['event/1', 'events', { breadth: { up: 0, down: 4, of: 4 } }, '/breadth'],
    ['event-close/1', 'closes', { peak_score: 1 }, '/peak_score'],
  ];
  for (const [kind, of, change, at] of changes) {
    const seq = newest(all.drafts, kind);
    const draft = all.drafts[seq] as Loose;
    const bent = { ...draft, body: { ...draft.body, ...change } } as TickDraft;
    const { found } = await recounted(all, all.drafts.with(seq, bent));
    assert.equal(found.length, 1, `${kind} ${found.join('\n')}`);
    assert.match(found[0] as string, new RegExp(`^${of} entry ${seq} .*${at}`));
  }
});

test('market recount: entries that are left out, added or said twice are found', async (t) => {
  const all = await world(t);
  for (const [kind, of] of [
    ['event/1', 'events'],
    ['event-close/1', 'closes'],
    ['receipt/1', 'receipts'],
    ['benchmark/1', 'benchmarks'],
  ] as const) {
    const seq = newest(all.drafts, kind);
    const gone = await recounted(all, all.drafts.toSpliced(seq, 1));
    const tick = all.drafts.findLastIndex((each, i) => i < seq && each.kind === 'tick/1');
    assert.deepEqual(gone.found, [`${of} entry ${tick}`], kind);
    const twice = await recounted(all, all.drafts.toSpliced(seq, 0, all.drafts[seq] as TickDraft));
    assert.deepEqual(twice.found, [`${of} entry ${seq + 1}`], kind);
  }
  const tick = newest(all.drafts, 'tick/1');
  const missed = await recounted(
    all,
    all.drafts.filter((_, i) => i < tick - 1 || i >= tick).toSpliced(tick - 1, 0),
  );
  assert.ok(missed.found[0]?.startsWith('ticks before entry '), missed.found.join('\n'));
});

test('market recount: a leaf that the files do not make is found, with its asset', async (t) => {
  const all = await world(t);
  const seq = newest(all.drafts, 'tick/1');
  const draft = all.drafts[seq] as Extract<TickDraft, { readonly kind: 'tick/1' }>;
  const bytes = Uint8Array.from(all.blobs.get(draft.body.blob) as Uint8Array);
  bytes[40] = (bytes[40] as number) ^ 1;
  const blob = hashHex(contentHash(nodeSha256, bytes));
  all.blobs.set(blob, bytes);
  const bent: TickDraft = { ...draft, body: { ...draft.body, blob } };
  const { found } = await recounted(all, all.drafts.with(seq, bent));
  assert.deepEqual(found, [`leaves entry ${seq} ADA`, `ticks entry ${seq}/blob`]);
  all.blobs.delete(blob);
  const lost = await recounted(all, all.drafts.with(seq, bent));
  assert.deepEqual(lost.found, [`leaves entry ${seq}`, `ticks entry ${seq}/blob`]);
});

test('market recount: an asset that the log leaves out, and a class without files, are said', async (t) => {
  const all = await world(t);
  const ada = all.drafts.findIndex(
    ({ kind, body }) => kind === 'asset/1' && (body as { symbol: string }).symbol === 'ADA',
  );
  const { found } = await recounted(all, all.drafts.toSpliced(ada, 1));
  assert.ok(found[0]?.startsWith('leaves entry '), found[0]);
  const { recount, found: none } = await recounted(all, all.drafts, false);
  assert.deepEqual(none, []);
  assert.deepEqual([...recount.without], ['crypto']);
  const { ticks, ...rest } = recount.checked;
  assert.equal(ticks, TICKS);
  assert.deepEqual(new Set(Object.values(rest)), new Set([0]));
});

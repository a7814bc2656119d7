import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { contentHash, hashHex, toHashHex } from '@assay/core/hash/hash';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import {
  formatTickLeaves,
  parseTickLeaves,
  type TickLeaf,
} from '@assay/core/terminal/tick/tick-leaf';
import type { TickOpening } from '@assay/core/terminal/tick/tick-writer';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  OpeningsRecount,
  type OpeningsRecountParts,
} from '@assay/node/terminal/check/openings-recount';
import { StudyRound } from '@assay/node/terminal/study/study-round';
import { TickOpenings } from '@assay/node/terminal/tick/tick-openings';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import { entriesOf } from '../../ledger/ledger-fixture.ts';
import {
  assetDraft,
  LATER_RULE,
  MANY,
  RULE,
  SECOND_RULE,
  SEED,
  START,
  thinned,
  TICK,
  type TickWorld,
  tickWorld,
} from '../tick-world.ts';

const TICKS = 9 * 96;

/** Nine days, with a split and with an asset that goes and comes back. */
async function lived(t: TestContext): Promise<TickWorld> {
  const world = await tickWorld(t);
  const { ledger } = world;
  await world.run(new TickRound(world.parts), 0, 400);
  const effective_at = formatTime(START + TICK * 424);
  const split = { symbol: 'SOL', effective_at, numerator: 2, denominator: 1 } as const;
  await ledger.write(() => [{ kind: 'split/1', body: split }]);
  await world.run(new TickRound(world.parts), 400, 560);
  await ledger.write(() => [assetDraft('ETH', false)]);
  await world.run(new TickRound(world.parts), 560, 600);
  await ledger.write(() => [assetDraft('ETH')]);
  await world.run(new TickRound(world.parts), 600, TICKS);
  return world;
}

async function bodiesOf({ place }: TickWorld): Promise<KnownBody[]> {
  const parse = bodyParser(nodeSha256);
  return (await entriesOf(place.store)).map((bytes) => {
    const { kind, body } = parseEntry(bytes);
    return parse(kind, body) as KnownBody;
  });
}

async function recounted(
  world: TickWorld,
  bodies: readonly KnownBody[],
  change: Partial<OpeningsRecountParts> = {},
): Promise<{ readonly recount: OpeningsRecount; readonly found: readonly string[] }> {
  const found: string[] = [];
  const recount = new OpeningsRecount({
    sha256: nodeSha256,
    classes: new Map([['crypto', { openings: world.openings, grid: utcGrid }]]),
    seed: SEED,
    blob: (hash) => world.blobs.get(hash),
    onDifference: ({ of, place }) => found.push(`${of} ${place}`),
    ...change,
  });
  for (const [seq, body] of bodies.entries()) await recount.entry(body, `entry ${seq}`);
  await recount.finish();
  return { recount, found };
}

/** The same openings, changed. */
async function forged(
  world: TickWorld,
  change: (ts: number, openings: readonly TickOpening[]) => readonly TickOpening[],
): Promise<Partial<OpeningsRecountParts>> {
  const folder = join(world.folder, '..', 'forged');
  const openings = await TickOpenings.open(folder, {
    sha256: nodeSha256,
    thinFrom: null,
    sync: false,
  });
  for await (const each of world.openings.since(0)) {
    await openings.put(each.ts, change(each.ts, each.openings));
  }
  return { classes: new Map([['crypto', { openings, grid: utcGrid }]]) };
}

test('openings recount: with every opening all of a live log is recomputed', async (t) => {
  const world = await lived(t);
  const { recount, found } = await recounted(world, await bodiesOf(world));
  assert.deepEqual(found, []);
  assert.deepEqual(new Set(Object.values(recount.closed)), new Set([0]));
  const { leaves, scores, events, closes, receipts, benchmarks, prices } = recount.recomputed;
  assert.deepEqual([recount.ticks, leaves], [TICKS, TICKS * 3 - 40]);
  assert.ok(scores > 2 * TICKS && scores < leaves, `${scores} scores`);
  for (const each of [events, closes, receipts, benchmarks]) assert.ok(each > 5, `${each}`);
  assert.ok(prices > events + receipts, `${prices} prices`);
  assert.deepEqual(recount.followed('crypto'), {
    rule: RULE,
    from: formatTime(START),
    to: formatTime(START + TICK * (TICKS - 1)),
  });
});

test('openings recount: thinned, every event, receipt and benchmark still is, and what is not open is counted', async (t) => {
  const world = await lived(t);
  const bodies = await bodiesOf(world);
  const whole = (await recounted(world, bodies)).recount;
  assert.ok((await thinned(world, START + 400 * DAY_SECONDS)) > 4);
  const { recount, found } = await recounted(world, bodies);
  assert.deepEqual(found, []);
  for (const of of ['events', 'closes', 'receipts', 'benchmarks', 'prices'] as const) {
    assert.equal(recount.recomputed[of], whole.recomputed[of], of);
    assert.equal(recount.closed[of], 0, of);
  }
  assert.ok(recount.closed.leaves > 300 && recount.closed.scores > 300);
  for (const of of ['leaves', 'scores'] as const) {
    assert.equal(recount.recomputed[of] + recount.closed[of], whole.recomputed[of], of);
  }
});

test('openings recount: without the seed prices that entries commit to are not opened, and the rest is', async (t) => {
  const world = await lived(t);
  const bodies = await bodiesOf(world);
  const whole = (await recounted(world, bodies)).recount;
  const { recount, found } = await recounted(world, bodies, { seed: undefined });
  assert.deepEqual(found, []);
  assert.deepEqual(recount.closed, { ...recount.closed, events: 0, receipts: 0, leaves: 0 });
  assert.deepEqual(
    [recount.recomputed.prices, recount.closed.prices],
    [0, whole.recomputed.prices],
  );
  const other = await recounted(world, bodies, { seed: new Uint8Array(32) });
  assert.ok(other.found.length >= TICKS * 2);
});

test('openings recount: a day that was not handed over is counted, and nothing beside it is doubted', async (t) => {
  const world = await lived(t);
  const bodies = await bodiesOf(world);
  const names = (await readdir(world.folder)).sort();
  await rm(join(world.folder, names[4] as string));
  const { recount, found } = await recounted(world, bodies);
  assert.deepEqual(found, []);
  assert.ok(recount.closed.leaves >= 96 * 2 && recount.closed.scores > recount.closed.leaves - 96);
  assert.ok(recount.closed.receipts > 0 && recount.recomputed.receipts > 0);
  await rm(world.folder, { recursive: true });
  const none = await recounted({ ...world, openings: emptyOpenings }, bodies);
  assert.deepEqual(none.found, []);
  const { closes, receipts, ...rest } = none.recount.recomputed;
  assert.ok(closes > 0 && receipts >= 0);
  assert.deepEqual([rest.leaves, rest.scores, rest.events, rest.prices], [0, 0, 0, 0]);
});

test('openings recount: a move whose beginning is not open is not guessed from the tick beside it', async (t) => {
  const world = await lived(t);
  const bodies = await bodiesOf(world);
  const begins = new Set(
    bodies.flatMap(({ kind, body }) =>
      kind === 'event/1'
        ? [`${parseTime(body.opened_at) - TICK * RULE.returns.long} ${body.symbol}`]
        : [],
    ),
  );
  const some = await forged(world, (ts, all) =>
    all.filter(({ symbol }) => !begins.has(`${ts} ${symbol}`)),
  );
  const { recount, found } = await recounted(world, bodies, some);
  assert.deepEqual(found, []);
  assert.deepEqual([recount.recomputed.events, recount.closed.events], [0, begins.size]);
  assert.equal(recount.closed.leaves, begins.size);
});

const emptyOpenings = { async *since() {} } as unknown as TickWorld['openings'];

test('openings recount: an opening of another price, of no leaf, or of values of another asset is found', async (t) => {
  const world = await lived(t);
  const bodies = await bodiesOf(world);
  const at = START + TICK * 100;
  const seq = bodies.findIndex(({ kind, body }) => kind === 'tick/1' && body.ts === formatTime(at));
  const dearer = await forged(world, (ts, all) =>
    all.map((each) => (ts === at && each.symbol === 'ETH' ? changed(each) : each)),
  );
  const price = await recounted(world, bodies, dearer);
  assert.deepEqual(price.found, [`leaves entry ${seq} ETH`]);
  const more = await forged(world, (ts, all) =>
    ts === at ? [...all, { ...(all[0] as TickOpening), symbol: 'XRP' }] : all,
  );
  const spare = await recounted(world, bodies, more);
  assert.deepEqual(spare.found, [`leaves entry ${seq} XRP`]);
  // The publisher itself says BTC's values of ETH: its leaf is opened by them, with another salt than the seed's.
  const tick = bodies[seq] as Extract<KnownBody, { readonly kind: 'tick/1' }>;
  const leaves = parseTickLeaves((await world.blobs.get(tick.body.blob)) as Uint8Array);
  const { commitment } = leaves[0] as TickLeaf;
  const bytes = formatTickLeaves(
    leaves.map((leaf) => (leaf.symbol === 'ETH' ? { ...leaf, commitment } : leaf)),
  );
  await world.blobs.put(bytes);
  const blob = hashHex(contentHash(nodeSha256, bytes));
  const bent = { ...tick, body: { ...tick.body, blob } } as KnownBody;
  const swapped = await forged(world, (ts, all) =>
    all.map((each) =>
      ts === at && each.symbol === 'ETH' ? { ...(all[0] as TickOpening), symbol: 'ETH' } : each,
    ),
  );
  const own = await recounted(world, bodies.slice(0, seq + 1).with(seq, bent), swapped);
  assert.deepEqual(own.found, Array<string>(2).fill(`leaves entry ${seq} ETH`));
  const unseeded = { ...swapped, seed: undefined };
  const one = await recounted(world, bodies.slice(0, seq + 1).with(seq, bent), unseeded);
  assert.deepEqual(one.found, [`leaves entry ${seq} ETH`]);
});

function changed(opening: TickOpening): TickOpening {
  const text = Buffer.from(opening.bytes).toString().replaceAll('"price":"1', '"price":"2');
  return { ...opening, bytes: Buffer.from(text) };
}

test('openings recount: a value that no public leaf decides is found', async (t) => {
  const world = await lived(t);
  const bodies = await bodiesOf(world);
  const lie = 'ab'.repeat(32);
  for (const [kind, of, change, at] of [
    ['receipt/1', 'receipts', { ret: 12_345 }, '/ret'],
    ['receipt/1', 'receipts', { price: lie }, '/price'],
    ['benchmark/1', 'benchmarks', { ret: 12_345 }, '/ret'],
    ['benchmark/1', 'benchmarks', { from_price: lie }, '/from_price'],
    ['benchmark/1', 'benchmarks', { to_price: lie }, '/to_price'],
    ['event/1', 'events', { move_24h: 12_345 }, '/move_24h'],
    ['event/1', 'events', { vol_mult: 12_345 }, '/vol_mult'],
    ['event/1', 'events', { breadth: { up: 0, down: 3, of: 3 } }, '/breadth'],
    ['event/1', 'events', { price: lie }, '/price'],
    ['event-close/1', 'closes', { peak_score: 1 }, '/peak_score'],
  ] as const) {
    const seq = bodies.findLastIndex((each) => {
      const { ret = 0 } = each.body as { readonly ret?: number | null };
      return each.kind === kind && ret !== null;
    });
    const each = bodies[seq] as KnownBody;
    const bent = { ...each, body: { ...each.body, ...change } } as KnownBody;
    const { found } = await recounted(world, bodies.with(seq, bent));
    assert.equal(found.length, 1, `${kind} ${found.join('\n')}`);
    assert.match(found[0] as string, new RegExp(`^${of} entry ${seq} .*${at}`));
  }
});

test('openings recount: entries that are left out or made twice are found', async (t) => {
  const world = await lived(t);
  const bodies = await bodiesOf(world);
  for (const kind of ['event/1', 'event-close/1', 'receipt/1', 'benchmark/1'] as const) {
    const seq = bodies.findLastIndex((each) => each.kind === kind);
    const tick = bodies.findLastIndex((each, i) => i < seq && each.kind === 'tick/1');
    const gone = await recounted(world, bodies.toSpliced(seq, 1));
    assert.match(gone.found[0] as string, new RegExp(`^\\w+ entry ${tick}$`), kind);
    const twice = await recounted(world, bodies.toSpliced(seq, 0, bodies[seq] as KnownBody));
    assert.match(twice.found[0] as string, new RegExp(`^\\w+ entry ${seq + 1}$`), kind);
  }
});

test('openings recount: a score in a leaf that its readings do not make is found, good or not, and lost leaves', async (t) => {
  const world = await lived(t);
  const bodies = await bodiesOf(world);
  for (const [change, of] of [
    [{ score: 3 }, 'scores'],
    [{ score: null, good: false }, 'leaves'],
  ] as const) {
    const seq = bodies.findLastIndex(({ kind }) => kind === 'tick/1');
    const tick = bodies[seq] as Extract<KnownBody, { readonly kind: 'tick/1' }>;
    const old = parseTickLeaves((await world.blobs.get(tick.body.blob)) as Uint8Array);
    const symbol = 'BTC';
    const bytes = formatTickLeaves(
      old.map((leaf) => (leaf.symbol === symbol ? { ...leaf, ...change } : leaf)),
    );
    await world.blobs.put(bytes);
    const blob = hashHex(contentHash(nodeSha256, bytes));
    const bent = { ...tick, body: { ...tick.body, blob } } as KnownBody;
    const { found } = await recounted(world, bodies.slice(0, seq + 1).with(seq, bent));
    assert.equal(found[0], `${of} entry ${seq} ${symbol}`);
  }
  const lost = await recounted(world, bodies, { blob: () => Promise.resolve(undefined) });
  const first = bodies.findIndex(({ kind }) => kind === 'tick/1');
  assert.deepEqual(lost.found, [`leaves entry ${first}`]);
  const stale = (await world.blobs.get(
    (bodies[first] as Extract<KnownBody, { readonly kind: 'tick/1' }>).body.blob,
  )) as Uint8Array;
  const same = await recounted(world, bodies, { blob: () => Promise.resolve(stale) });
  const second = bodies.findIndex(({ kind }, seq) => kind === 'tick/1' && seq > first);
  assert.deepEqual(same.found, [`leaves entry ${second}`]);
  const without = await recounted(world, bodies, { classes: new Map() });
  assert.deepEqual([without.found, [...without.recount.without]], [[], ['crypto']]);
});

/** Four days, and two months later ticks and a study. */
async function studied(t: TestContext): Promise<TickWorld> {
  const world = await tickWorld(t);
  const round = new TickRound(world.parts);
  await world.run(round, 0, 4 * 96);
  await world.run(round, 61 * 96, 61 * 96 + 3);
  const { ledger, blobs, openings, parts } = world;
  const common = { ledger, entries: parts.entries, blobs, openings, sha256: nodeSha256 };
  const studies = new StudyRound({ ...common, rule: RULE, grid: utcGrid });
  await studies.run(studies.due as number, new AbortController().signal);
  return world;
}

test('openings recount: a study is made again with its prices, and one of other numbers is found', async (t) => {
  const world = await studied(t);
  const { entries } = world.parts;
  const bodies = await bodiesOf(world);
  const seq = bodies.findIndex(({ kind }) => kind === 'study/1');
  const tried = async (all: readonly KnownBody[]): Promise<readonly unknown[]> => {
    const { recount, found } = await recounted(world, all);
    await recount.recountStudies(entries);
    return [recount.recomputed.studies, recount.closed.studies, found];
  };
  assert.deepEqual(await tried(bodies), [1, 0, []]);
  const study = bodies[seq] as Extract<KnownBody, { readonly kind: 'study/1' }>;
  const blob = hashHex(contentHash(nodeSha256, new Uint8Array(1)));
  const bent: KnownBody = { ...study, body: { ...study.body, blob } };
  const { recount, found } = await recounted(world, bodies.with(seq, bent));
  await recount.recountStudies(entries);
  assert.deepEqual(found, [`studies entry ${seq}/blob`]);
  for (const name of await readdir(world.folder)) {
    if (name.startsWith('2026-10')) await rm(join(world.folder, name));
  }
  assert.deepEqual(await tried(bodies), [0, 1, []]);
});

test('openings recount: a study of no ticks, or under another rule than the last of them names, is found', async (t) => {
  const world = await studied(t);
  const { entries } = world.parts;
  const bodies = await bodiesOf(world);
  const seq = bodies.findIndex(({ kind }) => kind === 'study/1');
  const study = bodies[seq] as Extract<KnownBody, { readonly kind: 'study/1' }>;
  const first = bodies.findIndex(({ kind }) => kind === 'tick/1');
  const tried = async (
    all: readonly KnownBody[],
    change: Partial<OpeningsRecountParts> = {},
  ): Promise<readonly unknown[]> => {
    const { recount, found } = await recounted(world, all, change);
    await recount.recountStudies(entries);
    return [recount.recomputed.studies, recount.closed.studies, found];
  };
  const saying = (change: object): readonly KnownBody[] =>
    bodies.with(seq, { ...study, body: { ...study.body, ...change } });
  const blob = hashHex(contentHash(nodeSha256, new Uint8Array(1)));
  const lacked = { blob, rule: toHashHex('ab'.repeat(32)) };
  assert.deepEqual(await tried(saying(lacked)), [0, 0, [`studies entry ${seq}/rule`]]);
  // Whether the openings of its moments, or of its class, are there or not.
  for (const change of [
    { classes: new Map([['crypto', { openings: emptyOpenings, grid: utcGrid }]] as const) },
    { classes: new Map() },
  ]) {
    assert.deepEqual(await tried(saying(lacked), change), [0, 0, [`studies entry ${seq}/rule`]]);
  }
  // Another rule of the log, before the ticks and behind them.
  const later: KnownBody = { kind: 'score-rule/1', body: { rule: LATER_RULE } };
  const rule = scoreRuleHash(nodeSha256, LATER_RULE);
  const behind = saying({ rule }).toSpliced(seq, 0, later);
  assert.deepEqual(await tried(behind), [0, 0, [`studies entry ${seq + 1}/rule`]]);
  const before = saying({ rule, to: study.body.to + 1 }).toSpliced(first, 0, later);
  assert.deepEqual(await tried(before), [0, 0, [`studies entry ${seq + 1}/rule`]]);
  // A class without ticks, and a range without any.
  const stocks = await tried(saying({ class: 'stock' }));
  assert.deepEqual(stocks, [0, 0, [`studies entry ${seq}`]]);
  assert.deepEqual(await tried(saying({ to: first })), [0, 0, [`studies entry ${seq}`]]);
  assert.deepEqual((await tried(saying({ to: first + 1, blob })))[2], [
    `studies entry ${seq}/blob`,
  ]);
});

test('openings recount: a study of ticks that name another rule than the newest is found', async (t) => {
  const world = await studied(t);
  const bodies = await bodiesOf(world);
  const seq = bodies.findIndex(({ kind }) => kind === 'study/1');
  const { ledger, parts } = world;
  const rule = { kind: 'score-rule/1', body: { rule: LATER_RULE } } as const;
  await ledger.write(() => [rule]);
  const entries = (await entriesOf(world.place.store)) as readonly Uint8Array[];
  const first = bodies.findIndex(({ kind }) => kind === 'tick/1');
  const moved = entries.toSpliced(first, 0, entries.at(-1) as Uint8Array);
  const { recount, found } = await recounted(world, bodies);
  await recount.recountStudies(async function* (size) {
    yield* await Promise.resolve(moved.slice(0, size));
  });
  assert.deepEqual([recount.closed.studies, found], [0, [`studies entry ${seq}`]]);
  const honest = await recounted(world, bodies);
  await honest.recount.recountStudies(parts.entries);
  assert.deepEqual([honest.recount.recomputed.studies, honest.found], [1, []]);
});

test('openings recount: an entry of a kind that is not known counts in the range of a study', async (t) => {
  const world = await studied(t);
  const bodies = await bodiesOf(world);
  const first = bodies.findIndex(({ kind }) => kind === 'tick/1');
  const seq = bodies.findIndex(({ kind }) => kind === 'study/1');
  const study = bodies[seq] as Extract<KnownBody, { readonly kind: 'study/1' }>;
  const early: KnownBody = { ...study, body: { ...study.body, to: first + 1 } };
  const found: string[] = [];
  const recount = new OpeningsRecount({
    sha256: nodeSha256,
    classes: new Map([['crypto', { openings: world.openings, grid: utcGrid }]]),
    seed: SEED,
    blob: (hash) => world.blobs.get(hash),
    onDifference: ({ of, place, expected }) => found.push(`${of} ${place}: ${expected}`),
  });
  recount.other();
  for (const [i, body] of bodies.with(seq, early).entries()) {
    await recount.entry(body, `entry ${i + 1}`);
  }
  await recount.finish();
  await recount.recountStudies(world.parts.entries);
  assert.deepEqual(found, [`studies entry ${seq + 1}: a tick of crypto in its range`]);
});

test('openings recount: entries of a class that has no tick yet are found', async (t) => {
  const world = await lived(t);
  const bodies = await bodiesOf(world);
  const first = bodies.findIndex(({ kind }) => kind === 'tick/1');
  const id = '0199f3a0-0000-8000-8000-000000000abc';
  const invented = (['event/1', 'receipt/1', 'benchmark/1', 'event-close/1'] as const).map(
    (kind) => bodies.find((each) => each.kind === kind) as KnownBody,
  );
  const said = (of: 'crypto' | 'stock'): readonly KnownBody[] =>
    invented.map(
      ({ kind, body }) =>
        ({
          kind,
          body: { ...body, id, ...(kind === 'event/1' ? { class: of } : {}) },
        }) as KnownBody,
    );
  const places = (seq: number): readonly string[] =>
    ['events', 'receipts', 'benchmarks', 'closes'].map((of, i) => `${of} entry ${seq + i}`);
  const end = bodies.length;
  for (const [of, seq] of [
    ['stock', first],
    ['stock', end],
    ['crypto', first],
    ['crypto', end],
  ] as const) {
    const { found } = await recounted(world, bodies.toSpliced(seq, 0, ...said(of)));
    assert.deepEqual(found, places(seq), `${of} ${seq}`);
  }
  // Nothing was given of the class: before its first tick nothing can be due all the same, and then nothing is judged.
  const without = { classes: new Map() };
  const early = await recounted(world, bodies.toSpliced(first, 0, ...said('crypto')), without);
  assert.deepEqual(early.found, places(first));
  const late = await recounted(world, [...bodies, ...said('crypto')], without);
  assert.deepEqual(late.found, []);
});

test('openings recount: over a handover all entries are recomputed, and scores once the later windows are full', async (t) => {
  const world = await tickWorld(t);
  const { ledger } = world;
  await world.run(new TickRound(world.parts), 0, 300);
  const rule = LATER_RULE;
  await ledger.write(() => [{ kind: 'score-rule/1', body: { rule } }]);
  await world.run(new TickRound({ ...world.parts, rule }), 300, 600);
  const bodies = await bodiesOf(world);
  const { recount, found } = await recounted(world, bodies);
  assert.deepEqual(found, []);
  assert.equal(recount.followed('crypto')?.rule.version, 2);
  const { scores, events, closes, receipts, ...rest } = recount.closed;
  assert.deepEqual(new Set(Object.values(rest)), new Set([0]));
  assert.deepEqual([closes, receipts], [0, 0]);
  const { window } = rule.returns;
  assert.ok(scores > 2 * window && scores <= 3 * (window + 8), `${scores} scores are not`);
  assert.ok(recount.recomputed.scores > 1200, `${recount.recomputed.scores} scores`);
  assert.ok(recount.recomputed.events > events);
  // The version before behind the later one, and one that may not follow.
  const older = structuredClone(bodies);
  const last = older.findLast(({ kind }) => kind === 'tick/1') as { body: { rule: string } };
  const first = older.find(({ kind }) => kind === 'tick/1') as typeof last;
  last.body.rule = first.body.rule;
  assert.match((await recounted(world, older)).found.join(), /\/rule/);
  const other = structuredClone(bodies);
  const handed = other.findLast((each) => each.kind === 'score-rule/1');
  assert.ok(handed?.kind === 'score-rule/1');
  (handed.body.rule as { version: number }).version = 5;
  assert.match((await recounted(world, other)).found.join(), /\/rule/);
});

test('openings recount: a study of version 2 is made again, and one of another version or other numbers is found', async (t) => {
  const rule = SECOND_RULE;
  const world = await tickWorld(t, { rule }, MANY);
  const round = new TickRound(world.parts);
  await world.run(round, 0, 12 * 96);
  await world.run(round, 61 * 96, 61 * 96 + 3);
  const { ledger, blobs, openings, parts } = world;
  const common = { ledger, entries: parts.entries, blobs, openings, sha256: nodeSha256 };
  const studies = new StudyRound({ ...common, rule, grid: utcGrid });
  await studies.run(studies.due as number, new AbortController().signal);
  const bodies = await bodiesOf(world);
  const seq = bodies.findIndex(({ kind }) => kind === 'study/2');
  const study = bodies[seq] as Extract<KnownBody, { readonly kind: 'study/2' }>;
  assert.ok(parseEdgeStudy((await blobs.get(study.body.blob)) as Uint8Array).moments.length > 5);
  const tried = async (all: readonly KnownBody[]): Promise<readonly unknown[]> => {
    const { recount, found } = await recounted(world, all);
    await recount.recountStudies(parts.entries);
    return [recount.recomputed.studies, recount.closed.studies, found];
  };
  assert.deepEqual(await tried(bodies), [1, 0, []]);
  const blob = hashHex(contentHash(nodeSha256, new Uint8Array(1)));
  const bent: KnownBody = { ...study, body: { ...study.body, blob } };
  assert.deepEqual(await tried(bodies.with(seq, bent)), [1, 0, [`studies entry ${seq}/blob`]]);
  const first: KnownBody = { ...study, kind: 'study/1' };
  assert.deepEqual(await tried(bodies.with(seq, first)), [0, 0, [`studies entry ${seq}/kind`]]);
  assert.ok((await thinned(world, START + 400 * DAY_SECONDS)) > 4);
  assert.deepEqual((await tried(bodies)).slice(0, 2), [1, 0]);
  for (const name of await readdir(world.folder)) {
    if (name.startsWith('2026-10')) await rm(join(world.folder, name));
  }
  assert.deepEqual((await tried(bodies)).slice(0, 2), [0, 1]);
});

import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { parseStudyBlob } from '@assay/core/terminal/study/study-blob';
import { type MadeStudy, StudyMaker } from '@assay/core/terminal/study/study-maker';
import { parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type LiveStudyParts, makeLiveStudy } from '@assay/node/terminal/study/live-study';
import { TickOpenings } from '@assay/node/terminal/tick/tick-openings';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import { entriesOf } from '../../ledger/ledger-fixture.ts';
import {
  assetDraft,
  LATER_RULE,
  marketAt,
  marketSource,
  RULE,
  START,
  TICK,
  thinned,
  type TickWorld,
  tickWorld,
} from '../tick-world.ts';

const TICKS = 9 * 96;

/** Nine days and more, with a split and a delisting. */
async function lived(t: TestContext, ticks = TICKS): Promise<TickWorld> {
  // ETH is silent where it would jump: it has no event, and ordinary moments with holes between them.
  const calm = (symbol: string, k: number): boolean =>
    symbol === 'ETH' && Math.floor(k / 6) % 29 === 7;
  const sources = [marketSource('first', calm), marketSource('second')];
  const world = await tickWorld(t, { sources });
  const { ledger } = world;
  await world.run(new TickRound(world.parts), 0, 400);
  const effective_at = formatTime(START + TICK * 424);
  const split = { symbol: 'SOL', effective_at, numerator: 2, denominator: 1 } as const;
  await ledger.write(() => [{ kind: 'split/1', body: split }]);
  await world.run(new TickRound(world.parts), 400, 560);
  await ledger.write(() => [assetDraft('ETH', false)]);
  await world.run(new TickRound(world.parts), 560, 640);
  await ledger.write(() => [assetDraft('ETH')]);
  await world.run(new TickRound(world.parts), 640, ticks);
  return world;
}

function made(world: TickWorld, change: Partial<LiveStudyParts> = {}): Promise<MadeStudy> {
  const to = change.to ?? world.ledger.nextSeq;
  return makeLiveStudy({
    sha256: nodeSha256,
    rule: RULE,
    grid: utcGrid,
    version: 1,
    monthFrom: undefined,
    entries: world.place.store.entries(0, to),
    to,
    blobs: world.blobs,
    openings: world.openings,
    pause: () => Promise.resolve(),
    ...change,
  });
}

/** The same from what the market was, without what opens it. */
async function fromMarket(world: TickWorld): Promise<MadeStudy> {
  const maker = new StudyMaker(nodeSha256, RULE);
  const parse = bodyParser(nodeSha256);
  const entries = await entriesOf(world.place.store);
  for (const bytes of entries) {
    const { kind, body } = parseEntry(bytes);
    const known = parse(kind, body);
    assert.ok(known !== undefined);
    if (known.kind === 'score-rule/1') maker.under(known.body.rule);
    if (known.kind === 'tick/1') {
      const ts = parseTime(known.body.ts);
      const k = (ts - START) / TICK;
      const blob = await world.blobs.get(known.body.blob);
      const good = parseTickLeaves(blob as Uint8Array).filter((leaf) => leaf.good);
      maker.tick({
        ts,
        index: ts / TICK,
        good: new Map(good.map(({ symbol }) => [symbol, true])),
        scored: () => good.filter(({ score }) => score !== null).map(({ symbol }) => symbol),
        price: (symbol) => marketAt(symbol, k).cents,
      });
    }
    maker.take(known);
  }
  return maker.make(0, entries.length);
}

test('live study: what the function of a replay makes of the same entries and prices', async (t) => {
  const world = await lived(t, 16 * 96);
  const study = await made(world);
  assert.deepEqual(study, await fromMarket(world));
  const { ordinary, groups } = parseStudyBlob(study.blob);
  assert.ok(ordinary.horizons['1d'].n > 30, `${ordinary.horizons['1d'].n} moments`);
  assert.ok(ordinary.excess_7d.n > 5, `${ordinary.excess_7d.n} excesses`);
  assert.ok(groups.some(({ n }) => n > 0));
  assert.equal(study.body.to, world.ledger.nextSeq);
});

test('live study: thinned or whole, the same bytes', async (t) => {
  const world = await lived(t);
  const before = await made(world);
  const now = START + 400 * DAY_SECONDS;
  assert.ok((await thinned(world, now)) > 4);
  assert.deepEqual(await made(world), before);
  // And of a first part of the log, as one that is made later has it.
  const to = world.ledger.nextSeq - 50;
  const part = await made(world, { to });
  assert.equal(part.body.to, to);
  assert.notDeepEqual(part.blob, before.blob);
});

test('live study: without an opening that a moment rests on there is none', async (t) => {
  const world = await lived(t);
  const [first] = (await readdir(world.folder)).sort();
  await rm(join(world.folder, first as string));
  await assert.rejects(made(world), { code: 'not_found' });
});

test('live study: an opening of another price is refused', async (t) => {
  const world = await lived(t);
  const forged = await TickOpenings.open(join(world.folder, 'forged'), {
    sha256: nodeSha256,
    thinFrom: null,
    sync: false,
  });
  for await (const { ts, openings } of world.openings.since(0)) {
    const isFirst = ts === START;
    await forged.put(
      ts,
      openings.map((each) => (isFirst ? { ...each, bytes: dearer(each.bytes) } : each)),
    );
  }
  await assert.rejects(made(world, { openings: forged }), { code: 'replay_differs' });
});

function dearer(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString();
  return Buffer.from(text.replaceAll(/"price":"1/g, '"price":"2'));
}

test('live study: damaged readings, and leaves that are not there, are refused', async (t) => {
  const world = await lived(t);
  await assert.rejects(made(world, { blobs: new MemoryBlobStore() }), { code: 'blob_missing' });
  const blobs = { get: () => Promise.resolve(new Uint8Array(72)) };
  await assert.rejects(made(world, { blobs }), { code: 'blob_differs' });
  const [first] = (await readdir(world.folder)).sort();
  const path = join(world.folder, first as string);
  const bytes = await readFile(path);
  bytes[300] = (bytes[300] as number) ^ 1;
  await writeFile(path, bytes);
  await assert.rejects(made(world), { code: 'ledger_corrupt' });
});

test('live study: over a handover it names the rule of its newest tick, and good is what each tick recorded', async (t) => {
  const sources = [
    marketSource('first'),
    marketSource('second', (symbol, k) => symbol === 'ETH' && k % 7 < 3),
  ];
  const world = await tickWorld(t, { sources });
  const { ledger, parts } = world;
  await world.run(new TickRound(parts), 0, 400);
  const to = ledger.nextSeq;
  const rule = LATER_RULE;
  await ledger.write(() => [{ kind: 'score-rule/1', body: { rule } }]);
  await world.run(new TickRound({ ...parts, rule }), 400, 600);
  const [before, after] = [await made(world, { rule, to }), await made(world, { rule })];
  const hash = (of: ScoreRule): string => scoreRuleHash(nodeSha256, of);
  assert.deepEqual([before.body.rule, after.body.rule], [hash(RULE), hash(LATER_RULE)]);
  assert.deepEqual(after.blob, (await fromMarket(world)).blob);
  const entries = async function* (): AsyncGenerator<Uint8Array> {
    for (const bytes of await entriesOf(world.place.store)) {
      if (parseEntry(bytes).seq !== to) yield bytes;
    }
  };
  await assert.rejects(made(world, { rule, entries: entries() }), { code: 'replay_differs' });
});

import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { type EdgeStudy, parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { EdgeStudyMaker } from '@assay/core/terminal/edge/edge-study-maker';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import type { MadeStudy } from '@assay/core/terminal/study/study-maker';
import type { BoardRow } from '@assay/core/terminal/terminal';
import { parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type LiveStudyParts, makeLiveStudy } from '@assay/node/terminal/study/live-study';
import { TickOpenings } from '@assay/node/terminal/tick/tick-openings';
import { TickRound, type TickRoundParts } from '@assay/node/terminal/tick/tick-round';
import { entriesOf } from '../../ledger/ledger-fixture.ts';
import {
  assetDraft,
  MANY,
  marketAt,
  marketSource,
  RULE,
  SECOND_RULE,
  START,
  thinned,
  TICK,
  type TickWorld,
  tickWorld,
} from '../tick-world.ts';

const TICKS = 14 * 96;

/** Where each asset is silent now and then, so that some entries come late and some horizons are met late. */
function holes(symbol: string, k: number): boolean {
  return (k + 5 * MANY.indexOf(symbol)) % 13 < 2;
}

/** Some days of nine assets, with a split, an asset that is delisted for good, and missed ticks. */
async function lived(t: TestContext, change: Partial<TickRoundParts> = {}): Promise<TickWorld> {
  const sources = [marketSource('first', holes), marketSource('second')];
  const world = await tickWorld(t, { rule: SECOND_RULE, sources, ...change }, MANY);
  const { ledger } = world;
  const round = new TickRound(world.parts);
  await world.run(round, 0, 400);
  const effective_at = formatTime(START + TICK * 424);
  const split = { symbol: 'SOL', effective_at, numerator: 2, denominator: 1 } as const;
  await ledger.write(() => [{ kind: 'split/1', body: split }]);
  await world.run(new TickRound(world.parts), 400, 500);
  await ledger.write(() => [assetDraft('LINK', false)]);
  const rest = new TickRound(world.parts);
  for (let k = 500; k < TICKS; k += 1) if (k % 31 !== 7) await world.run(rest, k, k + 1);
  return world;
}

function made(world: TickWorld, change: Partial<LiveStudyParts> = {}): Promise<MadeStudy> {
  const to = change.to ?? world.ledger.nextSeq;
  return makeLiveStudy({
    sha256: nodeSha256,
    rule: SECOND_RULE,
    grid: utcGrid,
    version: 2,
    monthFrom: undefined,
    entries: world.place.store.entries(0, to),
    to,
    blobs: world.blobs,
    openings: world.openings,
    pause: () => Promise.resolve(),
    ...change,
  });
}

async function bodiesOf({ place }: TickWorld): Promise<readonly KnownBody[]> {
  const parse = bodyParser(nodeSha256);
  return (await entriesOf(place.store)).map((bytes) => {
    const { kind, body } = parseEntry(bytes);
    return parse(kind, body) as KnownBody;
  });
}

/** What an engine knows of a tick: the leaves, and what the market was. */
async function boardOf(
  { blobs }: TickWorld,
  { body }: Extract<KnownBody, { readonly kind: 'tick/1' }>,
): Promise<ReadonlyMap<string, BoardRow>> {
  const leaves = parseTickLeaves((await blobs.get(body.blob)) as Uint8Array);
  const k = (parseTime(body.ts) - START) / TICK;
  const row = { volume: null, move: null, volMult: null, zLong: null, zShort: null };
  return new Map(
    leaves.map(({ symbol, good, score }) => [
      symbol,
      { ...row, good, score, price: good ? marketAt(symbol, k).cents : null },
    ]),
  );
}

/** The study that a replay makes, whose engine gives each tick with everything that it makes due. */
async function fromMarket(world: TickWorld): Promise<MadeStudy> {
  const maker = new EdgeStudyMaker(nodeSha256, SECOND_RULE);
  const bodies = await bodiesOf(world);
  for (const [seq, known] of bodies.entries()) {
    if (known.kind === 'score-rule/1') maker.under(known.body.rule);
    if (known.kind === 'split/1') maker.take(known);
    if (known.kind !== 'tick/1') continue;
    const end = bodies.findIndex(({ kind }, i) => i > seq && !DUE.has(kind));
    const drafts = bodies.slice(seq, end < 0 ? bodies.length : end);
    const ts = parseTime(known.body.ts);
    maker.step(ts, ts / TICK, { board: await boardOf(world, known), drafts });
  }
  return maker.make(0, bodies.length);
}

const DUE: ReadonlySet<string> = new Set(['event/1', 'event-close/1', 'receipt/1', 'benchmark/1']);

function studyOf({ blob }: MadeStudy): EdgeStudy {
  return parseEdgeStudy(blob);
}

test('live makers: a live study of version 2 is the one that a replay makes of the same ticks', async (t) => {
  const world = await lived(t);
  const study = await made(world);
  assert.deepEqual(study, await fromMarket(world));
  const { moments, left_out, rule, number } = studyOf(study);
  assert.ok(moments.length > 12, `${moments.length} moments`);
  assert.ok(left_out.not_over > 0);
  assert.deepEqual([rule, number], [scoreRuleHash(nodeSha256, SECOND_RULE), 1]);
  const offHour = moments.filter(({ entered_at }) => entered_at % 3600 !== 0);
  assert.ok(offHour.length > 5, `${offHour.length} entries off the hour`);
  const late = moments.filter(({ opened_at, entered_at }) => entered_at > opened_at + TICK);
  assert.ok(late.length > 0, 'entries later than the next tick');
  assert.ok(moments.some(({ returns }) => (returns['7d']?.gone_controls ?? 0) > 0));
});

test('live makers: thinned or whole, the same bytes; and of a first part of the log', async (t) => {
  const world = await lived(t);
  const to = world.ledger.nextSeq - 40;
  const [whole, part] = [await made(world), await made(world, { to })];
  assert.notDeepEqual(part.blob, whole.blob);
  assert.ok((await thinned(world, START + 400 * DAY_SECONDS)) > 8);
  assert.deepEqual(await made(world), whole);
  assert.deepEqual(await made(world, { to }), part);
});

test('live makers: the number of a study is that of its month', async (t) => {
  const world = await lived(t);
  const numberOf = async (monthFrom: string): Promise<number> =>
    studyOf(await made(world, { monthFrom: parseTime(monthFrom) })).number;
  // The log begins with October; the first month that begins 60 days later is December.
  assert.equal(await numberOf('2026-12-01T00:15:00Z'), 1);
  assert.equal(await numberOf('2027-02-01T00:00:00Z'), 3);
});

test('live makers: without an opening that a moment rests on there is no study of version 2', async (t) => {
  const world = await lived(t);
  const { moments } = studyOf(await made(world));
  const entered = moments.find(({ entered_at }) => entered_at % 3600 !== 0)?.entered_at ?? 0;
  const without: LiveStudyParts['openings'] = {
    async *since(from) {
      for await (const each of world.openings.since(from)) if (each.ts !== entered) yield each;
    },
  };
  await assert.rejects(made(world, { openings: without }), { code: 'not_found' });
  for (const name of await readdir(world.folder)) {
    if (name.startsWith('2026-10-05')) await rm(join(world.folder, name));
  }
  await assert.rejects(made(world), { code: 'not_found' });
});

test('live makers: an opening of another price is refused', async (t) => {
  const world = await lived(t);
  const forged = await TickOpenings.open(join(world.folder, 'forged'), {
    sha256: nodeSha256,
    thinFrom: null,
    sync: false,
  });
  for await (const { ts, openings } of world.openings.since(0)) {
    await forged.put(
      ts,
      openings.map((each) => ({ ...each, bytes: dearer(each.bytes) })),
    );
  }
  await assert.rejects(made(world, { openings: forged }), { code: 'replay_differs' });
});

function dearer(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString();
  return Buffer.from(text.replaceAll(/"price":"1/g, '"price":"2'));
}

test('live makers: over a handover only events under the later rule are moments, and nothing before it is opened', async (t) => {
  const sources = [marketSource('first', holes), marketSource('second')];
  const world = await tickWorld(t, { sources }, MANY);
  await world.run(new TickRound(world.parts), 0, 2 * 96);
  const rule: ScoreRule = SECOND_RULE;
  const to = world.ledger.nextSeq;
  await world.ledger.write(() => [{ kind: 'score-rule/1', body: { rule } }]);
  await world.run(new TickRound({ ...world.parts, rule }), 2 * 96, TICKS);
  const study = await made(world);
  assert.deepEqual(study, await fromMarket(world));
  const { moments } = studyOf(study);
  assert.ok(moments.length > 10, `${moments.length} moments`);
  assert.ok(moments.every(({ opened_at }) => opened_at >= START + 2 * DAY_SECONDS));
  const bodies = await bodiesOf(world);
  assert.ok(bodies.slice(0, to).some(({ kind }) => kind === 'event/1'));
  for (const name of await readdir(world.folder)) {
    if (name < '2026-10-03') await rm(join(world.folder, name));
  }
  assert.deepEqual(await made(world), study);
  // The study of version 1 needs them.
  await assert.rejects(made(world, { version: 1, rule: RULE, to }), { code: 'not_found' });
});

import assert from 'node:assert/strict';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatEntry, parseEntry } from '@assay/core/log/entry';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { formatTime } from '@assay/core/time/time';
import type { WireObject } from '@assay/core/wire/wire';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import {
  CHECKED_TICKS,
  type Resumed,
  resumeTerminal,
} from '@assay/node/terminal/tick/resume-terminal';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import { entriesOf } from '../../ledger/ledger-fixture.ts';
import { requireVerified } from '../../fixture/round-fixture.ts';
import {
  assetDraft,
  LATER_RULE,
  never,
  RULE,
  START,
  TICK,
  type TickWorld,
  tickWorld,
} from '../tick-world.ts';

/** Eight days: receipts of a day and of a week, benchmarks, closes. */
const TICKS = 8 * 96;

interface Change {
  readonly entries?: (all: readonly Uint8Array[]) => readonly Uint8Array[];
  readonly seed?: Uint8Array;
  readonly blobs?: MemoryBlobStore;
  readonly rule?: ScoreRule;
}

async function resumed(world: TickWorld, change: Change = {}): Promise<Resumed> {
  const all = await entriesOf(world.place.store);
  const some = change.entries?.(all) ?? all;
  return resumeTerminal({
    ...world.parts,
    seed: change.seed ?? world.parts.seed,
    blobs: change.blobs ?? world.blobs,
    rule: change.rule ?? world.parts.rule,
    views: world.ledger.tip,
    entries: (async function* () {
      yield* some;
    })(),
  });
}

async function ticked(t: TestContext, ticks: number): Promise<TickWorld> {
  const world = await tickWorld(t);
  await world.run(new TickRound(world.parts), 0, ticks);
  return world;
}

/** Where a listing, a split and a delisting come in between. */
async function interlude(world: TickWorld, k: number): Promise<void> {
  const { ledger } = world;
  world.at(k, 400);
  if (k === 400) {
    const effective_at = formatTime(START + TICK * 430);
    const split = { symbol: 'SOL', effective_at, numerator: 2, denominator: 1 };
    await ledger.write(() => [{ kind: 'split/1', body: split }]);
  }
  if (k === 560) await ledger.write(() => [assetDraft('ETH', false)]);
  if (k === 600) await ledger.write(() => [assetDraft('XRP')]);
}

/** Lives through the ticks; it is stopped and begun again before each of `restarts`, and for what comes in between. */
async function live(t: TestContext, restarts: ReadonlySet<number>): Promise<TickWorld> {
  const world = await tickWorld(t);
  let round = new TickRound(world.parts);
  for (let k = 0; k < TICKS; k += 1) {
    if (restarts.has(k)) round = new TickRound(world.parts);
    if (k % 37 !== 36) await round.run(world.at(k), never);
    await interlude(world, k);
    if (k === 400 || k === 560 || k === 600) round = new TickRound(world.parts);
  }
  return world;
}

test('resume: whenever it is begun again, the log is that of one that never stopped', async (t) => {
  const plain = await entriesOf((await live(t, new Set())).place.store);
  const kinds = new Set(plain.map((bytes) => parseEntry(bytes).kind));
  for (const kind of ['event/1', 'event-close/1', 'receipt/1', 'benchmark/1']) {
    assert.ok(kinds.has(kind), kind);
  }
  const horizons = new Set(plain.map((bytes) => parseEntry(bytes).body['horizon']));
  assert.ok(horizons.has('7d'));
  const stopped = await live(
    t,
    new Set([0, 1, 62, 97, 98, 240, 431, 500, 563, 601, 690, 700, 760]),
  );
  assert.deepEqual(await entriesOf(stopped.place.store), plain);
  await requireVerified(stopped);
});

test('resume: it says what the ticks say that it computes again, good or not', async (t) => {
  const world = await ticked(t, 120);
  const round = new TickRound(world.parts);
  await round.resume();
  for (const k of [24, 119]) assert.equal(round.boardAt(START + TICK * k)?.size, 3);
  for (const k of [23, 120]) assert.equal(round.boardAt(START + TICK * k), undefined);
  const empty = await resumed(await tickWorld(t));
  assert.equal(empty.boards.size, 0);
});

test('resume: a log that is not what its readings make is refused', async (t) => {
  const world = await ticked(t, 160 + CHECKED_TICKS);
  const all = await entriesOf(world.place.store);
  const kinds = all.map((bytes) => parseEntry(bytes).kind);
  const isBefore = (seq: number): boolean => {
    const ticks = kinds.slice(seq).filter((kind) => kind === 'tick/1').length;
    return ticks > CHECKED_TICKS;
  };
  const old = kinds.findIndex((kind, seq) => kind === 'event/1' && isBefore(seq));
  const recent = kinds.findLastIndex((kind, seq) => kind === 'event/1' && !isBefore(seq));
  const close = kinds.indexOf('event-close/1');
  assert.ok(old > 0 && recent > 0 && close > 0);
  await resumed(world);
  const without = (seq: number) => (entries: readonly Uint8Array[]) =>
    entries.filter((_, i) => i !== seq);
  const changed = (seq: number, change: object) => (entries: readonly Uint8Array[]) =>
    entries.map((bytes, i) => {
      if (i !== seq) return bytes;
      const entry = parseEntry(bytes);
      return formatEntry({ ...entry, body: { ...entry.body, ...change } });
    });
  const twice = (seq: number) => (entries: readonly Uint8Array[]) =>
    entries.flatMap((bytes, i) => (i === seq ? [bytes, bytes] : [bytes]));
  const cut = (entries: readonly Uint8Array[]) => entries.slice(0, recent);
  for (const [name, entries] of Object.entries({
    'an old event is missing': without(old),
    'an event is missing': without(recent),
    'a close is missing': without(close),
    'an old event stands twice': twice(old),
    'another score': changed(recent, { score: 71 }),
    'another move': changed(recent, { move_24h: 1 }),
    'it ends within a batch': cut,
  })) {
    await assert.rejects(resumed(world, { entries }), { code: 'replay_differs' }, name);
  }
  await assert.rejects(resumed(world, { rule: { ...RULE, version: 2 } }), {
    code: 'replay_differs',
  });
  await assert.rejects(resumed(world, { seed: new Uint8Array(32) }), { code: 'replay_differs' });
  await assert.rejects(resumed(world, { blobs: new MemoryBlobStore() }), { code: 'blob_missing' });
});

test('resume: an opening that is needed and not there is asked for', async (t) => {
  const world = await ticked(t, 400);
  const files = (await readdir(world.folder)).sort();
  assert.equal(files.length, 5);
  await resumed(world);
  // Of its first days nothing is needed but what open events cite.
  await rm(join(world.folder, files[3] as string));
  await assert.rejects(resumed(world), { code: 'not_found' });
});

/** The first tick under the later rule. */
const HANDED = 300;

/** Lives through `ticks` with a handover, and as many begins as `restarts` and that. */
async function handed(
  t: TestContext,
  ticks: number,
  restarts: ReadonlySet<number> = new Set(),
): Promise<TickWorld> {
  const world = await tickWorld(t);
  const { ledger } = world;
  let round = new TickRound(world.parts);
  for (let k = 0; k < ticks; k += 1) {
    const rule = k < HANDED ? RULE : LATER_RULE;
    world.at(k, 0);
    if (k === HANDED) {
      await ledger.write(() => [{ kind: 'score-rule/1', body: { rule } }]);
    }
    if (k === HANDED || restarts.has(k)) round = new TickRound({ ...world.parts, rule });
    if (k % 37 !== 36) await round.run(world.at(k), never);
  }
  return world;
}

test('resume: over a handover the log is verified, and that of one that never stopped', async (t) => {
  const plain = await handed(t, TICKS);
  const all = await entriesOf(plain.place.store);
  const rules = new Map<unknown, number>();
  for (const bytes of all) {
    const { kind, body } = parseEntry(bytes);
    if (kind === 'event/1') rules.set(body['rule'], (rules.get(body['rule']) ?? 0) + 1);
  }
  assert.equal(rules.size, 2);
  assert.ok(
    [...rules.values()].every((count) => count > 3),
    [...rules.values()].join(),
  );
  await requireVerified(plain);
  const stopped = await handed(
    t,
    TICKS,
    new Set([299, 301, 302, 350, HANDED + CHECKED_TICKS, 700]),
  );
  assert.deepEqual(await entriesOf(stopped.place.store), all);
});

test('resume: ticks from before a handover are recalled, and what the later windows reach back to must be there', async (t) => {
  const world = await handed(t, HANDED + 1);
  const rule = LATER_RULE;
  assert.deepEqual([...(await resumed(world, { rule })).boards.keys()], [START + TICK * HANDED]);
  await assert.rejects(resumed(world), { code: 'replay_differs' });
  const again = { ...LATER_RULE, event: { ...LATER_RULE.event, open: 76 } };
  await assert.rejects(resumed(world, { rule: again }), { code: 'replay_differs' });
  const isLater = (bytes: Uint8Array): boolean => {
    const { kind, body } = parseEntry(bytes);
    return kind === 'score-rule/1' && (body['rule'] as WireObject)['version'] === 2;
  };
  const entries = (all: readonly Uint8Array[]): readonly Uint8Array[] =>
    all.filter((bytes) => !isLater(bytes));
  await assert.rejects(resumed(world, { rule, entries }), { code: 'replay_differs' });
  const files = (await readdir(world.folder)).sort();
  await rm(join(world.folder, files.at(-2) as string));
  await assert.rejects(resumed(world, { rule }), { code: 'not_found' });
});

test('resume: with a version that no tick has named yet, all are recalled', async (t) => {
  const world = await ticked(t, 150);
  const { ledger } = world;
  await ledger.write(() => [{ kind: 'score-rule/1', body: { rule: LATER_RULE } }]);
  assert.equal((await resumed(world, { rule: LATER_RULE })).boards.size, 0);
  await assert.rejects(resumed(world), { code: 'replay_differs' });
});

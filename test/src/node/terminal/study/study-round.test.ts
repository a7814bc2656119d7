import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { parseEntry } from '@assay/core/log/entry';
import type { HashHex } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { DAY_SECONDS } from '@assay/core/time/time';
import { newestStudy } from '@assay/core/view/studies';
import { ticksBack } from '@assay/core/view/ticks';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { STUDY_AFTER_S } from '@assay/core/terminal/study/study-maker';
import { StudyRound, type StudyRoundParts } from '@assay/node/terminal/study/study-round';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import { entriesOf } from '../../ledger/ledger-fixture.ts';
import { requireVerified } from '../../fixture/round-fixture.ts';
import {
  never,
  RULE,
  SECOND_RULE,
  START,
  thinned,
  type TickWorld,
  tickWorld,
} from '../tick-world.ts';

/** The first ticks of November, December and January: the log begins with October. */
const NOVEMBER = 31 * 96;
const DECEMBER = 61 * 96;
const JANUARY = 92 * 96;
const FEBRUARY = 123 * 96;
const MARCH = 151 * 96;
const APRIL = 182 * 96;

function partsOf(world: TickWorld, change: Partial<StudyRoundParts> = {}): StudyRoundParts {
  const { ledger, blobs, openings, parts } = world;
  const { entries } = parts;
  const common = { ledger, entries, blobs, openings, sha256: nodeSha256 };
  return { ...common, rule: RULE, grid: utcGrid, ...change };
}

/** A log of ten days of October, and of the first ticks of later months. */
async function lived(t: TestContext, months: readonly number[]): Promise<TickWorld> {
  const world = await tickWorld(t);
  await world.run(new TickRound(world.parts), 0, 10 * 96);
  for (const k of months) await world.run(new TickRound(world.parts), k, k + 3);
  return world;
}

function dueOf({ due }: StudyRound): number {
  assert.ok(due !== undefined);
  return due;
}

async function kindsOf(world: TickWorld): Promise<readonly string[]> {
  return (await entriesOf(world.place.store)).map((bytes) => parseEntry(bytes).kind);
}

/** The bytes of the newest study. */
async function studyOf(world: TickWorld): Promise<Uint8Array> {
  const row = newestStudy(world.ledger.tip, 'crypto');
  assert.ok(row !== undefined);
  return (await world.blobs.get(row.blob)) as Uint8Array;
}

test('study round: one a month, over what is before its first tick, and none of a log younger than 60 days', async (t) => {
  const world = await lived(t, [NOVEMBER]);
  assert.equal(STUDY_AFTER_S, 60 * DAY_SECONDS);
  const round = new StudyRound(partsOf(world));
  assert.equal(round.due, undefined);
  await world.run(new TickRound(world.parts), DECEMBER, DECEMBER + 2);
  const due = dueOf(round);
  const seqs = [...ticksBack(world.ledger.tip, 'crypto')].map(([, { seq }]) => seq);
  assert.equal(due, seqs[1]);
  const study = await round.run(due, never);
  assert.deepEqual([study.from, study.to], [0, due]);
  assert.equal(round.due, undefined);
  assert.equal(new StudyRound(partsOf(world)).due, undefined);
  assert.equal((await kindsOf(world)).at(-1), 'study/1');
  // Ticks go on behind it, also after a restart, and the next month has its own.
  await world.run(new TickRound(world.parts), DECEMBER + 2, DECEMBER + 30);
  assert.equal(round.due, undefined);
  await world.run(new TickRound(world.parts), JANUARY, JANUARY + 1);
  await round.run(dueOf(round), never);
  const studies = (await kindsOf(world)).filter((kind) => kind === 'study/1');
  assert.equal(studies.length, 2);
  await requireVerified(world);
});

test('study round: ended in the middle nothing is written, and what is made later is the same', async (t) => {
  const plain = await lived(t, [DECEMBER]);
  const once = new StudyRound(partsOf(plain));
  await once.run(dueOf(once), never);
  const world = await lived(t, [DECEMBER]);
  const abort = new AbortController();
  let days = 0;
  const openings: StudyRoundParts['openings'] = {
    async *since(from) {
      for await (const each of world.openings.since(from)) {
        if ((days += 1) === 500) abort.abort(new Fault('stopped', 'test'));
        yield each;
      }
    },
  };
  const before = await kindsOf(world);
  const stopped = new StudyRound(partsOf(world, { openings }));
  await assert.rejects(stopped.run(dueOf(stopped), abort.signal), { code: 'stopped' });
  assert.deepEqual(await kindsOf(world), before);
  // Days later, thinned by then, and with more ticks in the log.
  await world.run(new TickRound(world.parts), DECEMBER + 5 * 96, DECEMBER + 5 * 96 + 40);
  const now = START + 400 * DAY_SECONDS;
  assert.ok((await thinned(world, now)) > 4);
  const again = new StudyRound(partsOf(world));
  assert.equal(again.due, stopped.due);
  await again.run(dueOf(again), never);
  assert.deepEqual(await studyOf(world), await studyOf(plain));
  await requireVerified(world);
});

test('study round: the blob is there before its entry', async (t) => {
  const world = await lived(t, [DECEMBER]);
  const put: HashHex[] = [];
  const store = new MemoryBlobStore();
  const blobs: StudyRoundParts['blobs'] = {
    get: world.blobs.get,
    async put(bytes) {
      const hash = await store.put(bytes);
      put.push(hash);
      return hash;
    },
  };
  const ledger: StudyRoundParts['ledger'] = {
    get tip() {
      return world.ledger.tip;
    },
    idle: () => world.ledger.idle(),
    write: () => Promise.reject(new Fault('stopped', 'power')),
  };
  const cut = new StudyRound(partsOf(world, { blobs, ledger }));
  await assert.rejects(cut.run(dueOf(cut), never), { code: 'stopped' });
  const round = new StudyRound(partsOf(world));
  const { blob } = await round.run(dueOf(round), never);
  assert.deepEqual(put, [blob]);
});

test('study round: one that the next month overtakes is not written', async (t) => {
  const world = await lived(t, [DECEMBER]);
  let rolled = false;
  const openings: StudyRoundParts['openings'] = {
    async *since(from) {
      if (!rolled) {
        rolled = true;
        await world.run(new TickRound(world.parts), JANUARY, JANUARY + 1);
      }
      yield* world.openings.since(from);
    },
  };
  const round = new StudyRound(partsOf(world, { openings }));
  await assert.rejects(round.run(dueOf(round), never), { code: 'out_of_range' });
  assert.ok(!(await kindsOf(world)).includes('study/1'));
  await round.run(dueOf(round), never);
  await requireVerified(world);
});

/** The numbers of the studies of version 2, by the bytes that they have. */
async function numbersOf(world: TickWorld): Promise<readonly number[]> {
  const numbers: number[] = [];
  const parse = bodyParser(nodeSha256);
  for (const bytes of await entriesOf(world.place.store)) {
    const { kind, body } = parseEntry(bytes);
    const known = kind === 'study/2' ? parse(kind, body) : undefined;
    if (known?.kind !== 'study/2') continue;
    numbers.push(parseEdgeStudy((await world.blobs.get(known.body.blob)) as Uint8Array).number);
  }
  return numbers;
}

test('study round: after a handover the month has its study of version 1, and none until 60 days are over', async (t) => {
  const world = await lived(t, [NOVEMBER, DECEMBER]);
  const { ledger, parts } = world;
  const rule = SECOND_RULE;
  await ledger.write(() => [{ kind: 'score-rule/1', body: { rule } }]);
  const run = async (k: number, count = 3): Promise<void> =>
    world.run(new TickRound({ ...parts, rule }), k, k + count);
  await run(DECEMBER + 10);
  const round = new StudyRound(partsOf(world, { rule }));
  await round.run(dueOf(round), never);
  assert.equal((await kindsOf(world)).at(-1), 'study/1');
  await run(JANUARY);
  assert.equal(round.due, undefined);
  // December and January are 60 days and more before February, whose study is number 1.
  await run(FEBRUARY);
  const due = dueOf(round);
  assert.equal((await round.run(due, never)).to, due);
  assert.equal((await kindsOf(world)).at(-1), 'study/2');
  assert.equal(round.due, undefined);
  // March is left out, and spends its number.
  await run(MARCH, 1);
  await run(APRIL);
  const again = new StudyRound(partsOf(world, { rule }));
  await again.run(dueOf(again), never);
  assert.deepEqual(await numbersOf(world), [1, 3]);
  assert.equal(again.due, undefined);
  await requireVerified(world);
});

test('study round: a range that is not due is refused before anything is read', async (t) => {
  const world = await lived(t, [DECEMBER]);
  const openings: StudyRoundParts['openings'] = {
    since: () => assert.fail('nothing is read'),
  };
  const round = new StudyRound(partsOf(world, { openings }));
  await assert.rejects(round.run(dueOf(round) - 1, never), { code: 'out_of_range' });
});

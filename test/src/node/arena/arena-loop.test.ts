import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatHex } from '@assay/core/bytes/hex';
import type { Freeze } from '@assay/core/kind/freeze';
import type { Grade } from '@assay/core/kind/grade';
import { handleRow } from '@assay/core/view/handles';
import { settledReport } from '@assay/core/view/reports';
import { toDate } from '@assay/core/time/time';
import { DAILY } from '../../core/arena/arena-log.ts';
import { isGraded } from '@assay/core/view/rounds';
import { secretHandle } from '@assay/core/arena/forecast/handle';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openAllSealed } from '@assay/node/timelock/opening-thread';
import { ArenaWorld, CLOSE, OPEN, RELEASE, ROUND, UNSEALS } from './arena-world.ts';

const GRADED = '2026-08-04T08:40:00Z';

/** Kinds and bodies of the entries of rounds, in the order of the log. */
async function entriesOf(world: ArenaWorld): Promise<readonly { kind: string; body: unknown }[]> {
  const entries: { kind: string; body: unknown }[] = [];
  for await (const bytes of world.ledger.entries(0, world.ledger.nextSeq)) {
    const { kind, body } = parseEntry(bytes);
    if (/^(?:round|forecast|freeze|unseal|grade)\//.test(kind)) entries.push({ kind, body });
  }
  return entries;
}

async function bodyOf<T>(world: ArenaWorld, kind: string): Promise<T> {
  const found = (await entriesOf(world)).find((each) => each.kind === kind);
  assert.ok(found !== undefined, `no ${kind}`);
  return found.body as T;
}

const SALT = formatUtf8('a salt of 32 bytes, no more of it');
const saltOf = (name: string): Uint8Array => nodeSha256(formatUtf8(name + String(SALT)));
const handleOf = (name: string): string => secretHandle(nodeSha256, saltOf(name), name);

/** A sealed forecast and a plain one, each of a new handle. */
async function forecasts(world: ArenaWorld): Promise<void> {
  const handle = handleOf('ada');
  await world.accepted({
    handle: 'ada',
    handle_salt: formatHex(saltOf('ada')),
    sealed: world.sealed(handle, 231_000n),
  });
  await world.accepted({ handle: 'bob', value: 240_000, handle_salt: formatHex(saltOf('bob')) });
}

async function played(t: TestContext, ...more: unknown[]): Promise<ArenaWorld> {
  const [change, rule, loop] = more as [object?, object?, object?];
  const world = await ArenaWorld.begin(t, change, rule, loop);
  world.time(OPEN);
  await world.poll();
  await forecasts(world);
  return world;
}

test('arena loop: a round from its opening to its grades, and nothing before its time', async (t) => {
  const world = await played(t);
  assert.deepEqual(world.steps, [`opened ${ROUND}`]);
  world.time('2026-08-04T07:29:59Z');
  await world.poll();
  assert.equal(world.round().freeze, null);
  world.time(CLOSE);
  await world.poll();
  const freeze = await bodyOf<Freeze>(world, 'freeze/1');
  assert.deepEqual([freeze.count, freeze.handles, freeze.top], [2, 2, []]);
  assert.equal(await world.at.blobs.has(freeze.openings as never), true);
  assert.deepEqual(await world.rows.rounds(), [ROUND]);
  assert.deepEqual(await readdir(join(world.at.folder, 'freezes')), [`${ROUND}.note`]);
  assert.equal(world.loop.valuesOf(ROUND), undefined);
  world.time('2026-08-04T07:30:59Z');
  await world.poll();
  assert.equal(world.round().unseal, null);
  world.time(UNSEALS);
  await world.poll();
  assert.equal(world.round().unseal?.body.void_reason, null);
  assert.deepEqual(
    [...(world.loop.valuesOf(ROUND) ?? [])],
    [
      [1, 240_000n],
      [0, 231_000n],
    ],
  );
  assert.deepEqual(await readdir(join(world.at.folder, 'freezes')), []);
  assert.equal(world.round().grade, null);
  await world.print('2026-08-03', '231000', GRADED);
  await world.poll();
  const grade = await bodyOf<Grade>(world, 'grade/1');
  assert.deepEqual(
    grade.results.slice(0, 2).map(({ handle, value, points }) => [handle, value, points]),
    [
      [handleOf('ada'), '231000', 100],
      [handleOf('bob'), '240000', 84],
    ],
  );
  assert.ok(isGraded(world.round()));
  assert.deepEqual(await readdir(join(world.at.folder, 'forecasts')), []);
  assert.deepEqual(world.steps, [
    `opened ${ROUND}`,
    `frozen ${ROUND}`,
    `unsealed ${ROUND}`,
    `graded ${ROUND}`,
  ]);
  assert.deepEqual(world.loop.concerns(), []);
  assert.deepEqual(world.errors, []);
});

/** The times at which something happens in a round, and what does. */
const STAGES: readonly ((world: ArenaWorld) => Promise<void>)[] = [
  (world) => Promise.resolve(world.time(CLOSE)),
  (world) => Promise.resolve(world.time(UNSEALS)),
  async (world) => {
    const isPrinted = settledReport(world.ledger.tip, DAILY.ticker, toDate('2026-08-03'));
    if (isPrinted === undefined) await world.print('2026-08-03', '231000', GRADED);
  },
];

/** Goes through a round, with a new process each time that something throws. Returns how often that was. */
async function survive(world: ArenaWorld): Promise<{ world: ArenaWorld; deaths: number }> {
  let now = world;
  let deaths = 0;
  for (const stage of STAGES) {
    for (;;) {
      // What fails here shows in the ledger as well.
      await stage(now).catch(() => undefined);
      await now.poll();
      const isDead =
        now.steps.some((step) => step.startsWith('failed')) || now.ledger.blocked !== undefined;
      if (!isDead) break;
      deaths += 1;
      now.at.place.store.fail = undefined;
      now = await now.restart();
    }
  }
  return { world: now, deaths };
}

/** Freezes and openings are the same in each run but for the salts, so the forms are compared without hashes. */
async function outcome(world: ArenaWorld): Promise<string> {
  const entries = await entriesOf(world);
  return JSON.stringify(
    entries.map(({ kind, body }) => {
      const { count, handles, void_reason, results, print, arena, unopened } = body as Record<
        string,
        unknown
      >;
      return { kind, count, handles, void_reason, results, print, arena, unopened };
    }),
  );
}

test('arena loop: a process that ends anywhere between two steps leaves a round that goes on', async (t) => {
  const whole = await survive(await played(t));
  assert.equal(whole.deaths, 0);
  const expected = await outcome(whole.world);
  assert.match(expected, /grade\/1/);
  for (const when of ['before', 'after'] as const) {
    const seen: string[] = [];
    for (let dies = 0; ; dies += 1) {
      const world = await played(t);
      let calls = 0;
      world.at.onCall = (at, what) => {
        if (at !== when) return;
        calls += 1;
        if (calls === dies + 1) {
          seen.push(what);
          throw new Error(`killed ${when} ${what}`);
        }
      };
      const survived = await survive(world);
      assert.equal(await outcome(survived.world), expected, `${when} call ${dies}`);
      await world.close();
      if (survived.deaths === 0) break;
    }
    for (const what of ['blobs.put', 'rows.drop', 'notes.put', 'beacon', 'notes.drop', 'openAll']) {
      assert.ok(seen.includes(what), `never killed ${when} ${what}`);
    }
  }
});

test('arena loop: a commit that fails, or fails although it is on the disk, loses nothing', async (t) => {
  const whole = await survive(await played(t));
  const expected = await outcome(whole.world);
  for (const failure of ['failed', 'failed, but on disk'] as const) {
    for (let dies = 0; dies < 3; dies += 1) {
      const world = await played(t);
      const { store } = world.at.place;
      const { commit } = store;
      let commits = 0;
      (store as { commit: typeof commit }).commit = (batch) => {
        if (batch.entries.length > 0) commits += 1;
        if (commits === dies + 1 && batch.entries.length > 0) store.fail = failure;
        return commit(batch);
      };
      const survived = await survive(world);
      assert.ok(commits > dies, `${commits} commits`);
      assert.equal(await outcome(survived.world), expected, `${failure} ${dies}`);
      await world.close();
    }
  }
});

test('arena loop: a close during a stop is frozen at the next start, and takes nothing meanwhile', async (t) => {
  const world = await played(t);
  world.time('2026-08-04T07:30:20Z');
  const again = await world.restart();
  assert.equal((await again.send({ handle: 'eve', value: 1 })).kind, 'closed');
  await again.poll();
  assert.equal(again.round().freeze?.body.count, 2);
  again.time(UNSEALS);
  await again.poll();
  assert.equal(again.round().unseal?.body.void_reason, null);
});

test('arena loop: without enough lines in time the round is void, once no line can arrive any more', async (t) => {
  const cases: readonly (readonly [string, number])[] = [
    [UNSEALS, 2],
    [CLOSE, 1],
  ];
  for (const [time, count] of cases) {
    const world = await played(t);
    world.at.witness = { time, count };
    world.time(CLOSE);
    await world.poll();
    world.time('2026-08-04T07:31:59Z');
    await world.poll();
    assert.equal(world.round().unseal, null);
    world.time('2026-08-04T07:32:00Z');
    await world.poll();
    assert.equal(world.round().unseal?.body.void_reason, 'unwitnessed');
    await world.poll();
    const grade = await bodyOf<Grade>(world, 'grade/1');
    assert.deepEqual([grade.void_reason, grade.results, grade.count], ['unwitnessed', [], 2]);
    assert.ok(world.steps.includes(`void ${ROUND}`));
  }
});

test('arena loop: a line that was signed in time and arrives after the beacon opens the round', async (t) => {
  const world = await played(t);
  world.at.witness = undefined;
  world.time(CLOSE);
  await world.poll();
  world.time('2026-08-04T07:31:30Z');
  await world.poll();
  world.at.witness = { time: '2026-08-04T07:30:59Z', count: 2 };
  await world.poll();
  assert.equal(world.round().unseal?.body.void_reason, null);
});

test('arena loop: a beacon that is silent until the number may be out makes the round void', async (t) => {
  const world = await played(t);
  world.at.beacon = false;
  world.time(CLOSE);
  await world.poll();
  world.time(UNSEALS);
  await world.poll();
  assert.deepEqual(world.loop.concerns(), []);
  world.time('2026-08-04T07:32:00Z');
  await world.poll();
  assert.match(world.loop.concerns()[0]?.reason ?? '', /^The beacon does not give its round \d+,/);
  world.time(RELEASE);
  await world.poll();
  assert.equal(world.round().unseal?.body.void_reason, 'no_beacon');
  assert.equal((await bodyOf<Grade>(world, 'grade/1')).void_reason, 'no_beacon');
});

test('arena loop: a node that is away until the number may be out opens nothing', async (t) => {
  const world = await played(t);
  world.time(CLOSE);
  await world.poll();
  world.time(RELEASE);
  const again = await world.restart();
  await again.poll();
  const reason = again.round().unseal?.body.void_reason;
  assert.ok(reason === 'too_late' || reason === 'no_beacon', `${reason}`);
  assert.equal((await bodyOf<Grade>(again, 'grade/1')).arena.value, null);
});

test('arena loop: a void or withheld period makes an opened round void', async (t) => {
  for (const [reason, change] of [
    ['void_period', { status: 'void', reason: 'no_quorum', settleable: false, dispersion: null }],
    [
      'withheld',
      {
        withheld: true,
        commitment: 'ab'.repeat(32),
        settleable: false,
        grade: 'C',
        reads: [],
        dispersion: null,
      },
    ],
  ] as const) {
    const world = await played(t);
    world.time(CLOSE);
    await world.poll();
    world.time(UNSEALS);
    await world.poll();
    await world.print('2026-08-03', null, GRADED, change);
    await world.poll();
    const grade = await bodyOf<Grade>(world, 'grade/1');
    assert.deepEqual([grade.void_reason, grade.print, grade.results], [reason, null, []]);
    assert.equal(handleRow(world.ledger.tip, handleOf('ada'))?.graded, 0);
  }
});

test('arena loop: a release that is postponed past the close is waited for', async (t) => {
  const world = await played(t);
  await world.moveRelease('16:30');
  world.time(CLOSE);
  await world.poll();
  world.time(UNSEALS);
  await world.poll();
  assert.equal(world.round().unseal?.body.void_reason, null);
  world.time('2026-08-04T12:00:00Z');
  await world.poll();
  assert.equal(world.round().grade, null);
  await world.print('2026-08-03', '231000', '2026-08-04T16:40:00Z');
  await world.poll();
  assert.ok(isGraded(world.round()));
});

test('arena loop: of openings that are lost it is reported, and the others are graded', async (t) => {
  const world = await played(t);
  await world.rows.drop(ROUND);
  world.time(CLOSE);
  await world.poll();
  assert.equal(world.round().freeze?.body.openings, null);
  assert.match(world.loop.concerns()[0]?.reason ?? '', /^What opens 1 forecasts of .* is lost\.$/);
  world.time(UNSEALS);
  await world.poll();
  await world.print('2026-08-03', '231000', GRADED);
  await world.poll();
  const grade = await bodyOf<Grade>(world, 'grade/1');
  assert.equal(grade.unopened, 1);
  assert.deepEqual(grade.results[1], { handle: handleOf('bob'), value: null, points: 0 });
});

test('arena loop: 10,000 plain forecasts and some that are sealed are opened by the thread and graded', async (t) => {
  const world = await played(t, {}, {}, { openAll: openAllSealed });
  const copied = world.sealed(handleOf('ada'), 231_000n);
  await world.accepted({
    handle: 'thief',
    handle_salt: formatHex(saltOf('thief')),
    sealed: copied,
  });
  for (let i = 0; i < 10_000; i += 1000) {
    await Promise.all(
      Array.from({ length: 1000 }, (_, j) =>
        world.accepted({ handle: `many-${i + j}`, value: 220_000 + i + j }),
      ),
    );
  }
  world.time(CLOSE);
  await world.poll();
  assert.equal(world.round().freeze?.body.count, 10_003);
  world.time(UNSEALS);
  await world.poll();
  await world.print('2026-08-03', '231000', GRADED);
  await world.poll();
  assert.ok(isGraded(world.round()));
  assert.equal(world.round().grade?.parts, 26);
  // A copied ciphertext opens for nobody but the handle that it was made for.
  assert.equal(world.round().grade?.unopened, 1);
  assert.equal(handleRow(world.ledger.tip, handleOf('thief'))?.total_points, 0);
  assert.equal(handleRow(world.ledger.tip, handleOf('ada'))?.total_points, 100);
  assert.deepEqual(world.errors, []);
});

test('arena loop: it polls until it is stopped, and reports what it cannot do', async (t) => {
  const world = await ArenaWorld.begin(t);
  world.time(OPEN);
  world.loop.start();
  while (world.steps.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await world.accepted({ handle: 'ada', value: 1 });
  world.at.onCall = () => {
    throw new Error('/secret/path is full');
  };
  world.time('2026-08-04T07:31:30Z');
  while (world.steps.length === 1) await new Promise((resolve) => setTimeout(resolve, 5));
  const reasons = world.loop.concerns().map(({ reason }) => reason);
  assert.match(reasons[0] ?? '', /cannot go on with layoffs-2026-08-03/);
  assert.ok(!JSON.stringify(reasons).includes('/secret'));
  assert.match(reasons.join(' '), /are not frozen, which closed at/);
  assert.match(world.steps[1] ?? '', /failed .*\/secret\/path/);
  world.at.onCall = () => undefined;
  await world.loop.stop();
});

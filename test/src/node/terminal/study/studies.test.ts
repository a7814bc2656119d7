import assert from 'node:assert/strict';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { Study } from '@assay/core/kind/study';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { DAY_SECONDS } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Studies, type StudiesParts } from '@assay/node/terminal/study/studies';
import { StudyRound } from '@assay/node/terminal/study/study-round';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import { RULE, type TickWorld, tickWorld } from '../tick-world.ts';

const DECEMBER = 61 * 96;

interface Told {
  readonly world: TickWorld;
  readonly studies: Studies;
  readonly made: Study[];
  readonly failed: unknown[];
}

async function told(t: TestContext, change: Partial<StudiesParts> = {}): Promise<Told> {
  const world = await tickWorld(t);
  const round = new TickRound(world.parts);
  await world.run(round, 0, 200);
  await world.run(round, DECEMBER, DECEMBER + 1);
  const { ledger, blobs, openings, parts } = world;
  const { entries, now } = parts;
  const common = { ledger, entries, blobs, openings, sha256: nodeSha256 };
  const rounds = [new StudyRound({ ...common, rule: RULE, grid: utcGrid })];
  const [made, failed]: [Study[], unknown[]] = [[], []];
  const studies = new Studies(
    { rounds, now, blocked: () => false, ...change },
    { onStudy: (study) => made.push(study), onFailed: (_, error) => failed.push(error) },
  );
  return { world, studies, made, failed };
}

test('studies: what is due is made once, beside everything else', async (t) => {
  const { world, studies, made } = await told(t);
  studies.kick();
  studies.kick();
  assert.equal(made.length, 0);
  // A tick is not waited with.
  await world.run(new TickRound(world.parts), DECEMBER + 1, DECEMBER + 2);
  await studies.idle();
  studies.kick();
  await studies.idle();
  assert.equal(made.length, 1);
});

test('studies: one that fails is reported until it is made, and tried again a day later', async (t) => {
  const { world, studies, made, failed } = await told(t);
  assert.deepEqual(studies.concerns(), []);
  const saved = `${world.folder}-saved`;
  await cp(world.folder, saved, { recursive: true });
  for (const name of await readdir(world.folder)) {
    if (name.startsWith('2026-10')) await rm(join(world.folder, name));
  }
  for (const day of [0, 0, 1]) {
    world.at(DECEMBER + 1 + 96 * day);
    studies.kick();
    await studies.idle();
    assert.deepEqual(studies.concerns(), [
      {
        level: 'degraded',
        reason: 'The study of crypto that is due could not be made; it is tried again once a day.',
      },
    ]);
  }
  assert.deepEqual([made.length, failed.length], [0, 2]);
  assert.ok(failed[0] instanceof Fault && failed[0].code === 'not_found');
  assert.equal(world.parts.now() > DAY_SECONDS, true);
  await cp(saved, world.folder, { recursive: true });
  world.at(DECEMBER + 1 + 96 * 2);
  studies.kick();
  await studies.idle();
  assert.deepEqual([made.length, failed.length, studies.concerns()], [1, 2, []]);
  // The next month's is due, and has not failed.
  await world.run(new TickRound(world.parts), DECEMBER + 31 * 96, DECEMBER + 31 * 96 + 1);
  assert.deepEqual(studies.concerns(), []);
  studies.kick();
  await studies.idle();
  assert.deepEqual([made.length, failed.length], [2, 2]);
});

test('studies: a stop gives up the one under way, and nothing begins while nothing can be written', async (t) => {
  const { world, studies, made, failed } = await told(t);
  studies.kick();
  await studies.stop();
  studies.kick();
  assert.deepEqual([made, failed], [[], []]);
  assert.equal(world.ledger.blocked, undefined);
  const blocked = await told(t, { blocked: () => true });
  blocked.studies.kick();
  await blocked.studies.idle();
  assert.deepEqual([blocked.made, blocked.failed], [[], []]);
});

test('studies: a simulated clock stands still for one', async (t) => {
  const held: string[] = [];
  const hold = (): (() => void) => {
    held.push('still');
    return () => held.push('goes on');
  };
  const { studies, made } = await told(t, { hold });
  studies.kick();
  assert.deepEqual(held, ['still']);
  await studies.idle();
  assert.deepEqual([held, made.length], [['still', 'goes on'], 1]);
});

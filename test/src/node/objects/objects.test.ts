import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '@assay/core/fault';
import { Objects } from '@assay/node/objects/objects';
import { ProbedStore } from '@assay/node/objects/probed-store';
import { bucketWorld, type BucketWorld } from '../fixture/bucket-world.ts';
import { CHECKPOINTS, note } from '../ledger/ledger-fixture.ts';

interface Run {
  readonly world: BucketWorld;
  readonly objects: Objects;
  readonly errors: string[];
  time: number;
}

async function runOf(t: TestContext): Promise<Run> {
  const world = await bucketWorld(t);
  await world.grow[0]?.();
  const errors: string[] = [];
  const run = { world, errors, time: 0 } as { -readonly [K in keyof Run]: Run[K] };
  run.objects = new Objects(
    world.bucketParts(),
    { everyS: 0, behindAfterS: 100 },
    { onAdvanced: () => undefined, onError: (code) => void errors.push(code) },
    { elapsed: () => run.time, close: () => undefined },
  );
  t.after(() => run.objects.stop());
  return run;
}

async function until(what: () => boolean): Promise<void> {
  for (let i = 0; i < 1000 && !what(); i += 1) await wait(10);
  assert.ok(what());
}

test('objects: it follows what is published by itself, and says that it lacks nothing', async (t) => {
  const { world, objects, errors } = await runOf(t);
  objects.start();
  await until(() => objects.figures.size === world.ledger.nextSeq);
  await world.ledger.write(() => [note('more')]);
  objects.published();
  await until(() => objects.figures.size === world.ledger.nextSeq);
  assert.equal(objects.figures.behind, 0);
  assert.equal(objects.figures.behindS, 0);
  assert.deepEqual([objects.concerns(), errors], [[], []]);
});

test('objects: a store that does not answer is a concern after its time, and publication goes on', async (t) => {
  const run = await runOf(t);
  const { world, objects } = run;
  world.objects.before = () => {
    throw new Fault('unreachable', 'object store');
  };
  await objects.copy();
  assert.deepEqual(run.errors, ['unreachable']);
  assert.deepEqual(objects.concerns(), []);
  await world.ledger.write(() => [note('more')]);
  run.time = 101;
  const [concern] = objects.concerns();
  assert.equal(concern?.level, 'degraded');
  assert.match(concern.reason, /for 101 seconds, and the last try ended with unreachable\.$/);
  assert.equal(objects.figures.errors.get('unreachable'), 1);
  world.objects.before = () => undefined;
  await objects.copy();
  assert.deepEqual(objects.concerns(), []);
  assert.equal(objects.figures.size, world.ledger.nextSeq);
});

test('objects: after a larger checkpoint in the bucket nothing more is written', async (t) => {
  const run = await runOf(t);
  const { world, objects } = run;
  await objects.copy();
  const there = world.objects.objects.get('checkpoint');
  const bytes = CHECKPOINTS.sign(world.ledger.nextSeq + 9, new Uint8Array(32) as never);
  world.objects.objects.set('checkpoint', { ...there, bytes } as never);
  await world.ledger.write(() => [note('more')]);
  await objects.copy();
  assert.deepEqual(run.errors, ['objects_ahead']);
  assert.equal(objects.figures.stopped, true);
  assert.match(objects.concerns()[0]?.reason ?? '', /a larger checkpoint of this log/);
  let written = 0;
  world.objects.before = () => void (written += 1);
  await objects.copy();
  objects.start();
  objects.published();
  await wait(20);
  assert.equal(written, 0);
});

test('objects: a store that fails the probe is a concern, and gets nothing', async (t) => {
  const world = await bucketWorld(t);
  await world.grow[0]?.();
  const errors: string[] = [];
  const unsafe = new Fault('objects_unsafe', 'object store', { found: 'both won' });
  const objects = new Objects(
    world.bucketParts(new ProbedStore(world.objects, () => Promise.reject(unsafe))),
    { everyS: 0, behindAfterS: 100 },
    { onAdvanced: () => undefined, onError: (code) => void errors.push(code) },
    { elapsed: () => 0, close: () => undefined },
  );
  await objects.copy();
  assert.deepEqual(errors, ['objects_unsafe']);
  assert.match(objects.concerns()[0]?.reason ?? '', /does not keep the conditions of writes/);
  assert.equal(world.objects.objects.size, 0);
});

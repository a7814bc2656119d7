import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { ROOT } from '../../src/core/fixture/fixture.ts';
import { FROZEN, PRINTED, type Program, type Ran, World } from './world.ts';

const LONG = { timeout: 1_200_000 };

interface Drill {
  readonly world: World;
  readonly witnesses: readonly { readonly url: string; readonly vkey: string }[];
}

/** A publisher whose heads two recounters witness, mirror and recount, with a report that both agree with. */
async function drill(t: TestContext): Promise<Drill | undefined> {
  const world = await World.make(t);
  if (world === undefined) return undefined;
  await world.open(1);
  const { one, two } = world;
  const witnesses = [
    { url: one.url(), vkey: await world.beginRecounter(one) },
    { url: two.url(), vkey: await world.beginRecounter(two) },
  ];
  await world.beginPublisher(world.publisher, { witnesses });
  await world.move(PRINTED);
  await world.reached('provisional', 2);
  return { world, witnesses };
}

interface RecounterStatus {
  readonly publisher: { readonly size: number };
}

/** Waits until a recounter has copied all that the publisher shows; how many entries that are. */
async function copied(world: World, recounter: Program): Promise<number> {
  return world.until('a whole copy', async () => {
    const status = (await world.get(`${recounter.url()}/status`)) as RecounterStatus | undefined;
    const note = await world.run('auditor', process.execPath, [
      '-e',
      `fetch('${world.publisher.url()}/checkpoint').then((r) => r.text()).then((x) => console.log(x.split('\\n')[1]))`,
    ]);
    const size = Number(note.out);
    return status?.publisher.size === size && size > 0 && size;
  });
}

/** The publisher again, on what was restored; a final of both recounters; one history, and a verdict. */
async function goesOn({ world, witnesses }: Drill, state: string): Promise<void> {
  const { publisher, one, two } = world;
  await publisher.open({ origin: 'development/scenario', witnessesRequired: 1 });
  const begun = await world.beginPublisher(publisher, { witnesses });
  assert.equal(begun.kind, 'begun', JSON.stringify(begun));
  await world.move(FROZEN);
  await world.reached('final', 2);
  await watched(world, state, publisher.url(), one.url(), two.url());
  const verdict = await world.assay('auditor', 'verify', publisher.url(), '--no-pin');
  assert.equal(verdict.code, 0, verdict.out + verdict.err);
  assert.match(verdict.out, /^VERIFIED/);
}

/** What the watchers see; they keep what they have seen. */
async function watched(world: World, state: string, ...urls: readonly string[]): Promise<Ran> {
  const args = ['watch', ...urls, '--once', '--state', join(world.folder, state)];
  return world.until('a look without a finding', async () => {
    const ran = await world.assay('auditor', ...args);
    assert.notEqual(ran.code, 1, ran.out);
    return ran.code === 0 && ran;
  });
}

test(
  "drill: the publisher's disk is gone; one command brings it back from a recounter's folder",
  LONG,
  async (t) => {
    const found = await drill(t);
    if (found === undefined) return;
    const { world } = found;
    const { publisher, one, two } = world;
    await watched(world, 'seen', publisher.url(), one.url(), two.url());
    const size = await copied(world, one);
    await publisher.kill();
    const keys = await world.loseDisk(publisher);
    const restored = await world.assay(
      'publisher',
      'restore',
      publisher.data,
      '--from',
      one.data,
      '--keys',
      keys,
      '--witness',
      one.url(),
      '--witness',
      two.url(),
      '--acknowledged',
      `${size}`,
    );
    assert.equal(restored.code, 0, restored.out + restored.err);
    t.diagnostic(restored.out);
    // Those who looked before see the same history go on.
    await goesOn(found, 'seen');
  },
);

test(
  'drill: the same from the address of a recounter, which is asked for its copy',
  LONG,
  async (t) => {
    const found = await drill(t);
    if (found === undefined) return;
    const { world } = found;
    const { publisher, two } = world;
    const size = await copied(world, two);
    await publisher.kill();
    const keys = await world.loseDisk(publisher);
    const restored = await world.assay(
      'publisher',
      'restore',
      publisher.data,
      '--from',
      two.url(),
      '--keys',
      keys,
      '--acknowledged',
      `${size}`,
    );
    assert.equal(restored.code, 0, restored.out + restored.err);
    await goesOn(found, 'seen');
  },
);

test(
  'drill: from a backup that was made while the node ran, and what came after it from a mirror',
  LONG,
  async (t) => {
    const found = await drill(t);
    if (found === undefined) return;
    const { world, witnesses } = found;
    const { publisher, one } = world;
    const backup = join(world.folder, 'backup');
    const made = await world.assay('publisher', 'backup', publisher.data, '-o', backup);
    assert.equal(made.code, 0, made.out + made.err);
    await world.move(FROZEN);
    await world.reached('final', 2);
    const size = await copied(world, one);
    await publisher.kill();
    const keys = await world.loseDisk(publisher);
    // Alone it is too old, and others know: going on from it would be a fork.
    const args = ['restore', publisher.data, '--from', backup, '--keys', keys];
    const asked = witnesses.flatMap(({ url }) => ['--witness', url]);
    const refused = await world.assay('publisher', ...args, ...asked, '--accept-loss');
    assert.equal(refused.code, 3, refused.out);
    assert.match(refused.err, /\[head_lost\]/);
    const mirror = ['--from', one.url(), '--acknowledged', `${size}`];
    const restored = await world.assay('publisher', ...args, ...asked, ...mirror);
    assert.equal(restored.code, 0, restored.out + restored.err);
    await publisher.open({ origin: 'development/scenario', witnessesRequired: 1 });
    await world.beginPublisher(publisher, { witnesses });
    await world.reached('final', 2);
    const verdict = await world.assay('auditor', 'verify', publisher.url(), '--no-pin');
    assert.equal(verdict.code, 0, verdict.out + verdict.err);
  },
);

test(
  'drill: a restore that is killed again and again is run again, and comes to the same',
  LONG,
  async (t) => {
    const found = await drill(t);
    if (found === undefined) return;
    const { world } = found;
    const { publisher, one } = world;
    const size = await copied(world, one);
    await publisher.kill();
    const keys = await world.loseDisk(publisher);
    const bin = join(ROOT, 'cli', 'bin', 'assay.js');
    const args = [bin, 'restore', publisher.data, '--from', one.data, '--keys', keys];
    const more = ['--acknowledged', `${size}`];
    /** What lies in the folder when it is killed: at its start, in each part that is staged, and in the moves. */
    const points = [
      'keys',
      '.restore/sources',
      '.restore/ledger',
      '.restore/head',
      '.restore/ready.json',
      'ledger',
    ];
    for (const point of points) {
      const child = spawn(process.execPath, [...args, ...more], { stdio: 'ignore' });
      const closed = once(child, 'close');
      while (child.exitCode === null && !(await isThere(publisher.data, point))) await sleep(1);
      child.kill('SIGKILL');
      await closed;
    }
    const restored = await world.assay('publisher', ...args.slice(1), ...more);
    assert.equal(restored.code, 0, restored.out + restored.err);
    assert.equal((await readdir(publisher.data)).includes('.restore'), false);
    await goesOn(found, 'seen');
  },
);

async function isThere(root: string, path: string): Promise<boolean> {
  const [name = '', ...rest] = path.split('/').toReversed();
  const names = await readdir(join(root, ...rest.toReversed())).catch(() => [] as string[]);
  return names.includes(name);
}

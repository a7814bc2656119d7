import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { faketimeLibrary } from './machines.ts';
import { FROZEN, OVER, PORT, PRINTED, World } from './world.ts';

const LONG = { timeout: 1_200_000 };

/** Both recounters at work, and their keys as witnesses. */
async function recounters(
  world: World,
): Promise<{ readonly url: string; readonly vkey: string }[]> {
  const { one, two } = world;
  return [
    { url: one.url(), vkey: await world.beginRecounter(one) },
    { url: two.url(), vkey: await world.beginRecounter(two) },
  ];
}

test(
  'a partition: the report waits for the one that is cut off, and has its quorum once it heals',
  LONG,
  async (t) => {
    const world = await World.make(t);
    if (world === undefined) return;
    await world.open();
    await recounters(world);
    await world.beginPublisher();
    await world.machines.cut('publisher', 'two');
    await world.move(PRINTED);
    await world.reached('provisional', 1);
    await world.machines.heal('publisher', 'two');
    await world.reached('provisional', 2);
    // An auditor that cannot reach the publisher is told so, and not that all is well.
    await world.machines.cut('publisher', 'auditor');
    const blind = await world.assay('auditor', 'verify', world.publisher.url(), '--no-pin');
    assert.equal(blind.code, 3, blind.out + blind.err);
    await world.machines.heal('publisher', 'auditor');
    const verdict = await world.assay('auditor', 'verify', world.publisher.url(), '--no-pin');
    assert.equal(verdict.code, 0, verdict.out + verdict.err);
  },
);

test('one recounter lies: its dissent stands in the log, and nothing settles', LONG, async (t) => {
  const world = await World.make(t);
  if (world === undefined) return;
  await world.open();
  await world.beginRecounter(world.one);
  await world.beginRecounter(world.two, { lies: true });
  await world.beginPublisher();
  await world.move(PRINTED);
  await world.until('a dissent', async () => (await world.report())?.dissents.length === 1);
  await world.move(FROZEN);
  const final = await world.reached('final', 1);
  assert.equal(final.quorum.required, 2);
});

test('one recounter is dead, and catches up when it is back', LONG, async (t) => {
  const world = await World.make(t);
  if (world === undefined) return;
  await world.open();
  await recounters(world);
  await world.beginPublisher();
  await world.two.kill();
  await world.move(PRINTED);
  await world.reached('provisional', 1);
  await world.two.open({ origin: 'development/scenario/two' });
  await world.beginRecounter(world.two);
  await world.reached('provisional', 2);
  await world.move(FROZEN);
  await world.reached('final', 2);
});

test(
  'a clock an hour behind, and one an hour ahead: words wait or are refused, none is false',
  LONG,
  async (t) => {
    for (const offsetS of [-3600, 3600]) {
      const world = await World.make(t, offsetS);
      if (world === undefined) return;
      if (faketimeLibrary() === undefined) {
        t.skip('libfaketime is not installed');
        return;
      }
      await world.open();
      await recounters(world);
      await world.beginPublisher();
      await world.move(PRINTED);
      // The other one's word is there; the log holds nothing that its verifier would not take.
      await world.reached('provisional', 1);
      const verdict = await world.assay('auditor', 'verify', world.publisher.url(), '--no-pin');
      assert.equal(verdict.code, 0, verdict.out + verdict.err);
      if (offsetS > 0) {
        // Its word is from after the publisher's now: refused, kept, and told of where everybody can read it.
        const refused = /signed_at/;
        const findings = await world.until('a refused word', async () => {
          const found = JSON.stringify(await world.get(`${world.two.url()}/findings`));
          return refused.test(found) && found;
        });
        assert.match(findings, /word_refused/);
      } else {
        // It signs nothing of what is still to come, and says it as soon as its own clock has got there.
        await world.move(PRINTED + 3660);
        await world.reached('provisional', 2);
      }
      for (const program of [world.publisher, world.one, world.two]) await program.kill();
    }
  },
);

test(
  "a publisher restored from yesterday's disk: it refuses to go on, whatever its own files agree on",
  LONG,
  async (t) => {
    const world = await World.make(t);
    if (world === undefined) return;
    const { publisher } = world;
    await world.open(1);
    const witnesses = await recounters(world);
    await world.beginPublisher(publisher, { witnesses });
    await world.move(PRINTED);
    await world.reached('provisional', 2);
    await publisher.kill();
    const old = await world.copy(publisher, 'yesterday');
    await publisher.open({ origin: 'development/scenario', witnessesRequired: 1 });
    await world.beginPublisher(publisher, { witnesses });
    await world.move(FROZEN);
    await world.reached('final', 2);
    await publisher.kill();
    // Database, head guard and keys, all from the same moment: only others know better.
    const restored = world.program(world.machines.machine.publisher, 'yesterday');
    assert.equal(restored.data, old);
    await restored.open({ origin: 'development/scenario', witnessesRequired: 1 });
    const answer = await world.beginPublisher(restored, { witnesses });
    assert.deepEqual([answer.kind, 'code' in answer && answer.code], ['refused', 'ledger_behind']);
    await restored.kill();
  },
);

test(
  'a publisher that forks: caught by who compares, and proven from one file',
  LONG,
  async (t) => {
    const world = await World.make(t);
    if (world === undefined) return;
    const { publisher, one, two } = world;
    await world.open();
    await world.beginRecounter(one);
    await world.beginPublisher();
    await world.move(PRINTED);
    await world.reached('provisional', 1);
    await publisher.kill();
    await world.copy(publisher, 'shadow');
    // From here on it shows one history to the first recounter, and another to the second.
    const { vkey } = await publisher.open({ origin: 'development/scenario', witnessesRequired: 0 });
    await world.beginPublisher();
    const shadow = world.program(world.machines.machine.publisher, 'shadow');
    await shadow.open({ origin: 'development/scenario', witnessesRequired: 0 });
    await world.beginPublisher(shadow, { port: PORT + 1 });
    await world.beginRecounter(two, { publisherAt: PORT + 1 });
    await world.move(FROZEN, shadow);
    await world.reached('final', 1);
    await world.reached('final', 1, shadow.url(PORT + 1));
    const state = join(world.folder, 'watched');
    const watched = await world.until('a fork that is seen', async () => {
      const ran = await world.assay(
        'auditor',
        'watch',
        publisher.url(),
        shadow.url(PORT + 1),
        '--once',
        '--state',
        state,
      );
      return ran.code === 1 && ran;
    });
    t.diagnostic(watched.out.split('\n').slice(0, 12).join('\n'));
    const files = (await readdir(state, { recursive: true })).filter((name) =>
      /evidence.*\.json$/.test(name),
    );
    assert.equal(files.length > 0, true, watched.out);
    const check = ['evidence', 'check', join(state, files[0] ?? '')];
    const proof = await world.assay('auditor', ...check, '--key', vkey);
    assert.equal(proof.code, 0, proof.out + proof.err);
    t.diagnostic(proof.out);
    const untied = await world.assay('auditor', ...check);
    assert.equal(untied.code, 4, untied.out + untied.err);
    await shadow.kill();
  },
);

test(
  'a publisher that hides a dissent: found by whoever reads the dissenter too',
  LONG,
  async (t) => {
    const world = await World.make(t);
    if (world === undefined) return;
    const { publisher, two } = world;
    await world.open();
    await world.beginRecounter(world.one);
    // It dissents, for its sources say another number; nobody who asks the publisher learns of it.
    await world.beginRecounter(two, { lies: true, publisherAt: PORT + 2 });
    await world.beginPublisher(publisher, { hidingPort: PORT + 2 });
    await world.move(PRINTED);
    await world.move(FROZEN);
    await world.reached('final', 1);
    const own = (): Promise<unknown> => world.get(`${two.url()}/status`);
    await world.until('a word of its own', async () => (await own()) !== undefined);
    await world.move(OVER);
    assert.deepEqual((await world.report())?.dissents, []);
    const watched = await world.until('a dissent that is missed', async () => {
      const ran = await world.assay(
        'auditor',
        'watch',
        publisher.url(),
        two.url(),
        '--once',
        '--state',
        join(world.folder, 'watched'),
      );
      return ran.code === 1 && ran;
    });
    assert.match(watched.out, /dissent/i);
    t.diagnostic(watched.out.split('\n').slice(0, 14).join('\n'));
  },
);

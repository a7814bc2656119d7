import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryPlace } from '../ledger/ledger-fixture.ts';
import { CosignedWorld, FROZEN, RELEASE, SHOWN } from '../cosign/cosigner-fixture.ts';
import {
  Disk,
  heldOf,
  ownStatements,
  recounterOn,
  TestPublisher,
  type Through,
} from './recounter-world.ts';

/** Ends the process at the `n`th half of a call: before anything of it happened, or after all of it did. */
class Process {
  readonly passed: string[] = [];
  readonly #end: number;
  dead = false;

  constructor(end: number) {
    this.#end = end;
  }

  readonly through: Through = async (where, work) => {
    this.#step(`before ${where}`);
    const done = await work();
    this.#step(`after ${where}`);
    return done;
  };

  #step(what: string): void {
    if (!this.dead) {
      this.passed.push(what);
      if (this.passed.length - 1 === this.#end) this.dead = true;
    }
    if (this.dead) throw new Error('the process ended');
  }
}

interface Ended {
  readonly where: string | undefined;
  readonly words: readonly string[];
}

/** One life that ends at a call of a poll, and one after it that goes on to the end. */
async function live(end: number, shown: Readonly<Record<string, number>>): Promise<Ended> {
  const publisher = await TestPublisher.open(await CosignedWorld.open(await memoryPlace()));
  const { world } = publisher;
  const disk = await Disk.make();
  const process = new Process(end);
  try {
    const first = await recounterOn(disk, publisher, { through: process.through }).catch(
      () => undefined,
    );
    world.at(RELEASE);
    const provisional = await world.round();
    if (first !== undefined) {
      first.source.show(shown);
      await first.running.follow().catch(() => undefined);
    }
    world.at(FROZEN);
    const final = await world.round();
    if (first !== undefined) {
      await first.running.follow().catch(() => undefined);
      await first.running.close().catch(() => undefined);
    }
    const where = process.dead ? process.passed.at(-1) : undefined;
    world.clock.now += 7200;
    const second = await recounterOn(disk, publisher);
    second.source.show(shown);
    const looked = await second.running.follow();
    assert.deepEqual([looked.trouble, looked.unposted], [undefined, 0], where);
    world.clock.now += 7200;
    await second.running.follow();
    await second.running.close();
    assert.ok(provisional !== undefined && final !== undefined);
    const held = [provisional, final].map((row) => heldOf(publisher, row, disk.key));
    const words = await ownStatements(disk);
    assert.deepEqual(
      words.map((word) => word.split(' ')[0]),
      held,
      `${where}: both logs say the same`,
    );
    assert.equal(
      new Set(publisher.brought).size,
      2,
      `${where}: nothing is brought in two wordings`,
    );
    const statements = disk.signed.filter((text) => text.startsWith(STATEMENT));
    assert.equal(new Set(statements).size, 2, `${where}: nothing is signed in two wordings`);
    assert.equal(new Set(disk.signed).size, 4, where);
    return { where, words };
  } finally {
    await publisher.down();
  }
}

const STATEMENT = Buffer.from('assay/statement/v1').toString('hex');

test('crash: what is in the memory alone comes into its own log at the next start, whoever is down', async () => {
  const publisher = await TestPublisher.open();
  const disk = await Disk.make();
  let ended = false;
  const through: Through = async (where, work) => {
    if (ended) throw new Error('the process ended');
    const done = await work();
    ended = where === 'memory';
    if (ended) throw new Error('the process ended');
    return done;
  };
  const first = await recounterOn(disk, publisher, { through });
  publisher.world.at(RELEASE);
  await publisher.world.round();
  await first.running.follow().catch(() => undefined);
  assert.ok(ended);
  await first.running.close().catch(() => undefined);
  assert.deepEqual(disk.signed.length, 0);
  await publisher.down();
  const second = await recounterOn(disk, publisher);
  await second.running.close();
  assert.deepEqual(await ownStatements(disk), ['agree 197000']);
});

test('crash: wherever a poll ends, nothing is lost, and no statement is made twice with different content', async () => {
  const ends: string[] = [];
  for (let end = 0; ; end += 1) {
    const { where, words } = await live(end, SHOWN);
    assert.equal(words.length, 2);
    if (where === undefined) break;
    ends.push(where);
  }
  const kinds = new Set(ends);
  for (const where of [
    'memory',
    'own log',
    'own head',
    'mirror',
    'accepted',
    'reads',
    'blob',
    'post',
    'get',
  ]) {
    assert.ok(
      kinds.has(`before ${where}`) && kinds.has(`after ${where}`),
      `${where} was among them`,
    );
  }
});

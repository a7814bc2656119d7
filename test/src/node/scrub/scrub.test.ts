import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '@assay/core/time/time';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { restFor, Scrub, type ScrubParts } from '@assay/node/scrub/scrub';
import type { ScrubMemory, ScrubState } from '@assay/node/scrub/scrub-memory';
import type { ScrubStage } from '@assay/node/scrub/scrub-stage';

const BEGIN = 1_785_414_600;

/** A time that passes while somebody rests or works, and never else. */
class World {
  now = BEGIN;
  readonly damage = new DamageLog(() => Math.floor(this.now));
  readonly done: string[] = [];
  readonly rests: number[] = [];
  kept: ScrubState | undefined;
  /** Told before each rest. */
  onRest: () => void = () => undefined;

  /** A stage of `count` steps, each of which takes so many seconds. */
  stage(name: string, count: number, seconds = 0): ScrubStage {
    const { done } = this;
    const work = (): void => {
      this.now += seconds;
    };
    return {
      name,
      async *steps(place) {
        for (let i = Number(place); i < count; i += 1) {
          work();
          done.push(`${name} ${i}`);
          yield { place: `${i + 1}`, share: (i + 1) / count, bytes: 10 };
        }
      },
    };
  }

  scrub(stages: readonly ScrubStage[], change: Partial<ScrubParts> = {}): Scrub {
    const memory: ScrubMemory = {
      read: () => Promise.resolve(this.kept),
      write: (state) => {
        this.kept = state;
        return Promise.resolve();
      },
    };
    return new Scrub({
      stages,
      damage: this.damage,
      roundS: 1000,
      memory,
      now: () => Math.floor(this.now),
      elapsed: () => this.now,
      sleep: (ms) => {
        this.onRest();
        this.rests.push(ms);
        this.now += ms / 1000;
        return Promise.resolve();
      },
      ...change,
    });
  }
}

test('scrub: a round goes over every stage, and says how far it is', async () => {
  const world = new World();
  const scrub = world.scrub([world.stage('a', 2), world.stage('b', 2)]);
  assert.deepEqual(scrub.status, {
    stage: null,
    share: 1,
    began_at: null,
    last_ended_at: null,
    rounds: 0,
    bytes: 0,
    round_s: 1000,
  });
  const seen: (readonly [string | null, number])[] = [];
  world.onRest = () => seen.push([scrub.status.stage, scrub.status.share]);
  await scrub.round();
  assert.deepEqual(world.done, ['a 0', 'a 1', 'b 0', 'b 1']);
  assert.deepEqual(seen, [
    ['a', 0.25],
    ['a', 0.5],
    ['b', 0.75],
    ['b', 1],
  ]);
  const { rounds, bytes, last_ended_at: ended, stage } = scrub.status;
  assert.deepEqual([rounds, bytes, stage], [1, 40, null]);
  assert.equal(ended, formatTime(Math.floor(world.now)));
});

test('scrub: much to do is spread over the time of a round, and little is done in small steps soon', async () => {
  const long = new World();
  await long.scrub([long.stage('a', 9000), long.stage('b', 10)]).round();
  const took = long.now - BEGIN;
  assert.ok(took > 400 && took <= 1000, `${took}`);
  const short = new World();
  await short.scrub([short.stage('a', 3), short.stage('b', 3)]).round();
  assert.ok(short.now - BEGIN <= 6, 'a second a step at most');
});

test('scrub: work that the time does not suffice for rests as long as it takes', async () => {
  const world = new World();
  await world.scrub([world.stage('a', 100, 20)], { roundS: 100 }).round();
  const rested = world.rests.reduce((sum, each) => sum + each, 0);
  assert.ok(rested >= 100 * 1000, `${rested}`);
});

test('scrub: after a stop it goes on from its place, with what was found', async () => {
  const world = new World();
  const first = world.scrub([world.stage('a', 2), world.stage('b', 5)]);
  world.damage.note('blob', 'ab');
  const stopped = new Promise<void>((resolve) => {
    world.onRest = () => {
      if (world.done.at(-1) === 'b 1') resolve(first.stop());
    };
  });
  first.start();
  await stopped;
  assert.deepEqual([world.kept?.stage, world.kept?.place], ['b', '2']);
  assert.equal(world.kept?.last_ended_at, null);
  const begun = world.kept?.began_at;
  world.done.length = 0;
  world.onRest = () => undefined;
  const damage = new DamageLog(() => BEGIN);
  const checked: string[] = [];
  const blobs: ScrubStage = {
    ...world.stage('c', 1),
    recheck: {
      part: 'blob',
      copyOf: null,
      check: async (name) => void checked.push(name),
    },
  };
  const again = world.scrub([world.stage('a', 2), world.stage('b', 5), blobs], { damage });
  const ended = new Promise<void>((resolve) => {
    world.onRest = () => {
      if (again.status.rounds === 1) resolve();
    };
  });
  again.start();
  await ended;
  await again.stop();
  assert.deepEqual(world.done.slice(0, 4), ['b 2', 'b 3', 'b 4', 'c 0']);
  assert.deepEqual(checked, ['ab']);
  assert.deepEqual(
    damage.openList.map(({ name }) => name),
    ['ab'],
  );
  assert.equal(world.kept?.last_began_at, begun, 'it is the round that began before the stop');
});

test('scrub: a round that ended before a start is not begun again at once', async () => {
  const world = new World();
  world.kept = {
    began_at: null,
    stage: '',
    place: '',
    last_began_at: formatTime(BEGIN - 400),
    last_ended_at: formatTime(BEGIN - 100),
    damages: [],
  };
  const scrub = world.scrub([world.stage('a', 1)]);
  const ended = new Promise<void>((resolve) => {
    world.onRest = () => {
      if (scrub.status.rounds === 1) resolve();
    };
  });
  scrub.start();
  await ended;
  await scrub.stop();
  assert.equal(world.rests[0], 600_000);
  assert.equal(scrub.status.rounds, 1);
});

test('scrub: a stage that cannot be read is a concern until it can, and keeps no other from its turn', async () => {
  const world = new World();
  let fails = true;
  const failing: ScrubStage = {
    name: 'a',
    async *steps() {
      if (fails) throw new Error('EIO /var/lib');
      yield { place: '', share: 1, bytes: 0 };
    },
  };
  const scrub = world.scrub([failing, world.stage('b', 1)]);
  await scrub.round();
  assert.deepEqual(world.done, ['b 0']);
  assert.deepEqual(scrub.concerns(), [
    {
      level: 'degraded',
      reason: 'The scrub could not go over all of a: what is stored could not be read.',
    },
  ]);
  assert.equal(scrub.status.last_ended_at, null, 'it did not go over everything');
  fails = false;
  await scrub.round();
  assert.deepEqual(scrub.concerns(), []);
  assert.notEqual(scrub.status.last_ended_at, null);
});

test('scrub: that no round ends for two rounds of time is a concern', async () => {
  const world = new World();
  const scrub = world.scrub([world.stage('a', 1)]);
  world.now += 1999;
  assert.deepEqual(scrub.concerns(), []);
  world.now += 2;
  assert.deepEqual(
    scrub.concerns().map(({ reason }) => reason),
    ['The scrub of what is stored has ended no round for 2000 seconds.'],
  );
  await scrub.round();
  assert.deepEqual(scrub.concerns(), []);
});

test('scrub: a rest ends with its time, or when it is aborted', async () => {
  await restFor(1, new AbortController().signal);
  const abort = new AbortController();
  const rest = restFor(1_000_000, abort.signal);
  abort.abort();
  await rest;
  await restFor(1_000_000, abort.signal);
});

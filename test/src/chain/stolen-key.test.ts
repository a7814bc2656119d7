// What whoever holds the publisher's key for a while can do on chain, and what the owner does about it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addRule, addSet, cancel, rotate, type Waiting } from '@assay/chain/instructions';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import type { HashHex } from '@assay/core/hash/hash';
import { commitmentTo, hashOf, type Party, partyOf } from './fixture/party.ts';
import {
  needsSvm,
  NOW,
  type Outcome,
  PERIOD,
  PROGRAM,
  WEEK,
  type World,
  worldOf,
} from './fixture/world.ts';

const BOGUS = hashOf('bogus');
/** The last Saturday that a rule can name. */
const FAR = 2_147_483_641;

function done({ error }: Outcome, name?: string): void {
  assert.equal(error, null, name);
}

function ruled(world: World, by: Party, hash: string, first: number): Promise<Outcome> {
  return world.send(addRule(PROGRAM, by.signer, world.feed, hash, first));
}

function cancelled(world: World, ...what: readonly Waiting[]): Promise<Outcome> {
  return world.send(cancel(PROGRAM, world.recovery.signer, world.feed, what));
}

test(
  'stolen key: a rule takes no period that is over or runs, and bars none for long',
  needsSvm,
  async () => {
    const world = await worldOf();
    const { publisher, next } = world;
    const after = await partyOf('after');
    // The week that has ended, the one that runs, and a day that never comes.
    for (const first of [PERIOD, PERIOD + 7, FAR]) {
      assert.equal((await ruled(world, publisher, BOGUS, first)).error, 'rule_time', String(first));
    }
    done(await ruled(world, publisher, BOGUS, PERIOD + 14));
    done(await world.publish(world.print()), 'the week that has ended, under its rule');
    world.now += 60n;
    done(
      await world.send(
        rotate(PROGRAM, publisher.signer, next.signer, world.feed, commitmentTo(after)),
      ),
    );
    // The owner sleeps: the rule holds before the rotation does, and the thief adds another, as far as it goes.
    world.now = NOW + WEEK;
    const last = PERIOD + 7 + 7 * 57;
    assert.equal((await ruled(world, publisher, BOGUS, last + 14)).error, 'rule_time');
    done(await ruled(world, publisher, BOGUS, last));
    world.now += 60n;
    const signers = [next, ...world.cosigners];
    const running = world.print({ period: PERIOD + 7, publishedAt: world.now - 60n });
    done(await world.publish(running, signers), 'the week after, under its rule');
    // With the recovery key the second is gone, and the true rule is back a week later.
    done(await cancelled(world, 'rule'));
    assert.equal((await ruled(world, publisher, BOGUS, PERIOD + 21)).error, 'not_publisher');
    const rule = world.parameters.rule as HashHex;
    done(await ruled(world, next, rule, PERIOD + 28));
    world.now = NOW + 5n * WEEK;
    for (const [period, error] of [
      [PERIOD + 14, 'wrong_rule'],
      [PERIOD + 21, 'wrong_rule'],
      [PERIOD + 28, null],
    ] as const) {
      const print = world.print({ period, publishedAt: world.now - 60n });
      assert.equal((await world.publish(print, signers)).error, error, String(period));
    }
  },
);

test('stolen key: an owner who is awake loses no period', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, next, feed } = world;
  const thief = await partyOf('thief');
  const before = world.feedAccount();
  done(await ruled(world, publisher, BOGUS, PERIOD + 14));
  done(await world.send(addSet(PROGRAM, publisher.signer, feed, 1, [thief.key])));
  done(await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x'))));
  // All three are taken back in one, to the byte; then the owner rotates, and takes back once more.
  done(await cancelled(world, 'rotation', 'rule', 'set'));
  assert.deepEqual(world.feedAccount(), before);
  done(await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x'))));
  world.now += WEEK - 1n;
  done(await ruled(world, publisher, BOGUS, PERIOD + 28));
  done(await world.send(addSet(PROGRAM, publisher.signer, feed, 1, [thief.key])));
  world.now += 1n;
  done(await cancelled(world, 'rule', 'set'));
  assert.equal((await ruled(world, publisher, BOGUS, PERIOD + 35)).error, 'not_publisher');
  const signers = [next, ...world.cosigners];
  for (const period of [PERIOD, PERIOD + 7]) {
    done(await world.publish(world.print({ period, publishedAt: world.now }), signers));
  }
  const feedNow: FeedAccount = world.feedAccount();
  assert.deepEqual([feedNow.rules.length, feedNow.sets.length], [1, 1]);
});

test(
  'stolen key: what was taken back leaves its place, and another may take it',
  needsSvm,
  async () => {
    const world = await worldOf();
    const { publisher, feed } = world;
    for (let i = 0; i < 40; i += 1) {
      const { key } = await partyOf(`of set ${i % 8}`);
      done(await ruled(world, publisher, hashOf(`rule ${i}`), PERIOD + 14 + 7 * (i % 50)));
      done(await world.send(addSet(PROGRAM, publisher.signer, feed, 1, [key])));
      done(await cancelled(world, 'rule', 'set'));
    }
    done(await ruled(world, publisher, hashOf('rule 2'), PERIOD + 14));
    assert.deepEqual(
      world.feedAccount().rules.map(({ hash }) => hash),
      [world.parameters.rule, hashOf('rule 2')],
    );
  },
);

test('stolen key: no print is under a rule or a set that was taken back', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, feed } = world;
  const [a, b] = [await partyOf('a'), await partyOf('b')];
  const period = PERIOD + 14;
  done(await ruled(world, publisher, BOGUS, period));
  done(await world.send(addSet(PROGRAM, publisher.signer, feed, 2, [a.key, b.key])));
  // The first print that either can have, and then a clock that goes back: it is too late by then.
  world.now = NOW + WEEK;
  const print = world.print({
    period,
    rule: BOGUS,
    status: 'provisional',
    publishedAt: NOW + WEEK,
  });
  done(await world.publish(print, [publisher, a]));
  for (const back of [0n, 1n, 119n]) {
    world.now = NOW + WEEK - back;
    assert.equal((await cancelled(world, 'rule')).error, 'no_waiting_rule', String(back));
    assert.equal((await cancelled(world, 'set')).error, 'no_waiting_set', String(back));
  }
  // Before its time there was none: two minutes before, the period has not begun.
  const early = await worldOf();
  done(await ruled(early, early.publisher, BOGUS, period));
  early.now = NOW + WEEK - 121n;
  for (const publishedAt of [NOW + WEEK - 1n, NOW + WEEK]) {
    const refusal = (await early.publish({ ...print, publishedAt }, [early.publisher])).error;
    assert.equal(refusal, 'bad_time');
  }
  done(await cancelled(early, 'rule'));
});

test(
  'stolen key: the key that follows stands in no set, before and after it is shown',
  needsSvm,
  async () => {
    const world = await worldOf();
    const { publisher, next, feed } = world;
    const after = await partyOf('after');
    const set = (party: Party): Promise<Outcome> =>
      world.send(addSet(PROGRAM, publisher.signer, feed, 1, [party.key]));
    assert.equal((await set(next)).error, 'repeated_key');
    done(
      await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, commitmentTo(after))),
    );
    assert.equal((await set(next)).error, 'repeated_key');
    assert.equal((await set(after)).error, 'repeated_key');
    world.now = NOW + WEEK;
    done(await world.publish(world.print(), [next, ...world.cosigners]));
  },
);

test('stolen key: no set bars a rotation, not even one that holds the key', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, next, cosigners, feed } = world;
  const [first, second, third] = cosigners as [Party, Party, Party];
  // The owner commits to a key that is a co-signer's already; the rotation to it is not refused.
  done(await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, commitmentTo(first))));
  world.now = NOW + WEEK;
  done(await world.send(rotate(PROGRAM, next.signer, first.signer, feed, hashOf('x'))));
  world.now = NOW + 2n * WEEK;
  // As the publisher's it does not count.
  assert.equal((await world.publish(world.print(), [first, second])).error, 'no_quorum');
  done(await world.publish(world.print(), [first, second, third]));
  assert.equal((await world.slot())?.settled?.cosigners, 0b110);
});

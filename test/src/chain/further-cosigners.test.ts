import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addSet, openPage, publish, rotate } from '@assay/chain/instructions';
import { formatPage } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import { formatPrint, type Print } from '@assay/core/report/print';
import { hashOf, type Party, partyOf } from './fixture/party.ts';
import { open, refund, sceneOf, settle } from './fixture/settlement.ts';
import { budget } from './fixture/units.ts';
import {
  DAY,
  needsSvm,
  NOW,
  type Outcome,
  PERIOD,
  PROGRAM,
  proof,
  WEEK,
  type World,
  worldOf,
} from './fixture/world.ts';

function done({ error }: Outcome, name?: string): void {
  assert.equal(error, null, name);
}

type Place = 'provisional' | 'settled' | 'corrected';

/** Asserts that `run` adds co-signers to one record, and changes no other byte. */
async function adds(
  world: World,
  place: Place,
  cosigners: number,
  run: () => Promise<Outcome>,
): Promise<void> {
  const feed = world.bytesOf(world.feed);
  const page = await world.page();
  const at = page.slots.findIndex((slot) => slot?.period === PERIOD);
  const slot = page.slots[at];
  assert.ok(slot !== null && slot !== undefined);
  const record = slot[place] as ChainRecord;
  // A later block: the record keeps its own.
  world.svm.warpToSlot(world.svm.getClock().slot + 10n);
  done(await run(), place);
  const expected = formatPage({
    ...page,
    slots: page.slots.with(at, { ...slot, [place]: { ...record, cosigners } }),
  });
  assert.deepEqual(world.bytesOf(await world.pageOf(PERIOD)), expected, place);
  assert.deepEqual(world.bytesOf(world.feed), feed, place);
}

test('further co-signers: nobody keeps one out by bringing a print early', needsSvm, async () => {
  for (const status of ['provisional', 'final', 'void', 'corrected'] as const) {
    const world = await worldOf();
    const { publisher, cosigners } = world;
    const [first, second, third] = cosigners as [Party, Party, Party];
    if (status === 'corrected') done(await world.publish(world.print()));
    const print = world.print({ status });
    const place = status === 'final' || status === 'void' ? 'settled' : status;
    done(await world.publish(print, [publisher, first, second]));
    await adds(world, place, 0b111, () => world.publish(print, [publisher, third]));
    // Once more, with nothing new, it is what it was: refused.
    const refusal = place === 'settled' ? 'settled' : 'bad_issue';
    for (const signers of [[publisher], [publisher, third], [publisher, ...cosigners]]) {
      assert.equal((await world.publish(print, signers)).error, refusal, status);
    }
  }
});

test(
  'further co-signers: they sign the print that stands, with its publisher',
  needsSvm,
  async () => {
    const world = await worldOf();
    const { publisher, cosigners } = world;
    const [first, second, third] = cosigners as [Party, Party, Party];
    const stranger = await partyOf('stranger');
    const print = world.print();
    done(await world.publish(print, [publisher, first, second]));
    const before = await world.page();
    const refused = async (
      error: string,
      signers: readonly Party[],
      change: Partial<Print> = {},
    ): Promise<void> => {
      const outcome = await world.publish({ ...print, ...change }, signers);
      assert.equal(outcome.error, error, JSON.stringify(Object.keys(change)));
      assert.deepEqual(await world.page(), before);
    };
    await refused('no_publisher', [third]);
    await refused('unknown_signer', [publisher, third, stranger]);
    await refused('repeated_signer', [publisher, third, third]);
    for (const change of [
      { value: 1n },
      { report: hashOf('another report') },
      { publishedAt: NOW - 3599n },
      { settleable: false },
      { rule: hashOf('another rule') },
      { status: 'void', value: 0n, settleable: false },
    ] as const) {
      await refused('settled', [publisher, ...cosigners], change);
    }
  },
);

test('further co-signers: those of its own set, also under a newer one', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, next, cosigners, feed } = world;
  const [first, second, third] = cosigners as [Party, Party, Party];
  const others = await Promise.all(['x', 'y', 'z'].map(partyOf));
  const print = world.print();
  const keys = others.map(({ key }) => key);
  done(await world.publish(print, [publisher, first, second]));
  done(await world.send(addSet(PROGRAM, publisher.signer, feed, 2, keys)));
  done(await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x'))));
  world.now = NOW + WEEK;
  const asNew = await world.publish(print, [next, ...others]);
  assert.equal(asNew.error, 'unknown_signer');
  // The publisher is whoever it is now.
  assert.equal((await world.publish(print, [publisher, third])).error, 'unknown_signer');
  await adds(world, 'settled', 0b111, () => world.publish(print, [next, third]));
  assert.equal((await world.slot())?.settled?.set, 0);
});

test(
  'further co-signers: of a provisional under a final, and of a correction alone',
  needsSvm,
  async () => {
    const world = await worldOf();
    const { publisher, cosigners } = world;
    const [first, second, third] = cosigners as [Party, Party, Party];
    const provisional = world.print({ status: 'provisional', value: 7n });
    const older = world.print({ status: 'corrected', value: 8n });
    const newest = world.print({ status: 'corrected', value: 9n, issue: 2 });
    done(await world.publish(provisional, [publisher]));
    done(await world.publish(world.print(), [publisher, first, second]));
    await adds(world, 'provisional', 0b010, () => world.publish(provisional, [publisher, second]));
    assert.equal((await world.publish(provisional, [publisher, second])).error, 'settled');
    done(await world.publish(older, [publisher, first, second]));
    done(await world.publish(newest, [publisher, first, second]));
    await adds(world, 'corrected', 0b111, () => world.publish(newest, [third, publisher]));
    await adds(world, 'settled', 0b111, () => world.publish(world.print(), [third, publisher]));
    // The correction that was superseded is gone.
    assert.equal((await world.publish(older, [publisher, third])).error, 'bad_issue');
  },
);

test('further co-signers: who dissented may, and the dissent stays', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, cosigners } = world;
  const [first, second, third] = cosigners as [Party, Party, Party];
  const print = world.print();
  done(await world.publish(print, [publisher, first, second]));
  done(await world.dissent(print, [third]));
  await adds(world, 'settled', 0b111, () => world.publish(print, [publisher, third]));
  assert.equal((await world.slot())?.settled?.dissents, 0b100);
});

test('further co-signers: a venue whose own co-signer was left out settles', needsSvm, async () => {
  const cosigners = (await worldOf()).cosigners.slice(1);
  const own = cosigners.map(({ key }) => key);
  const scene = await sceneOf({ own, required: 2, strike: 218_000n });
  done(await open(scene));
  const { world, over } = scene;
  const [first, second] = world.cosigners as [Party, Party];
  const print = world.print({ value: 218_000n });
  // Who has lost brings the final with just enough signatures, not with those that the venue counts.
  done(await world.publish(print, [world.publisher, first, second]));
  assert.equal((await settle(scene, over)).error, 'custom 8');
  done(await world.publish(print));
  done(await settle(scene, over));
  world.now = scene.terms.refund;
  assert.notEqual((await refund(scene)).error, null);
});

test('further co-signers: a set of eight signs in two transactions', needsSvm, async () => {
  const world = await worldOf({ cosigners: 8 });
  const { publisher, cosigners } = world;
  world.now = NOW + 30n * WEEK;
  const period = PERIOD + 25 * 7;
  const page = await world.pageOf(period);
  const print = world.print({ period, publishedAt: world.now - DAY });
  const outcome = await world.send(
    ...budget(20_000, 1000n),
    openPage(PROGRAM, world.payer.signer, world.feed, page, 93),
    proof(formatPrint(print), [publisher, ...cosigners.slice(0, 5)]),
    publish(PROGRAM, world.feed, page, 3),
  );
  done(outcome);
  assert.ok(outcome.bytes <= 1232, `${outcome.bytes} bytes`);
  done(await world.publish(print, [publisher, ...cosigners.slice(5)]));
  assert.equal((await world.slot(period))?.settled?.cosigners, 0xff);
});

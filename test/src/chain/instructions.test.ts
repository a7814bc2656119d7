import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeAddress, feedAddress } from '@assay/chain/addresses';
import { addRule, addSet, cancel, publish, rotate } from '@assay/chain/instructions';
import { nextHashAt, publisherAt } from '@assay/core/feed/feed-account';
import { formatPrint, type Print, seriesId } from '@assay/core/report/print';
import { formatHex } from '@assay/core/bytes/hex';
import type { HashHex } from '@assay/core/hash/hash';
import { lamports } from '@solana/kit';
import { sha256 } from '../core/fixture/fixture.ts';
import { hashOf, type Party, partyOf } from './fixture/party.ts';
import { DAY, needsSvm, NOW, PERIOD, PROGRAM, proof, WEEK, worldOf } from './fixture/world.ts';

test('chain: a new feed holds what it was made of', needsSvm, async () => {
  for (const allFeatures of [false, true]) {
    const world = await worldOf({ allFeatures });
    const { parameters, publisher } = world;
    const feed = world.feedAccount();
    const series = formatHex(seriesId(sha256, parameters.log as HashHex, parameters.ticker));
    const [address, bump] = await feedAddress(PROGRAM, publisher.key, parameters.ticker);
    assert.equal(address, world.feed);
    assert.deepEqual(feed, {
      bump,
      cadence: 'week_ending_saturday',
      decimals: 0,
      ticker: 'LAYOFFS',
      genesis: publisher.key,
      log: parameters.log,
      series,
      publisher: publisher.key,
      nextHash: parameters.nextHash,
      recoveryHash: parameters.recoveryHash,
      rotation: null,
      latest: null,
      rules: [{ hash: parameters.rule, first: 2, effective: NOW }],
      sets: [{ effective: NOW, threshold: 2, keys: parameters.cosigners }],
    });
    assert.equal(world.account(world.feed)?.programAddress, PROGRAM);
  }
});

test('chain: provisional, final and correction are side by side', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, cosigners } = world;
  const [first, second, third] = cosigners as [Party, Party, Party];
  const provisional = world.print({ status: 'provisional', value: 1n });
  const better = world.print({ status: 'provisional', value: 2n, issue: 7 });
  const final = world.print({ value: 3n });
  const correction = world.print({ status: 'corrected', value: 4n });
  const outcomes = [
    await world.publish(provisional, [publisher]),
    await world.publish(better, [third, publisher]),
    await world.publish(final, [first, publisher, third]),
    await world.publish(correction, [publisher, second, first, third]),
    await world.publish({ ...correction, value: 5n, issue: 2 }),
  ];
  assert.deepEqual(
    outcomes.map(({ error }) => error),
    [null, null, null, null, null],
  );
  const slot = await world.slot();
  const record = (print: Print, marks: number): object => {
    const { value, publishedAt, report, status, decimals, settleable, withheld, issue } = print;
    const figures = { value, publishedAt, report, status, decimals, settleable, withheld, issue };
    return {
      ...figures,
      rule: 0,
      set: 0,
      cosigners: marks,
      dissents: 0,
      slot: world.svm.getClock().slot,
    };
  };
  assert.deepEqual(slot, {
    period: PERIOD,
    provisional: record(better, 0b100),
    settled: record(final, 0b101),
    corrected: record({ ...correction, value: 5n, issue: 2 }, 0b111),
    dissent: false,
  });
  assert.equal(world.feedAccount().latest, PERIOD);
});

test('chain: a void settles a period, and finals come in any order', needsSvm, async () => {
  const world = await worldOf();
  world.now = NOW + 2n * WEEK;
  const later = world.print({ period: PERIOD + 7, publishedAt: NOW + WEEK });
  assert.equal((await world.publish(later)).error, null);
  assert.equal(world.feedAccount().latest, PERIOD + 7);
  assert.equal((await world.publish(world.print({ status: 'void' }))).error, null);
  assert.equal((await world.slot())?.settled?.status, 'void');
  assert.equal(world.feedAccount().latest, PERIOD + 7);
});

test('chain: co-signers dissent from a print that is there', needsSvm, async () => {
  const world = await worldOf();
  const [first, , third] = world.cosigners as [Party, Party, Party];
  const print = world.print();
  await world.publish(print);
  assert.equal((await world.dissent(print, [third])).error, null);
  assert.equal((await world.dissent(print, [first, third])).error, null);
  const slot = await world.slot();
  assert.equal(slot?.dissent, true);
  assert.equal(slot?.settled?.dissents, 0b101);
  assert.equal(slot?.settled?.cosigners, 0b111);
});

test('chain: a rule waits for a week and then has its periods', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, feed } = world;
  const first = PERIOD + 14;
  const rule = hashOf('rule 2');
  const added = await world.send(addRule(PROGRAM, publisher.signer, feed, rule, first));
  assert.equal(added.error, null);
  assert.deepEqual(world.feedAccount().rules[1], { hash: rule, first, effective: NOW + WEEK });
  assert.equal((await world.publish(world.print())).error, null);
  world.now = NOW + 3n * WEEK;
  const under = (hash: HashHex): Print =>
    world.print({ period: first, publishedAt: NOW + 3n * WEEK, rule: hash });
  assert.equal((await world.publish(under(world.parameters.rule as HashHex))).error, 'wrong_rule');
  assert.equal((await world.publish(under(rule))).error, null);
  assert.equal((await world.slot(first))?.settled?.rule, 1);
});

test(
  'chain: a co-signer set waits for a week and then replaces the one before',
  needsSvm,
  async () => {
    const world = await worldOf();
    const { publisher, feed } = world;
    const others = await Promise.all(['x', 'y', 'z', 'w'].map(partyOf));
    const keys = others.map(({ key }) => key);
    const added = await world.send(addSet(PROGRAM, publisher.signer, feed, 3, keys));
    assert.equal(added.error, null);
    assert.deepEqual(world.feedAccount().sets[1], { effective: NOW + WEEK, threshold: 3, keys });
    assert.equal(
      (await world.publish(world.print(), [publisher, ...others])).error,
      'unknown_signer',
    );
    world.now = NOW + WEEK;
    assert.equal((await world.publish(world.print())).error, 'unknown_signer');
    const three = others.slice(1);
    assert.equal((await world.publish(world.print(), [publisher, ...three])).error, null);
    const settled = (await world.slot())?.settled;
    assert.deepEqual([settled?.set, settled?.cosigners], [1, 0b1110]);
  },
);

test('chain: a rotation takes effect by itself after a week', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, next, feed } = world;
  const last = await partyOf('the publisher after the next');
  const after = hashOf(Buffer.from(last.key, 'hex'));
  const asked = await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, after));
  assert.equal(asked.error, null);
  const effective = NOW + WEEK;
  assert.deepEqual(world.feedAccount().rotation, { effective, coming: next.key, afterHash: after });
  const provisional = (issue: number): Print => world.print({ status: 'provisional', issue });
  assert.equal((await world.publish(provisional(0), [publisher])).error, null);
  world.now = effective - 1n;
  assert.equal((await world.publish(provisional(1), [next])).error, 'unknown_signer');
  world.now = effective;
  assert.equal((await world.publish(provisional(2), [next])).error, null);
  assert.equal((await world.publish(provisional(3), [publisher])).error, 'unknown_signer');
  const again = await world.send(rotate(PROGRAM, next.signer, last.signer, feed, hashOf('no key')));
  assert.equal(again.error, null);
  const account = world.feedAccount();
  assert.equal(account.publisher, next.key);
  assert.equal(account.nextHash, after);
  assert.equal(publisherAt(account, effective), next.key);
  assert.equal(publisherAt(account, effective + WEEK), last.key);
  assert.equal(nextHashAt(account, effective + WEEK), hashOf('no key'));
});

test('chain: the recovery key cancels a rotation that waits', needsSvm, async () => {
  const world = await worldOf();
  const { publisher, next, recovery, feed } = world;
  const before = world.feedAccount();
  await world.send(rotate(PROGRAM, publisher.signer, next.signer, feed, hashOf('x')));
  const cancelled = await world.send(cancel(PROGRAM, recovery.signer, feed, ['rotation']));
  assert.equal(cancelled.error, null);
  assert.deepEqual(world.feedAccount(), before);
});

test('chain: a Close, and a version that supersedes it', needsSvm, async () => {
  const world = await worldOf();
  const day = Number(NOW / DAY) - 1;
  assert.equal((await world.close(day, hashOf('close'))).error, null);
  assert.equal((await world.close(day, hashOf('another'))).error, null);
  const [address, bump] = await closeAddress(PROGRAM, world.feed, day);
  assert.equal(world.account(address)?.programAddress, PROGRAM);
  const account = await world.closeAccount(day);
  const { feed } = await world.page();
  const { log } = world.parameters;
  const { slot } = world.svm.getClock();
  const hashes = [hashOf('close'), hashOf('another')];
  assert.deepEqual(account, { bump, day, feed, log, slot, hashes });
});

test('chain: accounts are made also where somebody sent lamports', needsSvm, async () => {
  for (const amount of [1n, 890_880n, 10n ** 9n]) {
    const world = await worldOf({ begun: false });
    const day = Number(NOW / DAY) - 1;
    const places = [world.feed, await world.pageOf(PERIOD)];
    places.push((await closeAddress(PROGRAM, world.feed, day))[0]);
    for (const address of places) {
      world.svm.setAccount({
        address,
        data: new Uint8Array(),
        executable: false,
        lamports: lamports(amount),
        programAddress: '11111111111111111111111111111111' as typeof address,
        space: 0n,
      });
    }
    assert.equal((await world.init()).error, null, String(amount));
    assert.equal((await world.openPage(92)).error, null, String(amount));
    assert.equal((await world.publish(world.print())).error, null, String(amount));
    assert.equal((await world.close(day, hashOf('close'))).error, null, String(amount));
    for (const address of places) {
      const account = world.account(address);
      const rent = world.svm.minimumBalanceForRentExemption(account?.space ?? 0n);
      assert.equal(account?.lamports, amount > rent ? amount : rent, String(amount));
    }
  }
});

test('chain: any instruction of the transaction may carry the signatures', needsSvm, async () => {
  const world = await worldOf();
  const message = formatPrint(world.print());
  const page = await world.pageOf(PERIOD);
  const signers = [world.publisher, ...world.cosigners];
  const outcome = await world.send(publish(PROGRAM, world.feed, page, 1), proof(message, signers));
  assert.equal(outcome.error, null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLAIMS_RULE, requireVerified, verdictOn } from '../fixture/round-fixture.ts';
import type { ReportRow } from '@assay/core/view/reports';
import {
  DAY,
  FIRST,
  LateWorld,
  PUBLISHED,
  REVISED,
  VOID_FROM,
  type Watcher,
} from './late-world.ts';

const HOUR = 3600;

test('late publication: its clocks run from when a quorum saw it, and its first print settles', async () => {
  const late = await LateWorld.open();
  const { world } = late;
  late.show(FIRST);
  late.at(PUBLISHED + 600);
  const early = await world.round();
  assert.deepEqual([early?.report.status, early?.report.reason], ['provisional', 'freeze_window']);
  late.at(PUBLISHED + 900);
  await late.poll();
  const words = await late.words(early);
  assert.deepEqual(words, Array(3).fill('agree, own_read, provisional 197000, provisional 197000'));
  assert.equal(late.seen(), PUBLISHED + 900);
  const frozen = PUBLISHED + 900 + CLAIMS_RULE.revision.freeze_after_s;
  late.at(frozen - 1);
  await late.poll();
  assert.equal(await world.round(), undefined, 'the source may still correct it');
  // What the source changes after the window is a revision.
  late.show(REVISED);
  late.at(frozen);
  const final = await world.round();
  assert.deepEqual([final?.report.status, final?.report.value], ['final', '197000']);
  await late.words(final);
  assert.equal(late.have(final as ReportRow), 3);
  await requireVerified(world);
  const { not_checked: reservations } = await verdictOn(world);
  const named = reservations.filter(({ what }) => what.includes('published late'));
  assert.match(named[0]?.what ?? '', /its clocks run from 2026-08-20T12:45:00Z/);
});

test('late publication: what the source corrects inside that window settles', async () => {
  const late = await LateWorld.open();
  late.show(FIRST);
  late.at(PUBLISHED + 900);
  await late.poll();
  await late.words(await late.world.round());
  late.show(REVISED);
  late.at(PUBLISHED + HOUR);
  await late.poll();
  await late.words(await late.world.round());
  late.at(PUBLISHED + 900 + CLAIMS_RULE.revision.freeze_after_s);
  const final = await late.world.round();
  assert.deepEqual([final?.report.status, final?.report.value], ['final', '198000']);
  await late.words(final);
  assert.equal(late.have(final as ReportRow), 3);
  await requireVerified(late.world);
});

test('late publication: a publisher that waits for the revision has no quorum for it', async () => {
  const late = await LateWorld.open();
  late.show(FIRST);
  late.at(PUBLISHED + 900);
  await late.poll();
  // It has seen the first number as well, and prints nothing.
  late.show(REVISED);
  late.at(PUBLISHED + 7 * DAY);
  await late.poll();
  const waited = await late.world.round();
  assert.equal(waited?.report.value, '198000');
  const words = await late.words(waited);
  assert.ok(words.every((each) => each.startsWith('dissent, value, own_read, provisional 197000')));
  // The dissents say when it was published: the window is long over.
  assert.equal(late.seen(), PUBLISHED + 900);
  late.at(PUBLISHED + 7 * DAY + 60);
  const final = await late.world.round();
  assert.deepEqual([final?.report.status, final?.report.value], ['final', '198000']);
  const on = await late.words(final);
  assert.ok(
    on.every((each) => each.startsWith('dissent, value, own_read, final 197000')),
    on[0],
  );
  assert.equal(late.have(final as ReportRow), 0);
});

test('late publication: one corrupt co-signer moves the clocks, and gains no quorum for another number', async () => {
  const late = await LateWorld.open();
  const [corrupt, second, third] = late.watchers as [Watcher, Watcher, Watcher];
  late.show(FIRST);
  late.at(PUBLISHED + 900);
  // It passes over the first number, as if it had not been there.
  await late.poll([second, third]);
  late.show(REVISED);
  late.at(PUBLISHED + 7 * DAY);
  await late.poll();
  const waited = await late.world.round();
  await late.words(waited, [corrupt, second]);
  assert.equal(late.seen(), PUBLISHED + 7 * DAY, 'the latest of the quorum');
  const frozen = PUBLISHED + 7 * DAY + CLAIMS_RULE.revision.freeze_after_s;
  late.at(frozen - 60);
  await late.poll();
  late.at(frozen);
  const final = await late.world.round();
  assert.deepEqual([final?.report.status, final?.report.value], ['final', '198000']);
  const words = await late.words(final);
  assert.deepEqual(
    words.map((each) => each.slice(0, 7)),
    ['agree, ', 'dissent', 'dissent'],
  );
  assert.equal(late.have(final as ReportRow), 1);
});

test('late publication: a publisher that hides what a quorum saw has a void, and no quorum for it', async () => {
  const late = await LateWorld.open();
  const [first] = late.watchers;
  late.show(FIRST);
  late.at(PUBLISHED + 900);
  await late.poll();
  const early = await late.world.round();
  await late.words(early, [first as Watcher]);
  assert.equal(late.seen(), undefined);
  late.at(PUBLISHED + 7 * DAY);
  assert.equal(await late.world.round(), undefined, 'nothing becomes final');
  late.at(VOID_FROM);
  const empty = await late.world.round();
  assert.deepEqual([empty?.report.status, empty?.report.reason], ['void', 'late']);
  const words = await late.words(empty);
  assert.ok(words.every((each) => each.startsWith('dissent, value, own_read, final 197000')));
  assert.equal(late.have(empty as ReportRow), 0);
});

test('late publication: what nobody published until the bound is void, with a quorum', async () => {
  const late = await LateWorld.open();
  late.at(VOID_FROM - 1);
  await late.poll();
  assert.equal(await late.world.round(), undefined);
  late.at(VOID_FROM - DAY);
  await late.poll();
  late.at(VOID_FROM);
  const empty = await late.world.round();
  assert.deepEqual([empty?.report.status, empty?.report.reason], ['void', 'late']);
  const words = await late.words(empty);
  assert.ok(
    words.every((each) => each.startsWith('agree, own_read, void null')),
    words[0],
  );
  assert.equal(late.have(empty as ReportRow), 3);
  await requireVerified(late.world);
});

test('late publication: what was published a day before the bound came too late', async () => {
  const late = await LateWorld.open();
  late.show(FIRST);
  late.at(VOID_FROM - DAY + 1);
  await late.poll();
  const early = await late.world.round();
  assert.equal(early, undefined, 'a read from then is no first print');
  late.at(VOID_FROM);
  const empty = await late.world.round();
  assert.deepEqual([empty?.report.status, empty?.report.reason], ['void', 'late']);
  const words = await late.words(empty);
  assert.ok(
    words.every((each) => each.startsWith('agree, own_read, void null')),
    words[0],
  );
  await requireVerified(late.world);
});

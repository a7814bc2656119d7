import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { parseDate, parseTime } from '@assay/core/time/time';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { calendarDue, CalendarReads } from '@assay/node/recounter/poll/calendar-reads';
import { MemoryReadStore } from '@assay/node/recounter/read-store';
import type { Rule } from '@assay/core/rule/rule';
import { LATE_RULE } from '../../cosign/late-world.ts';
import {
  CosignedWorld,
  FROZEN,
  LATE,
  OTHER,
  RELEASE,
  SHOWN,
  WEEK,
} from '../../cosign/cosigner-fixture.ts';
import { CLAIMS_RULE, page, RECORD, ScriptedSource } from '../../fixture/round-fixture.ts';

const { signal } = new AbortController();

async function reads(rule: Rule = CLAIMS_RULE) {
  const world = await CosignedWorld.open(undefined, undefined, rule);
  const source = new ScriptedSource();
  source.show(SHOWN);
  const store = new MemoryReadStore();
  const blobs = new MemoryBlobStore();
  const failed: string[] = [];
  const calendar = new CalendarReads({
    source,
    sha256: nodeSha256,
    now: () => world.clock.now,
    random: randomBytes,
    blobs,
    store,
    onFailed: (ticker, period, reason) => failed.push(`${ticker} ${period}: ${reason}`),
  });
  const poll = () => calendar.poll(world.ledger.shown, signal);
  const kept = () => store.of(CLAIMS_RULE.ticker, WEEK as never);
  return { world, source, store, blobs, failed, calendar, poll, kept };
}

test('calendar reads: due from the release to the end of first prints, not once it is settled', async () => {
  const { world } = await reads();
  const { shown } = world.ledger;
  const due = (time: number) => calendarDue(shown, time).map(({ period }) => period);
  assert.deepEqual(due(parseTime(RELEASE) - 1), []);
  assert.deepEqual(due(parseTime(RELEASE)), [parseDate(WEEK)]);
  assert.ok(due(parseTime(LATE) - 1).includes(parseDate(WEEK)));
  assert.ok(!due(parseTime(LATE)).includes(parseDate(WEEK)));
  world.at(RELEASE);
  await world.round();
  assert.deepEqual(due(parseTime(RELEASE)), [parseDate(WEEK)], 'a provisional settles nothing');
  world.at(FROZEN);
  await world.round();
  assert.deepEqual(calendarDue(world.ledger.shown, parseTime(FROZEN)), []);
});

test('calendar reads: what is unchanged is read less and less, and once more before the window ends', async () => {
  const { world, source, poll } = await reads();
  const times: number[] = [];
  world.at(RELEASE);
  const end = parseTime(FROZEN);
  for (; world.clock.now < end; world.clock.now += 10) {
    const before = source.asked.length;
    await poll();
    if (source.asked.length > before) times.push(world.clock.now - parseTime(RELEASE));
  }
  assert.deepEqual(times, [0, 60, 180, 420, 900, 1860, 3780, 6900]);
});

test('calendar reads: bytes are kept before what names them, and another figure is another set', async () => {
  const { world, source, blobs, poll, kept } = await reads();
  world.at(RELEASE);
  await poll();
  source.show(OTHER);
  world.clock.now += 60;
  await poll();
  const sets = await kept();
  assert.deepEqual(
    sets.map(({ reads: [first] }) => first?.value),
    ['197000', '198000'],
  );
  for (const { reads: all } of sets) {
    for (const { snapshot } of all) assert.ok(snapshot !== null && (await blobs.has(snapshot)));
  }
});

test('calendar reads: a store that fails is reported, and tried again', async () => {
  const { world, store, failed, poll, kept } = await reads();
  const { keep } = store;
  Object.assign(store, { keep: () => Promise.reject(new Error('disk: EIO')) });
  world.at(RELEASE);
  await poll();
  assert.deepEqual(failed, [`LAYOFFS ${WEEK}: disk: EIO`]);
  Object.assign(store, { keep });
  await poll();
  assert.deepEqual(await kept(), []);
  world.clock.now += 60;
  await poll();
  assert.equal((await kept()).length, 1);
});

test('calendar reads: those of another rule are no reads of this one', async () => {
  const { world, calendar, poll, source } = await reads();
  source.say(RECORD, page('gone', 404));
  world.at(RELEASE);
  await poll();
  const [due] = calendarDue(world.ledger.shown, world.clock.now);
  assert.ok(due !== undefined);
  assert.equal((await calendar.of(due.rule, due.hash, due.period)).length, 1);
  assert.deepEqual(await calendar.of(due.rule, 'ab'.repeat(32) as never, due.period), []);
});

test('calendar reads: nobody knows when a late number comes, so that it is searched for every ten minutes', async () => {
  const { world, source, poll } = await reads(LATE_RULE);
  source.show({ '2026-07-18': 188_000 });
  const from = parseTime('2026-08-20T00:00:00Z');
  const times: number[] = [];
  for (let at = from; at < from + 6 * 3600; at += 60) {
    world.clock.now = at;
    const before = source.asked.length;
    await poll();
    if (source.asked.length > before) times.push(at - from);
  }
  const waits = times.slice(1).map((at, i) => at - (times[i] as number));
  assert.equal(Math.max(...waits), 600);
  assert.ok(times.length > 30, `${times.length}`);
});

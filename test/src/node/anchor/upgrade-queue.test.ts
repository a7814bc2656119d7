import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { formatTime } from '@assay/core/time/time';
import { MemoryViews } from '@assay/core/view/state';
import type { AnchorRow } from '@assay/core/view/anchors';
import { seqKey } from '@assay/core/view/seq-key';
import { wire } from '@assay/core/wire/wire';
import { UpgradeQueue } from '@assay/node/anchor/upgrade-queue';
import type { HeaderTip } from '@assay/node/bitcoin/header-follower';
import { NOON } from '../ledger/ledger-fixture.ts';
import { TIMING } from './anchor-fixture.ts';

const HASH = '22'.repeat(32) as HashHex;
const DAY_S = 86_400;

function row(batch: number, change: Partial<AnchorRow> = {}): AnchorRow {
  return {
    batch,
    issue: 0,
    from: batch,
    to: batch + 1,
    root: HASH,
    salt: HASH,
    tip: HASH,
    stamped_at: formatTime(NOON),
    proof: HASH,
    calendars: [{ uri: 'http://a', state: 'pending' }],
    bitcoin: [],
    seq: batch + 1,
    at: formatTime(NOON),
    ...change,
  };
}

function attested(batch: number, height: number): AnchorRow {
  return row(batch, {
    issue: 1,
    calendars: [{ uri: 'http://a', state: 'attested' }],
    bitcoin: [{ height, header: '00'.repeat(80), following: HASH }],
  });
}

function tipAt(height: number, id = `${height}`): HeaderTip {
  return { height, header: new Uint8Array(80), id: id as HashHex };
}

interface Made {
  readonly queue: UpgradeQueue;
  readonly put: (...rows: readonly AnchorRow[]) => void;
  readonly at: (seconds: number) => void;
  /** Sets the clock while no time passes. */
  readonly step: (seconds: number) => void;
}

function made(rows: readonly AnchorRow[], beacon?: number): Made {
  const state = new MemoryViews();
  const put = (...all: readonly AnchorRow[]): void =>
    state.write(
      all.map((each) => ({
        table: 'anchors',
        key: seqKey(each.batch),
        value: wire(each),
      })),
    );
  put(...rows);
  if (beacon !== undefined) {
    const value = { seq: 0, height: beacon, hash: HASH, time: NOON, header: '00'.repeat(80) };
    state.write([{ table: 'beacons', key: seqKey(0), value }]);
  }
  let now = NOON;
  let elapsed = 0;
  const queue = new UpgradeQueue(
    state,
    () => now,
    () => elapsed,
    TIMING,
  );
  return {
    queue,
    put,
    at(seconds) {
      elapsed += seconds - now;
      now = seconds;
    },
    step(seconds) {
      now += seconds;
    },
  };
}

test('upgrade queue: a batch is due half an hour after its stamp, also one that is added later', () => {
  const { queue, at } = made([row(0)]);
  assert.deepEqual(queue.due(), []);
  at(NOON + 1799);
  assert.deepEqual(queue.due(), []);
  at(NOON + 1800);
  assert.deepEqual(queue.due(), [0]);
  queue.note(row(1, { stamped_at: formatTime(NOON + 1800) }));
  at(NOON + 3599);
  assert.deepEqual(queue.due(), [0]);
  at(NOON + 3600);
  assert.deepEqual(queue.due(), [0, 1], 'the longest due first');
  assert.equal(queue.pending, 2);
});

test('upgrade queue: questions become rarer, down to one in six hours', () => {
  const { queue, at } = made([row(0)]);
  const gaps: number[] = [];
  let now = NOON + 1800;
  for (let last = now; now < NOON + 30 * DAY_S; now += 60) {
    at(now);
    if (!queue.due().includes(0)) continue;
    queue.asked(row(0));
    gaps.push(now - last);
    last = now;
  }
  assert.deepEqual([gaps[1], gaps.at(-1)], [600, 21_600]);
  assert.deepEqual(
    gaps.slice(1),
    gaps.slice(1).toSorted((a, b) => a - b),
  );
  assert.ok(gaps.length > 100 && gaps.length < 200, `${gaps.length} in a month`);
});

test('upgrade queue: what is answered or given up is due no more; nor is one at its last issue', () => {
  const expired = {
    ...attested(2, 40),
    calendars: [{ uri: 'http://a', state: 'expired' } as const],
  };
  const { queue, at } = made([row(0), attested(1, 50), expired, row(3, { issue: 65_535 })]);
  at(NOON + DAY_S);
  assert.deepEqual(queue.due(), [0]);
  queue.note({ ...attested(0, 60), batch: 0 });
  assert.deepEqual([queue.due(), queue.pending, queue.attestedHeight], [[], 0, 60]);
});

const A = 'http://a';

test('upgrade queue: given up after a month, on the third day of answers since then', () => {
  const { queue, at } = made([row(0)]);
  for (let day = 0; day < 30; day += 1) {
    at(NOON + day * DAY_S);
    queue.heard(row(0), A, true);
    assert.equal(queue.givesUp(row(0), A, false), false);
  }
  const late = NOON + 30 * DAY_S + 1;
  for (const seconds of [0, 3600, DAY_S, DAY_S + 3600]) {
    at(late + seconds);
    queue.heard(row(0), A, true);
    assert.equal(queue.givesUp(row(0), A, false), false, `${seconds}`);
  }
  at(late + 2 * DAY_S);
  queue.heard(row(0), A, true);
  assert.equal(queue.givesUp(row(0), A, false), true);
  assert.equal(queue.givesUp(row(0), 'http://b', false), false, 'nobody asked that one');
  assert.equal(queue.givesUp(row(0), A, true), false, 'its block is still to come');
  at(NOON + 60 * DAY_S + 1);
  assert.equal(queue.givesUp(row(0), A, true), true);
  queue.note(row(0), true);
  assert.equal(queue.givesUp(row(0), A, false), false, 'begun anew');
});

test('upgrade queue: one that is not there is given up after a month of late days', () => {
  const { queue, at } = made([row(0)]);
  const late = NOON + 31 * DAY_S;
  for (let hours = 0; hours < 29 * 24; hours += 6) {
    at(late + hours * 3600);
    queue.heard(row(0), A, false);
    assert.equal(queue.givesUp(row(0), A, false), false);
  }
  at(late + 29 * DAY_S);
  queue.heard(row(0), A, false);
  assert.equal(queue.givesUp(row(0), A, false), true);
});

test('upgrade queue: no step of the clock makes a calendar late, ahead or back', () => {
  const { queue, at, step } = made([row(0)]);
  at(NOON + 3600);
  queue.heard(row(0), A, true);
  step(365 * DAY_S);
  for (let i = 0; i < 50; i += 1) {
    queue.heard(row(0), A, true);
    assert.equal(queue.givesUp(row(0), A, false), false);
  }
  step(-365 * DAY_S);
  at(NOON + 3 * DAY_S);
  queue.heard(row(0), A, true);
  assert.equal(queue.givesUp(row(0), A, false), false);
  step(-30 * DAY_S);
  // It is due all the same, and late in the end.
  assert.deepEqual(queue.due(), [0]);
  at(NOON + 10 * DAY_S);
  for (const day of [0, 1, 2]) {
    at(NOON + (10 + day) * DAY_S);
    queue.heard(row(0), A, true);
  }
  assert.equal(queue.givesUp(row(0), A, false), true);
});

test('upgrade queue: a stamp of the future is asked about as if it were of now', () => {
  const { queue, at } = made([row(0, { stamped_at: formatTime(NOON + 365 * DAY_S) })]);
  at(NOON + 1799);
  assert.deepEqual(queue.due(), []);
  at(NOON + 1800);
  assert.deepEqual(queue.due(), [0]);
});

test('upgrade queue: who was given up is asked once a week while no block holds the batch', () => {
  const expired = [{ uri: A, state: 'expired' }] as const;
  const { queue, at } = made([row(0)]);
  queue.note(row(0, { issue: 1, calendars: expired }));
  assert.equal(queue.pending, 0);
  const days: number[] = [];
  for (let hour = 0; hour <= 30 * 24; hour += 1) {
    at(NOON + hour * 3600);
    if (!queue.due().includes(0)) continue;
    assert.deepEqual([...queue.asked(row(0, { calendars: expired }))], ['expired']);
    days.push(hour / 24);
  }
  assert.deepEqual(days, [7, 14, 21, 28]);
  queue.note({ ...attested(0, 60), calendars: expired });
  at(NOON + 90 * DAY_S);
  assert.deepEqual(queue.due(), []);
});

test('upgrade queue: after a start those that were given up are spread over the week', () => {
  const expired = [{ uri: A, state: 'expired' }] as const;
  const all = Array.from({ length: 100 }, (_, batch) => row(batch, { calendars: expired }));
  const { queue, at } = made(all);
  at(NOON + DAY_S);
  assert.equal(queue.due().length, 14);
  at(NOON + 7 * DAY_S);
  assert.equal(queue.due().length, 100);
});

test('upgrade queue: the highest block follows the rows, also down', () => {
  const { queue } = made([attested(0, 100), attested(1, 90)]);
  assert.equal(queue.attestedHeight, 100);
  queue.note(row(0, { issue: 2 }));
  assert.equal(queue.attestedHeight, 90);
});

test('upgrade queue: a postponed batch keeps its time', () => {
  const { queue, at } = made([row(0)]);
  queue.postpone(0, 5000);
  queue.postpone(7, 0);
  queue.postpone(0, Number.POSITIVE_INFINITY);
  at(NOON + 4999);
  assert.deepEqual(queue.due(), []);
  at(NOON + 5000);
  assert.deepEqual(queue.due(), [0]);
});

test('upgrade queue: blocks near the tip are checked again when the tip is another', () => {
  const { queue, put } = made([attested(0, 100), attested(1, 900)], 1000);
  assert.deepEqual(queue.watched(tipAt(1000)), [1]);
  assert.deepEqual(queue.watched(tipAt(1000)), [], 'the same tip');
  assert.deepEqual(queue.watched(tipAt(1000, 'other')), [1], 'another of the same height');
  put(attested(2, 1000));
  queue.note(attested(2, 1000));
  assert.deepEqual(queue.watched(tipAt(1044)), [1, 2], 'batch 1 for the last time');
  assert.deepEqual(queue.watched(tipAt(1045)), [2]);
});

test('upgrade queue: after a long pause what was near the tip then is checked once', () => {
  const { queue } = made([attested(0, 100), attested(1, 990)], 1000);
  assert.deepEqual(queue.watched(tipAt(5000)), [1]);
  assert.deepEqual(queue.watched(tipAt(5001)), []);
});

test('upgrade queue: what could not be checked is checked again with the same tip', () => {
  const { queue } = made([attested(0, 990)], 1000);
  assert.deepEqual(queue.watched(tipAt(5000)), [0]);
  queue.watchAgain(0);
  assert.deepEqual(queue.watched(tipAt(5000)), [0]);
  assert.deepEqual(queue.watched(tipAt(5000)), []);
  queue.watchAgain(0);
  assert.deepEqual(queue.watched(tipAt(5001)), [0], 'also with another');
  queue.watchLater(0);
  assert.deepEqual(queue.watched(tipAt(5001)), []);
  assert.deepEqual(queue.watched(tipAt(5002)), [0]);
});

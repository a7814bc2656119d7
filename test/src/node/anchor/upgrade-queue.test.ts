import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash';
import { formatTime } from '@assay/core/time';
import { MemoryViews } from '@assay/core/view/state';
import type { AnchorRow } from '@assay/core/view/anchors';
import { seqKey } from '@assay/core/view/seq-key';
import type { WireObject } from '@assay/core/wire';
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
}

function made(rows: readonly AnchorRow[], beacon?: number): Made {
  const state = new MemoryViews();
  const put = (...all: readonly AnchorRow[]): void =>
    state.write(
      all.map((each) => ({
        table: 'anchors',
        key: seqKey(each.batch),
        value: each as unknown as WireObject,
      })),
    );
  put(...rows);
  if (beacon !== undefined) {
    const value = { seq: 0, height: beacon, hash: HASH, time: NOON, header: '00'.repeat(80) };
    state.write([{ table: 'beacons', key: seqKey(0), value }]);
  }
  let now = NOON;
  const queue = new UpgradeQueue(state, () => now, TIMING);
  return {
    queue,
    put,
    at(seconds) {
      now = seconds;
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
  const expired = row(2, { calendars: [{ uri: 'http://a', state: 'expired' }] });
  const { queue, at } = made([row(0), attested(1, 50), expired, row(3, { issue: 65_535 })]);
  at(NOON + DAY_S);
  assert.deepEqual(queue.due(), [0]);
  queue.note({ ...attested(0, 60), batch: 0 });
  assert.deepEqual([queue.due(), queue.pending, queue.attestedHeight], [[], 0, 60]);
});

test('upgrade queue: given up after a month, and after a day of questions in this process', () => {
  const { queue, at } = made([row(0)]);
  at(NOON + 40 * DAY_S);
  assert.equal(queue.lateness(row(0)), undefined);
  queue.asked(row(0));
  at(NOON + 41 * DAY_S - 1);
  assert.equal(queue.lateness(row(0)), undefined);
  at(NOON + 41 * DAY_S);
  assert.equal(queue.lateness(row(0)), 'late');
  queue.note(row(0), true);
  assert.equal(queue.lateness(row(0)), undefined, 'begun anew');
  queue.asked(row(0));
  at(NOON + 61 * DAY_S);
  assert.equal(queue.lateness(row(0)), 'very');
});

test('upgrade queue: a postponed batch keeps its time', () => {
  const { queue, at } = made([row(0)]);
  queue.postpone(0, NOON + 5000);
  queue.postpone(7, NOON);
  queue.postpone(0, Number.POSITIVE_INFINITY);
  at(NOON + 4999);
  assert.deepEqual(queue.due(), []);
  at(NOON + 5000);
  assert.deepEqual(queue.due(), [0]);
});

test('upgrade queue: blocks near the tip are looked at again when the tip is another', () => {
  const { queue, put } = made([attested(0, 100), attested(1, 900)], 1000);
  assert.deepEqual(queue.watched(tipAt(1000)), [1]);
  assert.deepEqual(queue.watched(tipAt(1000)), [], 'the same tip');
  assert.deepEqual(queue.watched(tipAt(1000, 'other')), [1], 'another of the same height');
  put(attested(2, 1000));
  queue.note(attested(2, 1000));
  assert.deepEqual(queue.watched(tipAt(1044)), [1, 2], 'batch 1 for the last time');
  assert.deepEqual(queue.watched(tipAt(1045)), [2]);
});

test('upgrade queue: after a long pause what was near the tip then is looked at once', () => {
  const { queue } = made([attested(0, 100), attested(1, 990)], 1000);
  assert.deepEqual(queue.watched(tipAt(5000)), [1]);
  assert.deepEqual(queue.watched(tipAt(5001)), []);
});

test('upgrade queue: what could not be looked at is looked at again with the same tip', () => {
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

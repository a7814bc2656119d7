import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '@assay/core/time/time';
import { BeaconHistory } from '@assay/verifier/bitcoin/beacon-history';
import type { CheckedBeacon } from '@assay/verifier/bitcoin/beacon-check';
import type { BitcoinTrust } from '@assay/verifier/verdict/verdict';

function beacon(
  height: number,
  time: number,
  trust: BitcoinTrust = 'work',
  stale = false,
): CheckedBeacon {
  const block = height.toString(16).padStart(64, '0');
  const facts = {
    height,
    block,
    time: formatTime(time),
    headers: 1,
    work: '2',
    trust,
    doubt: null,
  };
  return { facts, stale };
}

/** A history of beacons at entries 10, 20, 30 and so on. */
function historyOf(beacons: readonly CheckedBeacon[]): BeaconHistory {
  const history = new BeaconHistory();
  for (const [i, each] of beacons.entries()) {
    const place = history.note(10 * (i + 1), each.facts.height);
    assert.notEqual(place, undefined);
    history.checked(place as number, each);
  }
  history.settle();
  return history;
}

test('a beacon may be six below the highest before it, and no more', () => {
  const history = new BeaconHistory();
  assert.equal(history.note(1, 100), 0);
  assert.equal(history.note(2, 94), 1);
  assert.equal(history.note(3, 93), undefined);
  // It is still the highest that counts, not the newest.
  assert.equal(history.note(4, 93), undefined);
  assert.deepEqual(
    [1, 2, 9].map((seq) => history.heightBefore(seq)),
    [undefined, 100, 100],
  );
});

test('the highest counts, not the newest, and of equals the newest', () => {
  const history = historyOf([beacon(5, 1000), beacon(9, 2000), beacon(7, 3000), beacon(9, 4000)]);
  assert.deepEqual(
    [10, 11, 21, 31, 41].map((seq) => history.highestBefore(seq)?.seq),
    [undefined, 10, 20, 20, 40],
  );
});

test('below a height: what was known before any block as high', () => {
  const history = historyOf([beacon(5, 1000), beacon(9, 2000), beacon(7, 3000)]);
  assert.deepEqual(
    [6, 8, 9, 10].map((below) => history.highestBefore(99, below)?.height),
    [5, 5, 5, 9],
  );
  assert.equal(history.highestBefore(99, 5), undefined);
});

test('a stale one counts for nothing, and only what is vouched for as vouched', () => {
  const history = historyOf([
    beacon(5, 3000),
    beacon(9, 9000, 'work', true),
    beacon(7, 5000, 'none'),
  ]);
  assert.equal(history.highestBefore(99)?.height, 7);
  const { vouched, latest } = history.latestBefore(99) ?? {};
  assert.deepEqual([vouched?.height, latest?.height], [5, 7]);
  assert.equal(history.latestBefore(10), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestBeacon } from '@assay/core/view/beacons';
import { MemoryViews } from '@assay/core/view/state';
import { appendBeacon, HEADER } from '../fixture/anchor-fixture.ts';
import { smallLog } from './small-log.ts';

/** The first block of Bitcoin's regtest, as its nodes print it. */
const BLOCK = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';

test('beacons view: a block by its place in the log, with its id and time from the header', () => {
  const log = smallLog();
  assert.equal(newestBeacon(log.views), undefined);
  const seq = log.entries.length;
  appendBeacon(log, 7);
  assert.deepEqual(newestBeacon(log.views), {
    seq,
    height: 7,
    hash: BLOCK,
    time: 1_296_688_602,
    header: HEADER,
  });
});

test('beacons view: the newest before an entry, whatever the heights are', () => {
  const log = smallLog();
  const first = log.entries.length;
  appendBeacon(log, 9);
  log.append('note/1', { text: 'Between.' });
  appendBeacon(log, 8);
  const at = (seq?: number): number | undefined => newestBeacon(log.views, seq)?.height;
  assert.deepEqual(
    [at(), at(first), at(first + 1), at(first + 2), at(first + 3)],
    [8, undefined, 9, 9, 8],
  );
  assert.equal(newestBeacon(new MemoryViews(), 5), undefined);
});

test('beacons view: entry 10 comes after entry 9', () => {
  const log = smallLog();
  while (log.entries.length < 110) appendBeacon(log, log.entries.length);
  for (const seq of [12, 20, 99, 100, 101, 110]) {
    assert.equal(newestBeacon(log.views, seq)?.height, seq - 1);
  }
});

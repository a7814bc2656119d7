import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import { compareFeedKeys } from '@assay/core/feed/feed-keys';
import { keysOf } from '@assay/core/view/key/keys';
import { GENESIS, SampleLog, sha256 } from '../fixture/fixture.ts';
import {
  committed,
  FIRST,
  FOURTH,
  FRESH,
  RECOVERY,
  RECOVERY_2,
  recovery,
  rotation,
  SECOND,
  THIRD,
} from '../fixture/key-fixture.ts';

type Keys = Pick<FeedAccount, 'publisher' | 'nextHash' | 'recoveryHash' | 'rotation'>;

const begun: Keys = {
  publisher: FIRST.key as HashHex,
  nextHash: committed(SECOND),
  recoveryHash: committed(RECOVERY),
  rotation: null,
};

function waiting(coming: string, afterHash: HashHex, from: Keys = begun): Keys {
  return { ...from, rotation: { effective: 5n, coming: coming as HashHex, afterHash } };
}

function logOf(...bodies: readonly object[]): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  for (const body of bodies) log.append('key/1', body);
  return log;
}

const { log: ID } = logOf();
const unrotated = logOf();
const planned = logOf(rotation(ID));
const stolen = logOf(recovery(ID));
const both = logOf(rotation(ID), recovery(ID, { number: 2, replaces: SECOND.key }));

function compared(
  { views }: SampleLog,
  keys: Keys,
): readonly [string, number | undefined, boolean] {
  const { differences, number, unlogged } = compareFeedKeys(
    keys as FeedAccount,
    keysOf(views),
    sha256,
  );
  return [differences.map(({ field }) => field).join(), number, unlogged !== undefined];
}

test('feed keys: as the log began', () => {
  assert.deepEqual(compared(unrotated, begun), ['', 0, false]);
  for (const [field, change] of [
    ['publisher', { publisher: SECOND.key as HashHex }],
    ['nextHash', { nextHash: committed(THIRD) }],
    ['recoveryHash', { recoveryHash: committed(THIRD) }],
  ] as const) {
    assert.equal(compared(unrotated, { ...begun, ...change })[0], field);
  }
});

test('feed keys: the promised step may wait without an entry, any other may not', () => {
  const promised = waiting(SECOND.key, committed(THIRD));
  assert.deepEqual(compared(unrotated, promised), ['', 0, true]);
  assert.deepEqual(compared(planned, promised), ['', 1, false]);
  assert.equal(compared(unrotated, waiting(FRESH.key, committed(THIRD)))[0], 'rotation');
  // The log has gone on to a key that the recovery key chose: the promise before it is void.
  assert.equal(compared(stolen, promised)[0], 'rotation');
  // With another key behind it than the log says.
  assert.equal(compared(planned, waiting(SECOND.key, committed(FOURTH)))[0], 'rotation');
  // Back to a key before.
  const second: Keys = { ...begun, publisher: SECOND.key as HashHex, nextHash: committed(THIRD) };
  assert.equal(compared(planned, waiting(FIRST.key, committed(SECOND), second))[0], 'rotation');
});

test('feed keys: a feed may be behind, and go in steps of its own', () => {
  assert.deepEqual(compared(both, begun), ['', 0, false]);
  const second: Keys = { ...begun, publisher: SECOND.key as HashHex, nextHash: committed(THIRD) };
  assert.deepEqual(compared(both, second), ['', 1, false]);
  // A feed that was made later commits to the key in force at once.
  const late: Keys = { ...begun, nextHash: committed(FRESH), recoveryHash: committed(RECOVERY_2) };
  assert.deepEqual(compared(both, late), ['', 0, false]);
  assert.deepEqual(compared(both, waiting(FRESH.key, committed(FOURTH), late)), ['', 2, false]);
  const there: Keys = { ...late, publisher: FRESH.key as HashHex, nextHash: committed(FOURTH) };
  assert.deepEqual(compared(both, there), ['', 2, false]);
  assert.equal(compared(planned, late)[0], 'nextHash,recoveryHash');
});

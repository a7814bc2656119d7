import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import { keysOf } from '@assay/core/view/key/keys';
import { feedStep } from '@assay/node/feed/feed-step';
import { GENESIS, SampleLog, sha256 } from '../../core/fixture/fixture.ts';
import {
  committed,
  FIRST,
  FOURTH,
  FRESH,
  recovery,
  rotation,
  SECOND,
  THIRD,
} from '../../core/fixture/key-fixture.ts';

const NOW = 100;
const begun = {
  publisher: FIRST.key as HashHex,
  nextHash: committed(SECOND),
  rotation: null,
} as unknown as FeedAccount;

function waiting(effective: number, coming: string, afterHash: HashHex): FeedAccount {
  return {
    ...begun,
    rotation: { effective: BigInt(effective), coming: coming as HashHex, afterHash },
  };
}

function step(feed: FeedAccount, ...bodies: readonly ((log: HashHex) => object)[]): object {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  for (const body of bodies) log.append('key/1', body(log.log));
  return feedStep(feed, keysOf(log.views), sha256, NOW);
}

test('feed step: the chain first, and the log when the promised key is in force there', () => {
  assert.deepEqual(step(begun), {
    kind: 'due',
    publisher: FIRST.key,
    nextHash: committed(SECOND),
    afterHash: undefined,
  });
  const asked = waiting(NOW + 1, SECOND.key, committed(THIRD));
  assert.deepEqual(step(asked), { kind: 'waits', key: SECOND.key, effective: BigInt(NOW + 1) });
  const there = waiting(NOW, SECOND.key, committed(THIRD));
  const done = { kind: 'done', key: SECOND.key, afterHash: committed(THIRD) };
  assert.deepEqual(step(there), done);
  assert.deepEqual(
    step(there, (log) => rotation(log)),
    {
      kind: 'due',
      publisher: SECOND.key,
      nextHash: committed(THIRD),
      afterHash: undefined,
    },
  );
});

test('feed step: a feed follows a log that has gone ahead, where it has promised a key of the log', () => {
  const toSecond = (log: HashHex) => recovery(log, { key: SECOND.key }, { new: SECOND });
  assert.deepEqual(step(begun, toSecond), {
    kind: 'due',
    publisher: FIRST.key,
    nextHash: committed(SECOND),
    afterHash: committed(FOURTH),
  });
  // By way of a key in between.
  const thenFresh = (log: HashHex) => recovery(log, { number: 2, replaces: SECOND.key });
  assert.deepEqual(
    step(begun, (log) => rotation(log), thenFresh),
    {
      kind: 'due',
      publisher: FIRST.key,
      nextHash: committed(SECOND),
      afterHash: committed(FRESH),
    },
  );
  // The promised key was given up: this feed never comes to the log's.
  assert.deepEqual(
    step(begun, (log) => recovery(log)),
    { kind: 'stuck', publisher: FIRST.key },
  );
  assert.deepEqual(step({ ...begun, publisher: THIRD.key as HashHex }), {
    kind: 'stuck',
    publisher: THIRD.key,
  });
});

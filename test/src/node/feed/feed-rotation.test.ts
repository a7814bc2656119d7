import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keySigner } from '@assay/chain/client/key-signer';
import type { HashHex } from '@assay/core/hash/hash';
import { reportKeyAt } from '@assay/core/view/key/keys';
import { REPORT_SIGNER, testSigner } from '../ledger/ledger-fixture.ts';
import {
  hexOf,
  promised,
  recoveryTo2,
  REPORT_KEYS,
  rotationTo1,
} from '../../verifier/fixture/rotated-log.ts';
import { DAY_S, FeedWorld, TICKER, WEEK } from './feed-world.ts';

const [FIRST, SECOND, THIRD] = REPORT_KEYS;

/** Starts the node's loop again with the keys that it has now. */
async function restart(world: FeedWorld): Promise<void> {
  await world.feeds.stop();
  world.feeds = world.makeFeeds();
}

test('rotation: every print comes to the chain, before, between and after', async () => {
  const world = await FeedWorld.make();
  const log = world.ledger.log as HashHex;
  const posted: string[] = [];
  const post = async (period: string): Promise<void> => {
    await world.final(period);
    await world.poll();
    posted.push(period);
    assert.deepEqual(
      world
        .posted()
        .filter(({ of }) => of === 'print')
        .map((each) => each.period),
      posted,
      world.reasons().join('\n'),
    );
  };
  await post(WEEK);
  const client = world.client();
  const [old, next] = [FIRST, SECOND].map(keySigner);
  assert.ok(old !== undefined && next !== undefined);
  const asked = await client.rotate(old, next, TICKER, promised(testSigner(5)));
  assert.equal(asked.kind, 'sent');
  assert.equal((await client.rotate(old, next, TICKER, promised(testSigner(5)))).kind, 'there');
  // The week that the chain waits: the old key's, there as in the log.
  world.otherPublishers = [SECOND];
  world.go(3 * DAY_S);
  await restart(world);
  await post('2026-08-01');
  // The chain has the new key, and the log does not yet.
  world.go(7 * DAY_S);
  await post('2026-08-08');
  // The log follows.
  await world.append({ kind: 'key/1', body: rotationTo1(log) });
  world.publisher = SECOND;
  world.otherPublishers = [REPORT_SIGNER];
  assert.equal(reportKeyAt(world.ledger.tip), hexOf(SECOND));
  world.go(7 * DAY_S);
  await restart(world);
  await post('2026-08-15');
  // After a theft the log goes first: the feed takes its own key's word on.
  await world.append({ kind: 'key/1', body: recoveryTo2(log) });
  world.publisher = THIRD;
  world.otherPublishers = [REPORT_SIGNER, SECOND];
  world.go(7 * DAY_S);
  await restart(world);
  await post('2026-08-22');
  assert.deepEqual(world.reasons(), []);
  await world.end();
});

test('rotation: without the key that the feed has nothing is posted, and that is reported', async () => {
  const world = await FeedWorld.make();
  await world.final();
  await world.poll();
  const [old, next] = [FIRST, SECOND].map(keySigner);
  assert.ok(old !== undefined && next !== undefined);
  await world.client().rotate(old, next, TICKER, promised(testSigner(5)));
  world.go(8 * DAY_S);
  await world.final('2026-08-01');
  await world.poll();
  assert.equal(world.posted().length, 1);
  assert.ok(
    world.reasons().some((reason) => reason.includes('2026-08-01')),
    world.reasons().join('\n'),
  );
  // A change that waits can be taken back, once.
  const client = world.client();
  const recovery = keySigner(testSigner(4));
  await assert.rejects(client.cancel(recovery, TICKER, ['rotation']), {
    code: 'refused',
    at: 'no_rotation',
  });
  await client.rotate(next, keySigner(testSigner(5)), TICKER, promised(testSigner(7)));
  assert.equal((await client.cancel(recovery, TICKER, ['rotation'])).kind, 'sent');
  assert.equal((await client.feed(TICKER))?.account.rotation, null);
  await world.end();
});

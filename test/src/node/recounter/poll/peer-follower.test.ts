import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryViews } from '@assay/core/view/state';
import type { Followed } from '@assay/node/mirror/log-mirror';
import { PeerFollower } from '@assay/node/recounter/poll/peer-follower';
import { RELEASE } from '../../cosign/cosigner-fixture.ts';
import { KEY } from '../../mirror/mirror-fixture.ts';
import { Disk, heldOf, recounterOn, TestPublisher } from '../recounter-world.ts';

const { signal } = new AbortController();
const DONE: Followed = { kind: 'followed', size: 0, grew: 0 };

/** A peer that answers when it is told to, or when it is given up. */
function slowPeer() {
  const polls: ((followed: Followed) => void)[] = [];
  const follow = (stop?: AbortSignal): Promise<Followed> =>
    new Promise((resolve, reject) => {
      polls.push(resolve);
      stop?.addEventListener('abort', () => reject(stop.reason as Error));
    });
  return { polls, follow, shown: new MemoryViews() };
}

test('peer follower: each peer has turns of its own, and nobody waits for another', async () => {
  const [slow, quick] = [slowPeer(), slowPeer()];
  const peers = new Map([
    ['slow', slow],
    ['quick', quick],
  ]);
  const turns = new PeerFollower({ peers, onError: () => assert.fail() });
  turns.begin(signal);
  quick.polls[0]?.(DONE);
  await new Promise(setImmediate);
  turns.begin(signal);
  assert.deepEqual([slow.polls.length, quick.polls.length], [1, 2]);
  const rows = () => turns.rows;
  assert.equal(rows(), undefined, 'one has had no turn yet');
  slow.polls[0]?.(DONE);
  quick.polls[1]?.(DONE);
  await turns.settled();
  assert.equal(rows()?.size, 0);
});

test('peer follower: a turn ends with its time, and with the process', async () => {
  const slow = slowPeer();
  const told: string[] = [];
  const turns = new PeerFollower({
    peers: new Map([['slow', slow]]),
    turnMs: 1,
    onError: (url, reason) => told.push(`${url} ${reason}`),
  });
  turns.begin(signal);
  await turns.settled();
  assert.match(told.join(), /^slow peer: expected an answer within 1 ms/);
  const stop = new AbortController();
  turns.begin(stop.signal);
  stop.abort();
  await turns.settled();
  assert.equal(told.length, 1);
});

test('peer follower: a recounter speaks while a peer keeps it waiting', async (t) => {
  const publisher = await TestPublisher.open();
  t.after(() => publisher.down());
  const disk = await Disk.make();
  const url = 'http://peer.example';
  const reader = {
    get: (_path: string, _most: number, stop?: AbortSignal) =>
      new Promise<never>((_, reject) => {
        stop?.addEventListener('abort', () => reject(stop.reason as Error));
      }),
  };
  const peers = [{ url, reader, key: KEY, logId: null }];
  const { running } = await recounterOn(disk, publisher, { peers });
  t.after(() => running.close());
  await running.follow();
  publisher.world.at(RELEASE);
  const row = await publisher.world.round();
  assert.ok(row !== undefined);
  await running.follow();
  assert.equal(heldOf(publisher, row, disk.key), 'agree');
});

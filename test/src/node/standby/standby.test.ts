import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { Followed } from '@assay/node/mirror/log-mirror';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { BlobFollower } from '@assay/node/standby/blob-follower';
import { Standby } from '@assay/node/standby/standby';

const POLL_MS = 1;

interface World {
  size: number;
  answer: Followed | Error;
  confirmFails: boolean;
  covered: boolean;
  elapsed: number;
  readonly confirmed: number[];
  readonly errors: string[];
  polls: number;
}

/** A standby that stops by itself after `polls` polls. */
async function polled(world: Partial<World>, polls: number): Promise<readonly [Standby, World]> {
  const all: World = {
    size: 5,
    answer: { kind: 'followed', size: 5, grew: 0 },
    confirmFails: false,
    covered: true,
    elapsed: 100,
    confirmed: [],
    errors: [],
    polls: 0,
    ...world,
  };
  const blobs = new MemoryBlobStore();
  const standby = new Standby({
    mirror: {
      get size() {
        return all.size;
      },
      follow: () =>
        all.answer instanceof Error ? Promise.reject(all.answer) : Promise.resolve(all.answer),
    },
    blobs: new BlobFollower({
      sha256: nodeSha256,
      entry: () => Promise.resolve(undefined),
      blob: async (hash) => (await blobs.get(hash)) as Uint8Array,
    }),
    confirm: async (size) => {
      if (all.confirmFails) throw new Fault('unreachable', 'head guard');
      all.confirmed.push(size);
      return all.covered;
    },
    onTurn: () => Promise.resolve(),
    sleep: async (ms) => {
      if (ms === POLL_MS) all.polls += 1;
      if (all.polls >= polls) void standby.stop();
      await new Promise((resolve) => setImmediate(resolve));
    },
    pollMs: POLL_MS,
    elapsed: () => all.elapsed,
    onError: (what, reason) => all.errors.push(`${what}: ${reason}`),
  });
  standby.start();
  while (all.polls < polls) await new Promise((resolve) => setImmediate(resolve));
  await standby.stop();
  return [standby, all];
}

test('standby: what is durable here is confirmed at each poll', async () => {
  const [standby, { confirmed }] = await polled({}, 3);
  assert.deepEqual(confirmed, [5, 5, 5]);
  assert.deepEqual(standby.status, {
    size: 5,
    behind: 0,
    confirmed: 5,
    covered: true,
    missing: 0,
    polledS: 0,
  });
  assert.deepEqual(standby.concerns(), []);
});

test('standby: nothing is confirmed that is not here', async () => {
  const [, { confirmed }] = await polled(
    { size: 0, answer: { kind: 'followed', size: 0, grew: 0 } },
    2,
  );
  assert.deepEqual(confirmed, []);
});

test('standby: a publisher that does not answer is told, once', async () => {
  const answer = new Fault('unreachable', 'log server');
  const [standby, { errors }] = await polled({ answer }, 3);
  assert.equal(errors.length, 1);
  assert.match(
    standby
      .concerns()
      .map(({ reason }) => reason)
      .join(' '),
    /does not answer/,
  );
  assert.equal(standby.status.behind, undefined);
});

test('standby: an answer that is old is told', async () => {
  const [standby, world] = await polled({}, 1);
  world.elapsed += 61;
  assert.match(standby.concerns()[0]?.reason ?? '', /does not answer/);
});

test('standby: a head guard that cannot be told does not keep it from following', async () => {
  const [standby] = await polled({ confirmFails: true }, 2);
  assert.equal(standby.status.confirmed, 0);
  assert.equal(standby.status.behind, 0);
  assert.match(standby.concerns()[0]?.reason ?? '', /telling the head guard/);
});

test('standby: it is covered after two polls on end that found the batches in the head guard', async () => {
  assert.equal((await polled({}, 1))[0].status.covered, false);
  assert.equal((await polled({}, 2))[0].status.covered, true);
  const [standby] = await polled({ covered: false }, 3);
  assert.equal(standby.status.covered, false);
  assert.match(standby.concerns()[0]?.reason ?? '', /a promotion may refuse/);
});

test('standby: two histories halt it', async () => {
  const answer = { kind: 'forked', size: 5, grew: 0, evidence: {} } as Followed;
  const [standby] = await polled({ answer }, 1);
  assert.deepEqual(
    standby.concerns().map(({ level }) => level),
    ['halted'],
  );
});

test('standby: the request of an operator is taken while a poll hangs, and ends the poll', async () => {
  const seen = { turns: 0 };
  let ended = false;
  const standby = new Standby({
    mirror: {
      size: 5,
      // As a publisher whose process is paused: the connection stays, and no answer comes.
      follow: (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ended = true;
            reject(new Fault('stopped', 'log server'));
          });
        }),
    },
    blobs: new BlobFollower({
      sha256: nodeSha256,
      entry: () => Promise.resolve(undefined),
      blob: () => Promise.reject(new Fault('blob_missing', 'blob')),
    }),
    confirm: () => Promise.resolve(true),
    onTurn: () => {
      seen.turns += 1;
      return Promise.resolve();
    },
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
    pollMs: POLL_MS,
    elapsed: () => 0,
    onError: () => undefined,
  });
  standby.start();
  while (seen.turns < 3) await new Promise((resolve) => setImmediate(resolve));
  await standby.stop();
  assert.ok(ended);
});

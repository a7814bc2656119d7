import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '@assay/core/time/time';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ScoreFollower } from '@assay/node/terminal/tick/score-follower';
import { SOME_HASH } from '../../../core/fixture/fixture.ts';
import {
  CRYPTO_RULE_HASH,
  terminalLog,
  TerminalMarket,
} from '../../../core/terminal/terminal-log.ts';
import { shownRecord } from '../../api/terminal-world.ts';

const QUARTER = 900;

/** A follower of a market's log, and the blobs that it asked for. */
async function following(days: number, market = new TerminalMarket(days)) {
  const { log } = terminalLog(days);
  const store = new MemoryBlobStore();
  for (const blob of market.blobs.values()) await store.put(blob);
  const asked: string[] = [];
  const trouble: string[] = [];
  const follower = new ScoreFollower({
    record: shownRecord(log),
    blobs: {
      read: (hash) => {
        asked.push(hash);
        return store.read(hash);
      },
    },
    sha256: nodeSha256,
    onError: (tick, reason) => trouble.push(`${tick}: ${reason}`),
  });
  return { log, market, follower, asked, trouble, store };
}

test('score follower: the newest 30 days at the start, then each new tick once', async () => {
  const { log, market, follower, asked, trouble, store } = await following(32);
  await Promise.all([follower.follow(), follower.follow()]);
  assert.equal(asked.length, 30 * 96 + 1);
  assert.equal(new Set(asked).size, asked.length);
  const history = follower.history('crypto');
  assert.equal(history.newest, market.newest);
  assert.equal(history.hourly('BTC').length, 721);
  await follower.follow();
  assert.equal(asked.length, 30 * 96 + 1);

  const longer = new TerminalMarket(33);
  for (const blob of longer.blobs.values()) await store.put(blob);
  const next = formatTime(market.newest + QUARTER);
  const draft = longer.drafts.find(
    ({ kind, body }) => kind === 'tick/1' && (body as { ts: string }).ts === next,
  );
  log.append('tick/1', draft?.body ?? {}, draft?.at);
  await follower.follow();
  assert.equal(asked.length, 30 * 96 + 2);
  assert.equal(history.newest, market.newest + QUARTER);
  assert.deepEqual(trouble, []);
});

test('score follower: a tick whose leaves are not there is reported, and the others are shown', async () => {
  const { log, market, follower, trouble } = await following(1);
  const ts = formatTime(market.newest + QUARTER);
  const body = { class: 'crypto', ts, rule: CRYPTO_RULE_HASH, size: 1, root: SOME_HASH };
  log.append('tick/1', { ...body, blob: SOME_HASH }, formatTime(market.newest + QUARTER + 60));
  await follower.follow();
  assert.equal(trouble.length, 1);
  assert.match(trouble[0] ?? '', new RegExp(`^crypto ${ts}: blob ${SOME_HASH} cannot be read`));
  assert.equal(follower.history('crypto').newest, market.newest);
  await follower.follow();
  assert.equal(trouble.length, 1);
});

test('score follower: who follows waits for the tick that is being read, and each is a version', async () => {
  const { log, market } = terminalLog(1);
  const store = new MemoryBlobStore();
  for (const blob of market.blobs.values()) await store.put(blob);
  let release = (): void => assert.fail('nothing is read');
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked: string[] = [];
  const follower = new ScoreFollower({
    record: shownRecord(log),
    blobs: {
      async read(hash) {
        if (asked.push(hash) === 97) await held;
        return store.read(hash);
      },
    },
    sha256: nodeSha256,
    onError: assert.fail,
  });
  assert.deepEqual([follower.behind, follower.version], [true, 0]);
  const first = follower.follow();
  while (asked.length < 97) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([follower.behind, follower.version], [true, 96]);
  let isDone = false;
  const second = follower.follow().then(() => {
    isDone = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isDone, false);
  release();
  await Promise.all([first, second]);
  assert.equal(follower.history('crypto').newest, market.newest);
  assert.deepEqual([follower.behind, follower.version], [false, 97]);
});

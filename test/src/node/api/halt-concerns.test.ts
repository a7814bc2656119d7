import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { formatTime } from '@assay/core/time/time';
import { haltConcerns } from '@assay/node/api/halt-concerns';
import { CLASS_GRIDS } from '@assay/node/api/terminal-routes';
import { unreadableRecord } from '@assay/node/ledger/record';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ScoreFollower } from '@assay/node/terminal/tick/score-follower';
import { terminalLog } from '../../core/terminal/terminal-log.ts';
import { shownRecord } from './terminal-world.ts';

test('halt concerns: each class that is halted, and since when, once what is published is taken up', async () => {
  const { log, market } = terminalLog(1);
  const blobs = new MemoryBlobStore();
  for (const blob of market.blobs.values()) await blobs.put(blob);
  const record = shownRecord(log);
  const scores = new ScoreFollower({ record, blobs, sha256: nodeSha256, onError: assert.fail });
  let time = market.newest + 60;
  const concerns = haltConcerns({ record, now: () => time, scores, grids: CLASS_GRIDS });
  const words = (): readonly string[] =>
    concerns().map(({ level, reason }) => `${level} ${reason}`);
  // Nothing is known yet: nothing is said, and what is published is taken up.
  time = market.newest + 1800;
  assert.deepEqual(words(), []);
  await scores.follow();
  const since = `halted The Terminal is halted for crypto: no good tick since ${formatTime(market.newest)}.`;
  assert.deepEqual(words(), [since]);
  time -= 1;
  assert.deepEqual(words(), []);
  const about = { name: 'Apple', class: 'stock', decimals: 2, listed: true, display: true };
  log.append('asset/1', { symbol: 'AAPL', ...about }, formatTime(time));
  const stock = 'The Terminal is halted for stock: no good tick yet.';
  assert.deepEqual(words(), [`degraded ${stock}`], 'one of two');
  time += 1;
  assert.deepEqual(words(), [since, `halted ${stock}`], 'both');
});

test('halt concerns: a record that cannot be read says so itself', () => {
  const record = unreadableRecord(new Fault('ledger_corrupt', 'ledger'));
  const scores = {} as ScoreFollower;
  const concerns = haltConcerns({ record, now: () => 0, scores, grids: CLASS_GRIDS });
  assert.deepEqual(concerns(), []);
});

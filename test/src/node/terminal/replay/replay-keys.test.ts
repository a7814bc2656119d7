import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { replaySeed } from '@assay/node/terminal/replay/replay-keys';

/** Made with another implementation, from docs/spec/replay.md. */
const SEEDS = [
  ['report', 'b404fcbbff5fbef135268d1061e0e5197ed545eac5ba1b3484154d90e03dd00e'],
  ['checkpoint', '05c445db832d26cce4038071a03f8e91039d92e00c7d206b1e7ec5dfab905bb6'],
  ['next-report', '853748ae21571f2b634ab32ac6b8174b6f489d938f1eb78dd6fd78468b133bc5'],
  ['recovery', 'aa8f21560a63b0ecc5b0ad1cc0323a996ffa981890da32193a5ab99d115b0e6b'],
  ['salts', 'b8b411e2c67c238783bb98f1bdffe79150cc52d9f56fc6de3c65f89f7133466a'],
] as const;

test('replay keys: what everybody gets from the page', () => {
  for (const [purpose, seed] of SEEDS) {
    assert.equal(formatHex(replaySeed(nodeSha256, purpose)), seed);
  }
});

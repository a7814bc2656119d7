import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BITCOIN, bitcoinNetworkOf, DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { blockId, headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { meetsTarget, targetOf } from '@assay/core/bitcoin/work';
import { sha256 } from '../fixture/fixture.ts';

test('bitcoin network: the first headers have the ids that all the world knows', () => {
  const ids = [BITCOIN, DEVELOPMENT].map((network) => {
    const hash = headerHash(sha256, network.genesis);
    assert.ok(meetsTarget(hash, network.limit), network.name);
    assert.equal(parseHeader(network.genesis).bits, network.limit);
    return blockId(hash);
  });
  assert.deepEqual(ids, [
    '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
    '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
  ]);
});

test('bitcoin network: a production log is stamped on the main chain, a development log never', () => {
  assert.equal(bitcoinNetworkOf('production'), BITCOIN);
  assert.equal(bitcoinNetworkOf('development'), DEVELOPMENT);
  assert.ok(targetOf(DEVELOPMENT.limit) > targetOf(BITCOIN.limit));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { developmentSource } from '@assay/node/dev/bitcoin/development-source';
import { HeaderFollower } from '@assay/node/bitcoin/header-follower';

const START = 1_800_000_000;

test('development source: the chain comes up to now, and a follower takes it', async () => {
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  let now = START;
  const source = developmentSource(chain, () => now);
  assert.equal(await source.tip(), 1);
  now += 200 * 600;
  assert.equal(await source.tip(), 201);
  assert.equal((await source.headers(199, 10)).length, 3);
  await assert.rejects(async () => source.headers(-1, 1), TypeError);
  const follower = new HeaderFollower({ network: DEVELOPMENT, sources: [source] });
  await follower.refresh();
  assert.equal(follower.tip?.id, chain.tip.id);
  const id = (await follower.confirmed(190))?.id;
  chain.reorganise(20);
  const { reorganised, concerns } = await follower.refresh();
  assert.deepEqual([reorganised, concerns, follower.tip?.height], [20, [], 202]);
  assert.equal((await follower.confirmed(190))?.id, chain.block(190)?.id);
  assert.notEqual(chain.block(190)?.id, id);
  // What a caller does to a header is not done to the chain.
  (await source.headers(5, 1))[0]?.fill(0);
  assert.equal((await source.headers(5, 1))[0]?.[3], 0x20);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closeAddress,
  DEVELOPMENT_PROGRAM,
  feedAddress,
  pageAddress,
} from '@assay/chain/addresses';
import { type ChainRpc, chainId } from '@assay/chain/client/rpc';
import type { DevelopmentChain } from '@assay/chain/development/development-chain';
import { answerRpc } from '@assay/chain/development/json-rpc';
import { kitRpc } from '@assay/chain/development/kit-transport';
import { formatHex } from '@assay/core/bytes/hex';
import { formatPage, parsePage } from '@assay/core/feed/page-account';
import { reportHash } from '@assay/core/report/report';
import { parseDate, toDate } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { createSolanaRpcFromTransport } from '@solana/kit';
import { SKIP } from '../../chain/development/world.ts';
import { REPORT_SIGNER } from '../ledger/ledger-fixture.ts';
import { FeedWorld, TICKER } from './feed-world.ts';

const OTHER = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const SYSTEM = '11111111111111111111111111111111' as const;

/** A node that says it is of another chain while `other` holds, told of each method before it is answered. */
function movingRpc(chain: DevelopmentChain, other: (method: string) => boolean): ChainRpc {
  return createSolanaRpcFromTransport(async <Response>({ payload }: { payload: unknown }) => {
    await Promise.resolve();
    const { method } = payload as { readonly method: string };
    const isOther = other(method);
    const answer = answerRpc(payload, chain.methods) as { result: unknown };
    if (isOther && method === 'getGenesisHash') answer.result = OTHER;
    return answer as Response;
  });
}

test('feeds: an RPC that becomes another chain’s posts nothing there', { skip: SKIP }, async () => {
  let other = false;
  const world = await FeedWorld.make({ rpc: (chain) => movingRpc(chain, () => other) });
  world.goTo('2026-07-30T14:30:00Z');
  await world.final('2026-07-18');
  await world.poll();
  const ran = world.ran();
  other = true;
  await world.final();
  await world.poll();
  world.go(1000);
  await world.poll();
  assert.equal(world.ran(), ran);
  assert.equal(world.posted().length, 1);
  const own = await chainId(kitRpc(world.chain));
  assert.deepEqual(world.reasons(), [
    `Nothing is posted on chain: the RPC is of solana:${OTHER.slice(0, 32)}, and the log names ${own}.`,
  ]);
  other = false;
  await world.poll();
  assert.equal(world.posted().length, 2);
  assert.deepEqual(world.reasons(), []);
  await world.end();
});

test(
  'feeds: what stands on a chain that is another’s by then is not written into the log',
  { skip: SKIP },
  async () => {
    let armed = false;
    let other = false;
    const world = await FeedWorld.make({
      rpc: (chain) =>
        movingRpc(chain, (method) => {
          if (armed && method === 'sendTransaction') other = true;
          return other;
        }),
    });
    world.goTo('2026-07-30T14:30:00Z');
    await world.final('2026-07-18');
    await world.poll();
    armed = true;
    await world.final();
    await world.poll();
    assert.equal(world.posted().length, 1);
    [armed, other] = [false, false];
    await world.poll();
    assert.equal(world.posted().length, 2);
    await world.end();
  },
);

test(
  'feeds: what the log says stands and the chain lacks is posted again, and written once',
  { skip: SKIP },
  async () => {
    const world = await FeedWorld.make();
    world.goTo('2026-07-30T14:30:00Z');
    const final = await world.final();
    await world.close('2026-07-29', reportHash(nodeSha256, final));
    await world.poll();
    const count = world.posted().length;
    assert.equal(count, 2);
    const { ledger } = world.chain;
    const key = formatHex(REPORT_SIGNER.publicKey);
    const [feed] = await feedAddress(DEVELOPMENT_PROGRAM, key, TICKER);
    const [page] = await pageAddress(DEVELOPMENT_PROGRAM, feed, 92);
    const [close] = await closeAddress(DEVELOPMENT_PROGRAM, feed, parseDate(toDate('2026-07-29')));
    const bytes = ledger.account(page)?.data;
    assert.ok(bytes !== undefined);
    const slots = Array.from({ length: 32 }, () => null);
    const data = formatPage({ ...parsePage(bytes), slots });
    ledger.setAccount({ address: page, owner: DEVELOPMENT_PROGRAM, lamports: 100_000_000n, data });
    ledger.setAccount({
      address: close,
      owner: SYSTEM as never,
      lamports: 1n,
      data: new Uint8Array(),
    });
    world.go(700);
    await world.poll();
    assert.match(
      world.reasons().join(),
      /The log says that report [0-9a-f]{64} of LAYOFFS 2026-07-25/,
    );
    assert.match(world.reasons().join(), /The log says that the Close [0-9a-f]{64} of 2026-07-29/);
    world.go(15);
    await world.poll();
    assert.deepEqual(world.reasons(), [], 'it stands again, and that was looked at');
    assert.equal(world.posted().length, count);
    const client = world.client();
    assert.equal(
      (await client.page(feed, 92))?.account.slots.filter((slot) => slot !== null).length,
      1,
    );
    assert.equal(
      (await client.closeAccount(feed, parseDate(toDate('2026-07-29'))))?.account.hashes.length,
      1,
    );
    await world.end();
  },
);

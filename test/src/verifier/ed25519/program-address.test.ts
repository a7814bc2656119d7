import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeAddress, feedAddress, pageAddress } from '@assay/chain/addresses';
import { parseBase58 } from '@assay/core/bytes/base58';
import { formatHex } from '@assay/core/bytes/hex';
import type { Ticker } from '@assay/core/rule/ticker';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  feedAddresses,
  FeedAddresses,
  programAddress,
} from '@assay/verifier/ed25519/program-address';
import { type Address, getProgramDerivedAddress } from '@solana/kit';
import fc from 'fast-check';
import { CHAIN, PROGRAM } from '../fixture/chained-log.ts';

const program = PROGRAM as Address;
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(formatHex);
const ticker = fc.constantFrom(...(['A', 'LAYOFFS', 'ABCDEFGHIJKLMNOP'] as Ticker[]));

test('the addresses that another library derives, bumps and all', async () => {
  await fc.assert(
    fc.asyncProperty(key, ticker, fc.nat(), fc.integer(), async (genesis, of, index, day) => {
      const own = new FeedAddresses(nodeSha256, PROGRAM, genesis);
      const [feed, feedBump] = await feedAddress(program, genesis, of);
      const [page, pageBump] = await pageAddress(program, feed, index);
      const [close, closeBump] = await closeAddress(program, feed, day);
      const plain = ({ address, bump }: { address: string; bump: number }): unknown[] => [
        address,
        bump,
      ];
      assert.deepEqual(plain(own.feed(of)), [feed, feedBump]);
      assert.deepEqual(plain(own.page(of, index)), [page, pageBump]);
      assert.deepEqual(plain(own.close(of, day)), [close, closeBump]);
      assert.deepEqual(plain(own.close(of, day)), [close, closeBump]);
    }),
  );
});

test('any seeds: the same first bump off the curve', async () => {
  const seeds = fc.array(fc.uint8Array({ maxLength: 32 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(seeds, async (each) => {
      const [address, bump] = await getProgramDerivedAddress({
        programAddress: program,
        seeds: each,
      });
      const found = programAddress(nodeSha256, parseBase58(PROGRAM, 32), each);
      assert.deepEqual([found.address, found.bump], [address, bump]);
    }),
    { numRuns: 300 },
  );
});

test('a log without a chain, or with a program that is no address, has none', () => {
  const report_key = 'ab'.repeat(32);
  assert.equal(feedAddresses(nodeSha256, { chain: null, program: null, report_key }), undefined);
  const bad = { chain: CHAIN, program: '1'.repeat(44), report_key };
  assert.equal(feedAddresses(nodeSha256, bad), undefined);
  assert.notEqual(feedAddresses(nodeSha256, { ...bad, program: PROGRAM }), undefined);
});

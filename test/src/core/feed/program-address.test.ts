import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeAddress, feedAddress, pageAddress } from '@assay/chain/addresses';
import { parseBase58 } from '@assay/core/bytes/base58';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Ticker } from '@assay/core/rule/ticker';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { feedAddresses, FeedAddresses, programAddress } from '@assay/core/feed/program-address';
import {
  type Address,
  getAddressEncoder,
  getProgramDerivedAddress,
  type ReadonlyUint8Array,
} from '@solana/kit';
import fc from 'fast-check';
import { CHAIN, PROGRAM } from '../../verifier/fixture/chained-log.ts';

const program = PROGRAM as Address;
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(formatHex);
const ticker = fc.constantFrom(...(['A', 'LAYOFFS', 'ABCDEFGHIJKLMNOP'] as Ticker[]));

/** Four bytes, the lowest first. */
function fourBytes(value: number): Uint8Array {
  return new Uint8Array(new Int32Array([value]).buffer);
}

test('the addresses that another library derives, bumps and all', async () => {
  const text = (of: string): Uint8Array => new TextEncoder().encode(of);
  const base58 = getAddressEncoder();
  const derived = async (...seeds: ReadonlyUint8Array[]): Promise<Address> => {
    const [address, bump] = await getProgramDerivedAddress({ programAddress: program, seeds });
    bumps.push(bump);
    return address;
  };
  let bumps: number[] = [];
  await fc.assert(
    fc.asyncProperty(key, ticker, fc.nat(), fc.integer(), async (genesis, of, index, day) => {
      bumps = [];
      const feed = await derived(text('series'), parseHex(genesis, 32), text(of.padEnd(16, '\0')));
      const page = await derived(text('page'), base58.encode(feed), fourBytes(index));
      const close = await derived(text('close'), base58.encode(feed), fourBytes(day));
      const own = new FeedAddresses(nodeSha256, PROGRAM, genesis);
      // The second time each comes from what is known.
      for (let i = 0; i < 2; i += 1) {
        const found = [own.feed(of), own.page(of, index), own.close(of, day)];
        assert.deepEqual(
          found.map(({ address }) => address),
          [feed, page, close],
        );
        assert.deepEqual(
          found.map(({ bump }) => bump),
          bumps,
        );
      }
      assert.deepEqual(await feedAddress(program, genesis, of), [feed, bumps[0]]);
      assert.deepEqual(await pageAddress(program, feed, index), [page, bumps[1]]);
      assert.deepEqual(await closeAddress(program, feed, day), [close, bumps[2]]);
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

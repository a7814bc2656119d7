import assert from 'node:assert/strict';
import type { VenueRpc } from '@assay/chain/venue';
import { type Address, createSolanaRpcFromTransport, type RpcTransport } from '@solana/kit';
import type { World } from './world.ts';

/** What was asked for: addresses and commitment. */
export type Asked = readonly [readonly Address[], string];

/** The one method that a venue calls, over a world's accounts; `asked` grows with each call. */
export function venueRpc(world: World, asked: Asked[] = []): VenueRpc {
  return createSolanaRpcFromTransport(
    async <Response>({ payload, signal }: Parameters<RpcTransport>[0]) => {
      signal?.throwIfAborted();
      const { method, params } = payload as {
        method: string;
        params: readonly [readonly Address[], { commitment: string; encoding: string }];
      };
      assert.equal(method, 'getMultipleAccounts');
      const [addresses, config] = params;
      assert.equal(config.encoding, 'base64');
      // Kit leaves out what is an RPC's default.
      asked.push([addresses, config.commitment ?? 'finalized']);
      const value = addresses.map((each) => {
        const account = world.account(each);
        return account === undefined
          ? null
          : {
              data: [Buffer.from(account.data).toString('base64'), 'base64'],
              owner: account.programAddress,
              executable: false,
              lamports: 1n,
              space: BigInt(account.data.length),
            };
      });
      return { jsonrpc: '2.0', id: '1', result: { context: { slot: 1n }, value } } as Response;
    },
  );
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fetchAccount,
  fetchAccounts,
  fetchBalance,
  fetchRent,
  fetchSlot,
} from '@assay/chain/deploy/fetched-account';
import { httpRpc } from '@assay/chain/client/rpc';
import { openDevelopmentChain } from '@assay/chain/development/development-chain';
import { kitRpc } from '@assay/chain/development/kit-transport';
import { SKIP, TestClock } from '../development/world.ts';
import { partyOf } from '../fixture/party.ts';

test('fetched account: bytes, owner, and the slot of the reading', { skip: SKIP }, async () => {
  const chain = await openDevelopmentChain({ now: new TestClock().now, tickMs: 0 });
  const [{ signer }, owner] = [await partyOf('an account'), await partyOf('its owner')];
  const rpc = kitRpc(chain);
  assert.equal(await fetchAccount(rpc, signer.address), undefined);
  const data = Uint8Array.of(1, 2, 3);
  const account = { address: signer.address, owner: owner.signer.address, lamports: 7_000_000n };
  chain.ledger.setAccount({ ...account, data });
  assert.deepEqual(await fetchAccount(rpc, signer.address), {
    ...account,
    data,
    slot: BigInt(chain.ledger.slot),
  });
});

test(
  'fetched account: several, those that are not there, and no older slot than asked for',
  { skip: SKIP },
  async () => {
    const chain = await openDevelopmentChain({ now: new TestClock().now, tickMs: 0 });
    const [{ signer }, nobody] = [await partyOf('an account'), await partyOf('nobody at all')];
    const rpc = kitRpc(chain);
    chain.ledger.airdrop(signer.address, 5_000_000n);
    const addresses = [nobody.signer.address, signer.address];
    const [none, found] = await fetchAccounts(rpc, addresses, await fetchSlot(rpc));
    assert.equal(none, undefined);
    assert.equal(found?.lamports, 5_000_000n);
    assert.equal(await fetchBalance(rpc, signer.address), 5_000_000n);
    assert.equal(await fetchBalance(rpc, nobody.signer.address), 0n);
    await assert.rejects(fetchAccounts(rpc, addresses, BigInt(chain.ledger.slot) + 9n), {
      code: 'unreachable',
    });
    assert.equal(await fetchRent(rpc, 0), 890_880n);
  },
);

test('fetched account: a node that does not answer is unreachable', async () => {
  const { signer } = await partyOf('an account');
  // Port 1 of this machine has no server.
  await assert.rejects(
    fetchAccount(httpRpc('http://127.0.0.1:1', { timeoutMs: 5000 }), signer.address),
    {
      code: 'unreachable',
    },
  );
});

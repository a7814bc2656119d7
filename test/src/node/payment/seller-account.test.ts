import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tokenAccountOf } from '@assay/chain/payment/signed-transfer';
import { SellerAccount } from '@assay/node/payment/seller-account';
import { TOKEN } from '../../chain/development/world.ts';
import { openWorld } from './fixture/payment-world.ts';

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

test('seller account: who is paid has to own one, under either program', async () => {
  const { chain, terms, seller, buyer, mint } = await openWorld();
  const format = { tokenAccountOf, tokenPrograms: [TOKEN, TOKEN_2022] };
  const account = new SellerAccount({ reader: chain, format, terms });
  assert.match((await account.concern())?.reason ?? '', /has no token account/);
  for (const program of [TOKEN, TOKEN_2022]) {
    const address = await tokenAccountOf(seller, mint, program);
    chain.tokenAccounts.set(address, { mint, owner: buyer.address });
    assert.equal((await account.concern())?.level, 'degraded', 'it was handed to another owner');
    chain.tokenAccounts.set(address, { mint: buyer.address, owner: seller });
    assert.equal((await account.concern())?.level, 'degraded', 'it is of another asset');
    chain.tokenAccounts.set(address, { mint, owner: seller });
    assert.equal(await account.concern(), undefined);
    chain.tokenAccounts.clear();
  }
  chain.isUp = false;
  await assert.rejects(account.concern(), { code: 'unreachable' });
});

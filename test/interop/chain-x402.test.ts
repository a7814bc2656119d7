import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  generateKeyPairSigner,
  getAddressEncoder,
  getProgramDerivedAddress,
  type KeyPairSigner,
} from '@solana/kit';
import { startDevelopmentChain } from '@assay/chain/development/server';
import {
  mintData,
  SKIP,
  SYSTEM,
  TestClock,
  TOKEN,
  tokenData,
} from '../src/chain/development/world.ts';
import { x402Peer } from './chain-peers.ts';

const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
/** USDC of the test networks. */
const USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' as Address;
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;

interface Client {
  createPaymentPayload(version: number, requirements: object): Promise<object>;
}

interface Facilitator {
  verify(payload: object, requirements: object): Promise<{ isValid: boolean }>;
  settle(
    payload: object,
    requirements: object,
  ): Promise<{ success: boolean; transaction: string; errorReason?: string }>;
}

interface ClientModule {
  readonly ExactSvmScheme: new (signer: KeyPairSigner, config: object) => Client;
}

interface FacilitatorModule {
  readonly ExactSvmScheme: new (signer: unknown) => Facilitator;
}

interface SvmModule {
  toFacilitatorSvmSigner(signer: KeyPairSigner, config: object): unknown;
}

async function tokenAccountOf(owner: Address): Promise<Address> {
  const seeds = [owner, TOKEN, USDC].map((each) => getAddressEncoder().encode(each));
  const [address] = await getProgramDerivedAddress({ programAddress: ASSOCIATED, seeds });
  return address;
}

const OPTIONS = { timeout: 300_000, skip: SKIP };

test('x402: the facilitator verifies and settles a payment', OPTIONS, async (t) => {
  const load = await x402Peer();
  if (load === undefined) {
    t.skip('x402 2.27.0 could not be installed');
    return;
  }
  const svm = (await load('@x402/svm')) as SvmModule;
  const { ExactSvmScheme: Payer } = (await load('@x402/svm/exact/client')) as ClientModule;
  const { ExactSvmScheme: Settler } = (await load(
    '@x402/svm/exact/facilitator',
  )) as FacilitatorModule;
  const chain = await startDevelopmentChain({ port: 0, now: new TestClock().now });
  t.after(() => chain.close());
  const { ledger } = chain;
  const [payer, seller, facilitator] = await Promise.all([
    generateKeyPairSigner(),
    generateKeyPairSigner(),
    generateKeyPairSigner(),
  ]);
  const put = (address: Address, data: Uint8Array): void =>
    ledger.setAccount({ address, owner: TOKEN, lamports: 10_000_000n, data });
  const from = await tokenAccountOf(payer.address);
  const to = await tokenAccountOf(seller.address);
  put(USDC, mintData({ authority: SYSTEM, supply: 5_000_000n, decimals: 6 }));
  put(from, tokenData({ mint: USDC, owner: payer.address, amount: 5_000_000n }));
  put(to, tokenData({ mint: USDC, owner: seller.address, amount: 0n }));
  ledger.airdrop(facilitator.address, 1_000_000_000n);
  const requirements = {
    scheme: 'exact',
    network: DEVNET,
    asset: USDC,
    amount: '10000',
    payTo: seller.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: facilitator.address },
  };
  const client = new Payer(payer, { rpcUrl: chain.rpc });
  const payload = {
    ...(await client.createPaymentPayload(2, requirements)),
    accepted: requirements,
  };
  const settler = new Settler(
    svm.toFacilitatorSvmSigner(facilitator, { defaultRpcUrl: chain.rpc }),
  );
  assert.equal((await settler.verify(payload, requirements)).isValid, true);
  const settled = await settler.settle(payload, requirements);
  assert.equal(settled.success, true, settled.errorReason);
  const executed = ledger.history.get(settled.transaction);
  const held = new Map(executed?.tokensAfter.map(({ owner, amount }) => [owner, amount]));
  assert.equal(held.get(payer.address), 4_990_000n);
  assert.equal(held.get(seller.address), 10_000n);
});

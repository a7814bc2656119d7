import type { Logger } from 'pino';
import type { StartedChain } from '@assay/chain/development/server';
import {
  DEVELOPMENT_ASSET,
  DEVELOPMENT_NETWORK,
  developmentPayer,
  developmentSeed,
  paymentAccounts,
} from '@assay/chain/development/payment/payment-accounts';
import { faultCode } from '@assay/core/fault';
import { createKey, openKey } from '../key/keystore.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import { openTier, type Tier } from '../payment/open-tier.ts';
import { PaymentStore } from '../payment/record/payment-store.ts';
import { tierField } from '../payment/tier-config.ts';
import { type DataFolder, keyPath } from '../platform/data-folder.ts';
import { FACILITATOR, startDevelopmentFacilitator } from './development-facilitator.ts';

/** The names of the keys that everybody knows: who buys in samples and tests, and who is paid. */
export const BUYER = 'buyer';
export const SELLER = 'seller';

/** What the buyer begins with: a million tokens of six decimals. */
const FUNDS = 1_000_000_000_000n;
/** What the facilitator has for fees. */
const FEE_LAMPORTS = 1_000_000_000_000n;

/** What a call costs: a cent, and five for receipts. */
const PRICES = {
  '/history/{symbol}': '10000',
  '/board/at': '10000',
  '/receipts/full': '50000',
} as const;

/** The accounts with which a development chain begins, so that something can be bought on it. */
export async function tierAccounts(): ReturnType<typeof paymentAccounts> {
  const [buyer, seller] = await Promise.all([developmentPayer(BUYER), developmentPayer(SELLER)]);
  return paymentAccounts(
    new Map([
      [buyer.address, FUNDS],
      [seller.address, 0n],
    ]),
  );
}

export interface DevelopmentTierOptions {
  readonly folder: DataFolder;
  readonly chain: StartedChain;
  /** The address of the service as buyers see it. */
  readonly origin: string;
  readonly log: Logger;
}

/** A tier that is open on a development chain, with a facilitator of its own. `close` ends the facilitator; the node closes the tier. */
export interface DevelopmentTier {
  readonly tier: Tier;
  readonly facilitator: string;
  readonly close: () => Promise<void>;
}

/** Opens the machine tier over the chain of a demo. What the facilitator is made of is loaded with its first request. */
export async function developmentTier({
  folder,
  chain,
  origin,
  log,
}: DevelopmentTierOptions): Promise<DevelopmentTier> {
  const [seller, fees] = await Promise.all([
    developmentPayer(SELLER),
    developmentPayer(FACILITATOR),
  ]);
  if (chain.ledger.balance(fees.address) === 0n) chain.ledger.airdrop(fees.address, FEE_LAMPORTS);
  const facilitator = await startDevelopmentFacilitator({ rpcUrl: chain.rpc });
  try {
    const config = tierField.parse({
      prices: PRICES,
      network: DEVELOPMENT_NETWORK,
      asset: DEVELOPMENT_ASSET,
      pay_to: seller.address,
      facilitator: facilitator.url,
      origin,
      rpc: chain.rpc,
      // The invented market has no terms.
      shown_sources: ['synthetic_one', 'synthetic_two'],
    });
    const store = await PaymentStore.at(folder.payments, { sync: false });
    const signer = await developmentKey(folder);
    const tier = await openTier({ config, store, signer, isDevelopment: true, log });
    return { tier, facilitator: facilitator.url, close: () => facilitator.close() };
  } catch (error) {
    await facilitator.close();
    throw error;
  }
}

async function developmentKey(folder: DataFolder): Promise<Signer> {
  const path = keyPath(folder, 'payment');
  try {
    return await openKey(path, { passphrase: undefined });
  } catch (error) {
    if (faultCode(error) !== 'key_missing') throw error;
    return createKey(path, { seed: developmentSeed('receipts') });
  }
}

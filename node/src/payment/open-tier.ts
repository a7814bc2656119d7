import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Exposure } from './exposure.ts';
import type { JwsKey } from './jws.ts';
import { KeyedLock } from './record/keyed-lock.ts';
import { httpPaymentReader, loadTransferFormat } from './payment-chain.ts';
import { PaymentEngine } from './payment-engine.ts';
import { PaymentResolver } from './payment-resolver.ts';
import type { PaymentStore } from './record/payment-store.ts';
import { Reconciliation } from './reconciliation.ts';
import { SellerAccount } from './seller-account.ts';
import type { TierConfig } from './tier-config.ts';
import type { TierTerms } from './tier-terms.ts';
import { httpFacilitator } from './x402-facilitator.ts';
import { loadX402Wire } from './x402-wire.ts';

/** Signs with an Ed25519 key. */
export interface TierSigner {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** What an open tier needs from outside. */
export interface TierParts {
  readonly config: TierConfig;
  readonly store: PaymentStore;
  /** Signs offers and receipts. It is the tier's own, and signs nothing else. */
  readonly signer: TierSigner;
  /** Whether the chain is one of this machine. */
  readonly isDevelopment: boolean;
  /** The bearer token for the facilitator. */
  readonly token?: string | undefined;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** A tier that is open. */
export interface Tier {
  readonly terms: TierTerms;
  readonly key: JwsKey;
  readonly store: PaymentStore;
  readonly engine: PaymentEngine;
  readonly reconciliation: Reconciliation;
  /** The sources whose prices and volumes may be sold. */
  readonly shownSources: readonly string[];
}

/** Milliseconds of one exchange with the node of the chain. */
const RPC_MS = 10_000;

/** The DID under which the key of a tier is found: `did:web` of its host, whose port is written with `%3A`. */
export function keyId(origin: string): string {
  return `did:web:${encodeURIComponent(new URL(origin).host)}#x402`;
}

/** The terms that a configuration asks for, by the patterns of routes. */
export function configuredTerms(config: TierConfig, isDevelopment: boolean): TierTerms {
  const prices = Object.entries(config.prices)
    .filter(([, price]) => price !== undefined)
    .map(([path, price]) => [path.replaceAll(/\{([a-z_]+)\}/g, ':$1'), price]);
  return {
    origin: config.origin,
    network: config.network,
    asset: config.asset,
    payTo: config.pay_to,
    prices: Object.fromEntries(prices) as Readonly<Record<string, string>>,
    validS: config.valid_s,
    isDevelopment,
  };
}

/**
 * Opens a tier over its payments: loads what x402 and the chain need, and takes over what is owed from before. Neither the facilitator
 * nor the chain is asked, so it opens while they are down.
 */
export async function openTier(parts: TierParts): Promise<Tier> {
  const { config, store, signer, log } = parts;
  const terms = configuredTerms(config, parts.isDevelopment);
  const key: JwsKey = {
    kid: keyId(config.origin),
    publicKey: signer.publicKey,
    sign: (message) => signer.sign(message),
  };
  const exposure = new Exposure(BigInt(config.trusted_amount));
  for await (const payment of store.open()) exposure.note(payment);
  const [wire, format, reader, facilitator] = await Promise.all([
    loadX402Wire(),
    loadTransferFormat(),
    httpPaymentReader(config.rpc, RPC_MS),
    httpFacilitator({
      url: config.facilitator,
      timeoutMs: Math.ceil(config.facilitator_timeout_s * 1000),
      elapsed: () => performance.now() / 1000,
      ...(parts.token === undefined ? {} : { token: parts.token }),
    }),
  ]);
  const nowMs = Date.now;
  const shared = { store, format, wire, key, exposure, nowMs };
  // A development chain cannot have the genesis hash of the network whose name it uses.
  const network = parts.isDevelopment ? null : config.network;
  const resolver = new PaymentResolver({ ...shared, reader, network });
  const lock = new KeyedLock();
  const engine = new PaymentEngine(
    {
      ...shared,
      terms,
      facilitator,
      resolver,
      confirmMs: config.confirm_timeout_s * 1000,
      pause: (ms) => sleep(ms),
      log,
    },
    lock,
  );
  const reconciliation = new Reconciliation({
    store,
    resolver,
    seller: new SellerAccount({ reader, format, terms }),
    lock,
    everyMs: config.reconcile_s * 1000,
    keptMs: config.answer_kept_s * 1000,
    nowMs,
    log,
  });
  return { terms, key, store, engine, reconciliation, shownSources: config.shown_sources };
}

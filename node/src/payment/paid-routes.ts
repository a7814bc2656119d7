import { NO_STORE, whole } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import { formatHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { HashHex } from '@assay/core/hash/hash';
import { type EndorsedKey, endorsementText } from '../key/endorsement.ts';
import type { ReportSigner } from '../key/report-signer.ts';
import type { Tier } from './open-tier.ts';
import { type PaidResource, tierClosed } from './paid-resource.ts';

/** The token that is a dollar, by its network and mint: USDC, of the main network alone. */
const DOLLAR =
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const DOLLAR_DECIMALS = 6;

/**
 * What a tier sells, as routes: what has no price answers 503 `tier_closed`, as everything does while the tier is closed, but for what
 * was bought while it had one.
 */
export function paidRoutes(
  resources: readonly Pick<PaidResource, 'path' | 'operation'>[],
  tier?: Tier,
): readonly Route[] {
  return resources.map((resource) => {
    const { path, operation } = resource;
    const payment = paymentInfo(path, tier);
    return {
      method: 'GET',
      path,
      operation,
      ...(payment === undefined ? {} : { payment }),
      // Without `route()`, which would check the parameters before it is known whether the tier is open.
      handle: (request) =>
        tier === undefined || !isSold(resource)
          ? tierClosed(request)
          : tier.engine.answer(resource, request),
    };
  });
}

function isSold(resource: Pick<PaidResource, 'path'>): resource is PaidResource {
  return 'prepare' in resource;
}

/**
 * What finds a tier and its key: `/.well-known/x402`, a list of what is sold, and `/.well-known/did.json`, the key that signs offers and
 * receipts (did:web), with the report key's word for it. There is neither while the tier is closed.
 */
export async function discoveryRoutes({
  tier,
  log,
  report,
}: TierVoucher): Promise<readonly Route[]> {
  const { terms } = tier;
  const sold = Object.entries(terms.prices).map(([path, amount]) => ({
    resource: `${terms.origin}${path.replaceAll(/:([a-z_]+)/g, '{$1}')}`,
    type: 'http',
    method: 'GET',
    accepts: [
      {
        scheme: 'exact',
        network: terms.network,
        amount,
        asset: terms.asset,
        payTo: terms.payTo,
        maxTimeoutSeconds: terms.validS,
        ...(terms.isDevelopment ? { extra: { environment: 'development' } } : {}),
      },
    ],
  }));
  const [did = ''] = tier.key.kid.split('#');
  return [
    fixed('/.well-known/x402', {
      version: 1,
      x402Version: 2,
      ...(terms.isDevelopment ? { environment: 'development' } : {}),
      resources: sold.map(({ resource }) => resource),
      items: sold,
    }),
    fixed('/.well-known/did.json', {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id: did,
      verificationMethod: [
        {
          id: tier.key.kid,
          type: 'JsonWebKey2020',
          controller: did,
          publicKeyJwk: {
            kty: 'OKP',
            crv: 'Ed25519',
            x: Buffer.from(tier.key.publicKey).toString('base64url'),
          },
        },
      ],
      assertionMethod: [tier.key.kid],
      'assay:endorsement': await endorsementOf(tier, log, report),
    }),
  ];
}

/** Whose tier it is, and the report key in force, which vouches for the tier's own key. */
export interface TierVoucher {
  readonly tier: Tier;
  /** The id of the log. */
  readonly log: string;
  readonly report: ReportSigner;
}

/**
 * A JWS by the report key over the tier's key. So whoever knows the log knows whose receipts they are, without
 * trusting the address.
 */
async function endorsementOf({ key }: Tier, log: string, report: ReportSigner): Promise<string> {
  const { kid } = key;
  const endorsed: EndorsedKey = { log: log as HashHex, kid, publicKey: formatHex(key.publicKey) };
  const text = endorsementText(report.publicKey, endorsed);
  const signature = await report.sign(formatUtf8(text), { of: 'endorsement', key: endorsed });
  return `${text}.${Buffer.from(signature).toString('base64url')}`;
}

function fixed(path: string, value: object): Route {
  const body = JSON.stringify(value);
  return {
    method: 'GET',
    path,
    unversioned: true,
    handle: () => whole('application/json; charset=utf-8', body, { cacheControl: NO_STORE }),
  };
}

/** What an operation of the OpenAPI document says of its price (`x-payment-info`); undefined while it is not sold. */
export function paymentInfo(path: string, tier: Tier | undefined): object | undefined {
  const amount = tier?.terms.prices[path];
  if (tier === undefined || amount === undefined) return undefined;
  const { network, asset, payTo, isDevelopment } = tier.terms;
  // CAIP-19. Of any other token neither the value nor the decimals are known here, so its price is in its smallest unit.
  const token = `${network}/token:${asset}`;
  const price =
    token === DOLLAR
      ? { currency: 'USD', amount: inDollars(amount) }
      : { currency: token, amount, unit: 'smallest' };
  return {
    price: { mode: 'fixed', ...price },
    protocols: [{ x402: { version: 2, scheme: 'exact', network, asset, amount, payTo } }],
    ...(isDevelopment ? { environment: 'development' } : {}),
  };
}

function inDollars(amount: string): string {
  const digits = amount.padStart(DOLLAR_DECIMALS + 1, '0');
  return `${digits.slice(0, -DOLLAR_DECIMALS)}.${digits.slice(-DOLLAR_DECIMALS)}`;
}

import type { FinalPrint, ReadPeriod } from './reader.ts';
import {
  type AccountsFetch,
  finalThrough,
  type PeriodRequest,
  periodThrough,
  type VenueOptions,
  type VenueRequest,
} from './venue.ts';

/**
 * `venue` for a caller that uses `@solana/web3.js` 1.99. That package is an optional peer: this file describes
 * the shape of what it uses and does not load it. The caller passes its own `connection` and `PublicKey`.
 */

/** The part of web3.js' `PublicKey` that is used here. */
export interface Web3Key {
  toBase58(): string;
}

/**
 * The part of web3.js' `Connection` that is used here. It is declared as a method, so that the narrower types
 * of web3.js fit.
 */
export interface Web3Connection<Key extends Web3Key> {
  getMultipleAccountsInfoAndContext(
    keys: Key[],
    config: { readonly commitment: 'confirmed' | 'finalized' },
  ): Promise<{
    readonly value: readonly ({ readonly owner: Web3Key; readonly data: Uint8Array } | null)[];
  }>;
}

/** A connection, and the class of the same web3.js. */
export interface Web3<Key extends Web3Key> {
  readonly connection: Web3Connection<Key>;
  readonly PublicKey: new (base58: string) => Key;
}

/**
 * Returns the first final of a period, which can be settled on, like `finalOf` of `venue`. Throws a `Fault`
 * otherwise.
 */
export function finalOf<Key extends Web3Key>(
  web3: Web3<Key>,
  request: VenueRequest,
  options: VenueOptions = {},
): Promise<FinalPrint> {
  return finalThrough(web3Fetch(web3), request, options);
}

/**
 * Returns what is recorded on chain about a period, like `printOfPeriod` of `venue`, without demanding anything
 * of it.
 */
export function printOfPeriod<Key extends Web3Key>(
  web3: Web3<Key>,
  request: PeriodRequest,
  options: VenueOptions = {},
): Promise<ReadPeriod> {
  return periodThrough(web3Fetch(web3), request, options);
}

/** web3.js takes no abort signal, so a request that is still running is abandoned. */
function web3Fetch<Key extends Web3Key>({ connection, PublicKey }: Web3<Key>): AccountsFetch {
  return async (addresses, commitment) => {
    const keys = addresses.map((each) => new PublicKey(each));
    const { value } = await connection.getMultipleAccountsInfoAndContext(keys, { commitment });
    return value.map(
      (found) => found && { owner: found.owner.toBase58(), data: new Uint8Array(found.data) },
    );
  };
}

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
 * `venue` for a caller that has `@solana/web3.js` 1.99: an optional peer, named by shape, so that this file
 * neither loads nor needs it. The caller passes its own `connection` and `PublicKey`.
 */

/** What is used of web3.js' `PublicKey`. */
export interface Web3Key {
  toBase58(): string;
}

/** What is used of web3.js' `Connection`. Declared as a method, so that its own narrower types fit. */
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

/** As `finalOf` of `venue`: the first print of a period, good to settle on, or a `Fault`. */
export function finalOf<Key extends Web3Key>(
  web3: Web3<Key>,
  request: VenueRequest,
  options: VenueOptions = {},
): Promise<FinalPrint> {
  return finalThrough(web3Fetch(web3), request, options);
}

/** As `printOfPeriod` of `venue`: what is on chain of a period, with nothing demanded of it. */
export function printOfPeriod<Key extends Web3Key>(
  web3: Web3<Key>,
  request: PeriodRequest,
  options: VenueOptions = {},
): Promise<ReadPeriod> {
  return periodThrough(web3Fetch(web3), request, options);
}

/** web3.js takes no signal: what it still waits for is left to itself. */
function web3Fetch<Key extends Web3Key>({ connection, PublicKey }: Web3<Key>): AccountsFetch {
  return async (addresses, commitment) => {
    const keys = addresses.map((each) => new PublicKey(each));
    const { value } = await connection.getMultipleAccountsInfoAndContext(keys, { commitment });
    return value.map(
      (found) => found && { owner: found.owner.toBase58(), data: new Uint8Array(found.data) },
    );
  };
}

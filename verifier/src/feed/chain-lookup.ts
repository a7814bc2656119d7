/** An account as it was answered. */
export interface AccountBytes {
  /** The program that owns it, base58. */
  readonly owner: string;
  readonly data: Uint8Array;
  /** The slot of the chain that the bytes are of. */
  readonly slot: number;
}

/**
 * Accounts of a Solana chain that the verifying side has from elsewhere, which a log's claims about the chain are
 * compared with. They rest on whoever answers.
 */
export interface ChainLookup {
  /** For the verdict, such as `the word of api.example`. */
  readonly description: string;
  /** CAIP-2 id. */
  readonly chain: string;
  /** A finalized slot that was known before the log's checkpoint was read. */
  readonly slot: number;
  /**
   * The accounts at any number of base58 addresses, each of `slot` or later; null where there is none, and undefined
   * for one that was not read.
   */
  readonly accounts: (
    addresses: readonly string[],
  ) => Promise<readonly (AccountBytes | null | undefined)[]>;
  /**
   * The feeds of `program` (base58) under the genesis key `genesis` (hex), at `slot` or later. Never throws because of
   * the answer. Where no feeds or not all are listed, the listing says why.
   */
  readonly feeds: (program: string, genesis: string) => Promise<FeedListing>;
  /**
   * The same lookup at `slot` or later; undefined where the source has not reached it after a short wait. Absent for
   * kept accounts, where nobody can be asked again.
   */
  readonly at?: (slot: number) => Promise<ChainLookup | undefined>;
}

/** An account of a listing: its first bytes, `FEED_HEAD_BYTES` or more. */
export interface ListedFeed extends AccountBytes {
  /** Base58. */
  readonly address: string;
}

/** Feeds that were listed: what exists under a key, whether or not a log knows of it. */
export interface FeedListing {
  readonly feeds: readonly ListedFeed[];
  /** Why there may be more of them; undefined where the source says that these are all. */
  readonly incomplete: string | undefined;
}

/** Feeds of a listing that are checked. An honest publisher has some dozens. */
export const MAX_LISTED_FEEDS = 4096;

/** The owner of an account that holds nothing but lamports. */
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/**
 * An account as the program sees it. Anybody may send lamports to an unused address. An account of the system program
 * without data therefore counts as absent, and the program creates its own there.
 */
export function madeAccount(
  account: AccountBytes | null | undefined,
): AccountBytes | null | undefined {
  if (account == null) return account;
  return account.owner === SYSTEM_PROGRAM && account.data.length === 0 ? null : account;
}

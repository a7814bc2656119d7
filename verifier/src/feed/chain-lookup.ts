/** An account as somebody answered it. */
export interface AccountBytes {
  /** The program that owns it, base58. */
  readonly owner: string;
  readonly data: Uint8Array;
  /** The slot of the chain that the bytes are of. */
  readonly slot: number;
}

/**
 * Accounts of a Solana chain that whoever verifies has from elsewhere: what a log says of the chain is
 * compared with them. They are the word of whoever answers.
 */
export interface ChainLookup {
  /** For the verdict, such as `the word of api.example`. */
  readonly description: string;
  /** CAIP-2 id. */
  readonly chain: string;
  /** A finalized slot that was known before the log's checkpoint was read. */
  readonly slot: number;
  /**
   * The accounts at these base58 addresses, any number of them, each of `slot` or later; null where there is
   * none, and undefined for one that was not looked at.
   */
  readonly accounts: (
    addresses: readonly string[],
  ) => Promise<readonly (AccountBytes | null | undefined)[]>;
  /**
   * The feeds of `program` (base58) under the genesis key `genesis` (hex), at `slot` or later. Never throws for what
   * whoever answers does: where he lists none, or not all, the listing says why.
   */
  readonly feeds: (program: string, genesis: string) => Promise<FeedListing>;
  /**
   * The same at `slot` or later: undefined where whoever answers has not come to it, after a short wait. Absent
   * where nobody can be asked again: for accounts that were kept.
   */
  readonly at?: (slot: number) => Promise<ChainLookup | undefined>;
}

/** An account of a listing: its first bytes, `FEED_HEAD_BYTES` or more. */
export interface ListedFeed extends AccountBytes {
  /** Base58. */
  readonly address: string;
}

/** Feeds that somebody listed: what is there under a key, whether or not a log knows of it. */
export interface FeedListing {
  readonly feeds: readonly ListedFeed[];
  /** Why there may be more of them; undefined where whoever answers says that these are all. */
  readonly incomplete: string | undefined;
}

/** Feeds of a listing that are looked at: an honest publisher has some dozens. */
export const MAX_LISTED_FEEDS = 4096;

/** Who owns an account that holds nothing but lamports. */
const SYSTEM_PROGRAM = '11111111111111111111111111111111';

/**
 * An account as the program sees it. Anybody may send lamports to an address where nothing was made yet: an account
 * of the system program without data is none, and the program makes its own there.
 */
export function madeAccount(
  account: AccountBytes | null | undefined,
): AccountBytes | null | undefined {
  if (account == null) return account;
  return account.owner === SYSTEM_PROGRAM && account.data.length === 0 ? null : account;
}

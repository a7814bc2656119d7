import { parseBase58 } from '@assay/core/bytes/base58';
import { parseHex } from '@assay/core/bytes/hex';
import {
  closeAccount,
  feedAccount,
  pageAccount,
  type ProgramAddress,
} from '@assay/core/feed/program-address';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import type { Ticker } from '@assay/core/rule/ticker';
import {
  type Address,
  getAddressDecoder,
  type ProgramDerivedAddress,
  type ProgramDerivedAddressBump,
} from '@solana/kit';

/**
 * The address of the program on the development chain. For other chains, the genesis of a log names the
 * address.
 */
export const DEVELOPMENT_PROGRAM: Address =
  'AssayFeed1111111111111111111111111111111111' as Address;

/** How many derived addresses are remembered: some 5 MB. Deriving one takes a square root in a field, or several. */
const MOST_REMEMBERED = 32_768;
const remembered = new Map<string, ProgramDerivedAddress>();

/** Returns the address whose 32 bytes are given in hex. Throws `bad_hex`. */
export function addressOfKey(key: string): Address {
  return getAddressDecoder().decode(parseHex(key, 32));
}

/**
 * Derives the address of the feed for a publisher's first key (hex) and a ticker, and its bump seed. These functions
 * reject with `bad_length` or `malformed` where an address is none, and with `bad_hex`.
 */
export async function feedAddress(
  program: Address,
  genesis: string,
  ticker: Ticker,
): Promise<ProgramDerivedAddress> {
  return derived(`feed/${program}/${genesis}/${ticker}`, () =>
    feedAccount(nobleSha256, bytesOf(program), parseHex(genesis, 32), ticker),
  );
}

/** Derives the address of one page of a feed. */
export async function pageAddress(
  program: Address,
  feed: Address,
  index: number,
): Promise<ProgramDerivedAddress> {
  return derived(`page/${program}/${feed}/${index}`, () =>
    pageAccount(nobleSha256, bytesOf(program), bytesOf(feed), index),
  );
}

/** Derives the address of the account with the Closes of one day (days since 1970-01-01) of a feed. */
export async function closeAddress(
  program: Address,
  feed: Address,
  day: number,
): Promise<ProgramDerivedAddress> {
  return derived(`close/${program}/${feed}/${day}`, () =>
    closeAccount(nobleSha256, bytesOf(program), bytesOf(feed), day),
  );
}

function bytesOf(address: Address): Uint8Array {
  return parseBase58(address, 32);
}

/** What `derive` returns, which follows from `name` alone. */
function derived(name: string, derive: () => ProgramAddress): ProgramDerivedAddress {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const { address, bump } = derive();
  const found = Object.freeze([address as Address, bump as ProgramDerivedAddressBump] as const);
  remembered.set(name, found as ProgramDerivedAddress);
  for (const [oldest] of remembered) {
    if (remembered.size <= MOST_REMEMBERED) break;
    remembered.delete(oldest);
  }
  return found as ProgramDerivedAddress;
}

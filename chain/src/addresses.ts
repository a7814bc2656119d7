import { parseHex } from '@assay/core/bytes/hex';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import {
  type Address,
  getAddressDecoder,
  getAddressEncoder,
  getProgramDerivedAddress,
  type ProgramDerivedAddress,
  type ReadonlyUint8Array,
} from '@solana/kit';

/**
 * The address of the program on the development chain. For other chains, the genesis of a log names the
 * address.
 */
export const DEVELOPMENT_PROGRAM: Address =
  'AssayFeed1111111111111111111111111111111111' as Address;

/** Returns the address whose 32 bytes are given in hex. Throws `bad_hex`. */
export function addressOfKey(key: string): Address {
  return getAddressDecoder().decode(parseHex(key, 32));
}

/** Derives the address of the feed for a publisher's first key and a ticker, and its bump seed. */
export function feedAddress(
  program: Address,
  genesis: string,
  ticker: Ticker,
): Promise<ProgramDerivedAddress> {
  return derive(program, 'series', parseHex(genesis, 32), tickerBytes(ticker));
}

/** Derives the address of one page of a feed. */
export function pageAddress(
  program: Address,
  feed: Address,
  index: number,
): Promise<ProgramDerivedAddress> {
  return derive(program, 'page', getAddressEncoder().encode(feed), u32Bytes(index));
}

/** Derives the address of the account with the Closes of one day (days since 1970-01-01) of a feed. */
export function closeAddress(
  program: Address,
  feed: Address,
  day: number,
): Promise<ProgramDerivedAddress> {
  return derive(program, 'close', getAddressEncoder().encode(feed), u32Bytes(day >>> 0));
}

function derive(
  programAddress: Address,
  tag: string,
  ...seeds: readonly ReadonlyUint8Array[]
): Promise<ProgramDerivedAddress> {
  return getProgramDerivedAddress({
    programAddress,
    seeds: [formatUtf8(tag), ...seeds],
  });
}

/** Returns a ticker, padded with zeros to 16 bytes. */
export function tickerBytes(ticker: Ticker): Uint8Array {
  const out = new Uint8Array(16);
  out.set(formatUtf8(ticker));
  return out;
}

function u32Bytes(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value, true);
  return out;
}

import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { type Address, getAddressEncoder, isAddress } from '@solana/kit';

export type { Address } from '@solana/kit';

/** Parses an address, 32 bytes in base58; undefined for any other text. */
export function parseAddress(text: string): Address | undefined {
  return isAddress(text) ? text : undefined;
}

/** The 32 bytes of an address. */
export function addressBytes(address: Address): Uint8Array {
  return new Uint8Array(getAddressEncoder().encode(address));
}

/** Returns the bytes of an address in hex. An address is a key or has the form of one. */
export function keyOfAddress(address: Address): HashHex {
  return formatHex(addressBytes(address)) as HashHex;
}

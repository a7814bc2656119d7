import { parseHex } from '../bytes/hex.ts';
import type { Network } from '../network.ts';
import { formatHeader } from './header.ts';

/** A chain of headers: where it begins, and how its difficulty is set. */
export interface BitcoinNetwork {
  readonly name: 'bitcoin' | 'development';
  /** The header at height 0, 80 bytes. */
  readonly genesis: Uint8Array;
  /** The easiest bits that a header may have. */
  readonly limit: number;
  /** Whether the bits change every 2016 headers; if not, they are always `limit`. */
  readonly retargets: boolean;
}

/** The root over the one transaction of the first block, which both networks share. */
const GENESIS_ROOT = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b';

function genesis(time: number, bits: number, nonce: number): Uint8Array {
  const merkleRoot = parseHex(GENESIS_ROOT).reverse();
  return formatHeader({ version: 1, prev: new Uint8Array(32), merkleRoot, time, bits, nonce });
}

/** Bitcoin's main chain. */
export const BITCOIN: BitcoinNetwork = {
  name: 'bitcoin',
  genesis: genesis(1_231_006_505, 0x1d00ffff, 2_083_236_893),
  limit: 0x1d00ffff,
  retargets: true,
};

/**
 * Bitcoin's regtest parameters. Every second hash is a block, so a chain is made quickly and proves nothing. It
 * is never accepted as `BITCOIN`, because its bits are above that network's limit.
 */
export const DEVELOPMENT: BitcoinNetwork = {
  name: 'development',
  genesis: genesis(1_296_688_602, 0x207fffff, 2),
  limit: 0x207fffff,
  retargets: false,
};

/** The Bitcoin chain that a log of this network is stamped on. */
export function bitcoinNetworkOf(network: Network): BitcoinNetwork {
  return network === 'production' ? BITCOIN : DEVELOPMENT;
}

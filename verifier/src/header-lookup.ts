import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';

/**
 * Headers that whoever verifies has from elsewhere: what a log says of Bitcoin is compared with them.
 * `headers` is a chain that was checked from a known block on, or the verifier's own node; `explorer` is
 * somebody's word.
 */
export interface HeaderLookup {
  readonly kind: 'headers' | 'explorer';
  readonly network: BitcoinNetwork['name'];
  /** The newest header; `time` in seconds since 1970, as its miner put it. */
  readonly tip: { readonly height: number; readonly time: number };
  /** The 80 bytes of the header at a height up to the tip's; undefined where there are none. */
  readonly header: (height: number) => Promise<Uint8Array | undefined>;
  /** For the verdict, such as `headers checked from the genesis block`. */
  readonly description: string;
}

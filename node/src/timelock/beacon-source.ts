import type { BeaconChain } from '@assay/core/timelock/beacon-chain';

/** Where the signatures of a drand chain's rounds come from. */
export interface BeaconSource {
  readonly chain: BeaconChain;
  /**
   * The 48 bytes of the signature of a round, which has been verified; undefined if the round is not out yet. Rejects with
   * `out_of_range` for what is no round, and with another code where nobody gave a signature of a round that is out:
   * asking again later may help.
   */
  signature(round: number, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

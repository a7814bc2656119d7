import type { TickSource as TickSourceValues } from '@assay/core/terminal/tick/tick-values';

/** The answer of a source about one asset for a tick. */
export interface TickSourceRead {
  readonly symbol: string;
  readonly said: TickSourceValues;
  /** Why it has no price; null if it has one. It contains no secret and no path. */
  readonly reason: string | null;
}

/** A vendor of prices of one class of assets. */
export interface TickSource {
  /** The name in tick values. */
  readonly provider: string;
  /**
   * One read for each of `symbols` that the vendor knows, for the tick at `ts` (unix seconds): whatever the
   * vendor answers, it is a price or a reason. Once the signal has aborted it ends with what it has.
   */
  readonly read: (
    ts: number,
    symbols: readonly string[],
    signal: AbortSignal,
  ) => Promise<readonly TickSourceRead[]>;
}

/** The names that a vendor uses for assets, by their symbols. */
export type VendorNames = Readonly<Record<string, string>>;

/** The reason for what a vendor refuses while it answers for others. */
export const REFUSED_ALONE = 'refused alone';

/** A read without a price. */
export function unread(provider: string, symbol: string, reason: string): TickSourceRead {
  const said = { provider, price: null, volume_24h: null, stamped_at: null };
  return { symbol, said, reason };
}

import type { TickInput } from '@assay/core/terminal/score/good';
import { formatTime } from '@assay/core/time/time';
import type { MarketInstant } from './market-folder.ts';

/** The name of the one source of recorded values. */
const PROVIDER = 'recorded';

/** The rows of files at one time, as readings of one source, for those symbols that `isWanted` accepts. */
export function recordedReads(
  { ts, readings }: MarketInstant,
  isWanted: (symbol: string) => boolean = () => true,
): ReadonlyMap<string, TickInput> {
  const stamped_at = formatTime(ts);
  const reads = new Map<string, TickInput>();
  for (const [symbol, { price, volume24h: volume }] of readings) {
    if (!isWanted(symbol)) continue;
    const volume24h = volume === null ? null : String(volume);
    const source = { provider: PROVIDER, price, volume_24h: volume24h, stamped_at };
    reads.set(symbol, { price, volume24h, sources: [source] });
  }
  return reads;
}

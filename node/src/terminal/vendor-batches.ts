import { type TickSourceRead, unread, type VendorNames } from './tick-source.ts';
import type { VendorAnswer } from './vendor-answer.ts';
import type { SourceJson } from '@assay/core/source-json';

/** How a vendor is asked for many assets at once. */
export interface VendorBatches {
  readonly provider: string;
  readonly names: VendorNames;
  /** Assets of one request. */
  readonly size: number;
  /** Asks for the vendor's own names. Throws the signal's reason and nothing else. */
  readonly ask: (names: readonly string[]) => Promise<VendorAnswer>;
  /** What an answer says of each asset that was asked for in it. */
  readonly take: (answer: SourceJson, batch: readonly VendorAsset[]) => readonly TickSourceRead[];
}

export interface VendorAsset {
  readonly symbol: string;
  /** The vendor's name of it. */
  readonly name: string;
}

/** One read for each of `symbols` that the vendor has a name for, request after request. */
export async function readBatches(
  { provider, names, size, ask, take }: VendorBatches,
  symbols: readonly string[],
): Promise<readonly TickSourceRead[]> {
  const assets = symbols.flatMap((symbol): readonly VendorAsset[] => {
    const name = Object.hasOwn(names, symbol) ? names[symbol] : undefined;
    return name === undefined ? [] : [{ symbol, name }];
  });
  const reads: TickSourceRead[] = [];
  for (let at = 0; at < assets.length; at += size) {
    const batch = assets.slice(at, at + size);
    const answer = await ask(batch.map(({ name }) => name));
    if (answer.kind === 'json') reads.push(...take(answer.value, batch));
    else reads.push(...batch.map(({ symbol }) => unread(provider, symbol, answer.reason)));
  }
  return reads;
}

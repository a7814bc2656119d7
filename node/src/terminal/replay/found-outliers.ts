import type { MarketSummary } from './market-file.ts';

/** The rows of files that were left out, and the first of them in time. */
export interface FoundOutliers {
  readonly count: number;
  readonly symbol: string;
  readonly path: string;
  readonly line: number;
  /** In unix seconds. */
  readonly ts: number;
}

/** Undefined if there is none. Of two at one time, the first is that of the first file. */
export function foundOutliers(files: readonly MarketSummary[]): FoundOutliers | undefined {
  let found: FoundOutliers | undefined;
  for (const { symbol, path, outliers } of files) {
    const [first] = outliers;
    if (first === undefined) continue;
    const count = (found?.count ?? 0) + outliers.length;
    found =
      found === undefined || first.ts < found.ts
        ? { symbol, path, ...first, count }
        : { ...found, count };
  }
  return found;
}

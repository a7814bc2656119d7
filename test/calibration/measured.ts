import { priceUnits } from '@assay/core/terminal/tick/price-units';
import { ScoreSeries } from '@assay/core/terminal/score/score';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';
import type { MarketFolder } from '@assay/node/terminal/replay/market-folder';

/** What is not there in an array of integers. */
export const NONE = -2_147_483_648;

/** An asset's recorded ticks, each all good, with what its score is made of; none of that depends on the score's parts. */
export interface Measured {
  readonly symbol: string;
  readonly size: number;
  /** Counts of the grid, rising. */
  readonly index: Int32Array;
  /** Units. */
  readonly price: Float64Array;
  /** Basis points; `NONE` where there is none, as in the others. */
  readonly move: Int32Array;
  readonly zLong: Int32Array;
  readonly volMult: Int32Array;
  readonly zShort: Int32Array;
}

/** Whether a tick has a score. */
export function isScored({ zLong, volMult, zShort }: Measured, at: number): boolean {
  return zLong[at] !== NONE && volMult[at] !== NONE && zShort[at] !== NONE;
}

/** Larger values have the same weight as this one. */
const LARGEST = 2_000_000_000;

/** Every asset of a folder, read once. */
export async function measure(folder: MarketFolder, rule: ScoreRule): Promise<readonly Measured[]> {
  const assets = folder.files.map(({ symbol, decimals, rows }) => ({
    symbol,
    decimals,
    series: new ScoreSeries(rule),
    size: 0,
    index: new Int32Array(rows),
    price: new Float64Array(rows),
    move: new Int32Array(rows),
    zLong: new Int32Array(rows),
    volMult: new Int32Array(rows),
    zShort: new Int32Array(rows),
  }));
  const bySymbol = new Map(assets.map((asset) => [asset.symbol, asset]));
  for await (const { ts, readings } of folder.instants({ from: 0, to: Number.MAX_SAFE_INTEGER })) {
    for (const [symbol, { price: text, volume24h: volume }] of readings) {
      const asset = bySymbol.get(symbol);
      if (asset === undefined) throw new TypeError(`${symbol} is none of the files`);
      const price = priceUnits(text, asset.decimals);
      // A price that has no units makes no good tick.
      if (price === undefined) continue;
      const index = ts / GRID_SECONDS;
      const scored = asset.series.add(index, { price, volume });
      const at = asset.size;
      asset.index[at] = index;
      asset.price[at] = price;
      asset.move[at] = kept(scored.move);
      asset.zLong[at] = kept(scored.zLong);
      asset.volMult[at] = kept(scored.volMult);
      asset.zShort[at] = kept(scored.zShort);
      asset.size = at + 1;
    }
  }
  return assets;
}

function kept(value: number | null): number {
  return value === null ? NONE : Math.min(value, LARGEST);
}

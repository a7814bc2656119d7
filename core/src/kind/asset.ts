import { boolean, integer, object, oneOf, type Parse, string } from '../wire/schema.ts';
import { ASSET_CLASSES, type AssetClass, parseSymbol } from '../terminal/tick/asset-symbol.ts';

/** An asset of the Terminal from this entry on. A later entry of the symbol replaces it. */
export interface Asset {
  readonly symbol: string;
  readonly name: string;
  readonly class: AssetClass;
  /** Decimals of a unit of its price. Those of the first entry never change. */
  readonly decimals: number;
  /** Whether it has ticks: false ends them, and voids the receipts that are open. */
  readonly listed: boolean;
  /** Whether free reads list it. Its events and receipts are in the dataset in any case. */
  readonly display: boolean;
}

/** The most decimals of a price. */
export const MAX_PRICE_DECIMALS = 18;

export const parseAsset: Parse<Asset> = object<Asset>({
  symbol: parseSymbol,
  name: string(1, 64),
  class: oneOf(ASSET_CLASSES),
  decimals: integer(0, MAX_PRICE_DECIMALS),
  listed: boolean,
  display: boolean,
});

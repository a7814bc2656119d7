import { boolean, integer, object, oneOf, type Parse, string } from '../wire/schema.ts';
import { ASSET_CLASSES, type AssetClass, parseSymbol } from '../terminal/tick/asset-symbol.ts';

/** An asset of the Terminal from here on; a later entry of the symbol stands in its place. */
export interface Asset {
  readonly symbol: string;
  readonly name: string;
  readonly class: AssetClass;
  /** Decimals of a unit of its price: the first entry's, for good. */
  readonly decimals: number;
  /** Whether it has ticks: false ends them, and voids the receipts that are open. */
  readonly listed: boolean;
  /** Whether free reads list it; its events and receipts are in the dataset all the same. */
  readonly display: boolean;
}

/** Most decimals of a price. */
export const MAX_PRICE_DECIMALS = 18;

export const parseAsset: Parse<Asset> = object<Asset>({
  symbol: parseSymbol,
  name: string(1, 64),
  class: oneOf(ASSET_CLASSES),
  decimals: integer(0, MAX_PRICE_DECIMALS),
  listed: boolean,
  display: boolean,
});

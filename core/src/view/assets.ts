import type { Asset } from '../kind/asset.ts';
import type { TimeText } from '../time.ts';
import type { WireObject } from '../wire.ts';
import type { View, ViewState } from './view.ts';

const TABLE = 'assets';

/** An asset as its newest entry has it; class and decimals are those of its first. */
export interface AssetRow extends Asset {
  /** The newest entry of the symbol, and when it says that it was written. */
  readonly seq: number;
  readonly at: TimeText;
}

/** Every asset that the Terminal ever listed, by symbol. */
export const assetsView: View = {
  name: 'assets',
  apply(entry, state) {
    if (entry.kind !== 'asset/1') return [];
    const { seq, at, body } = entry;
    const before = assetRow(state, body.symbol);
    const row: AssetRow = {
      ...body,
      class: before?.class ?? body.class,
      decimals: before?.decimals ?? body.decimals,
      seq,
      at,
    };
    return [{ table: TABLE, key: body.symbol, value: row as unknown as WireObject }];
  },
};

export function assetRow(state: ViewState, symbol: string): AssetRow | undefined {
  return state.get(TABLE, symbol) as unknown as AssetRow | undefined;
}

/** All assets, by symbol, those that are not listed any more among them. */
export function* assetRows(state: ViewState): Generator<AssetRow> {
  for (const [, row] of state.list(TABLE)) yield row as unknown as AssetRow;
}

import type { Split } from '../kind/split.ts';
import type { WireObject } from '../wire.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

const splitsTable = (symbol: string): string => `splits/${symbol}`;

export interface SplitRow extends Split {
  readonly seq: number;
}

/** Every split of an asset, in the order of the log. */
export const splitsView: View = {
  name: 'splits',
  apply(entry) {
    if (entry.kind !== 'split/1') return [];
    const row: SplitRow = { ...entry.body, seq: entry.seq };
    return [
      { table: splitsTable(row.symbol), key: seqKey(row.seq), value: row as unknown as WireObject },
    ];
  },
};

/** The splits of an asset, in the order of the log. */
export function splitsOf(state: ViewState, symbol: string): readonly SplitRow[] {
  return [...state.list(splitsTable(symbol))].map(([, row]) => row as unknown as SplitRow);
}

import type { Split } from '../kind/split.ts';
import { DAY_SECONDS, parseTime } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
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
    return [{ table: splitsTable(row.symbol), key: seqKey(row.seq), value: wire(row) }];
  },
};

/** The splits of an asset, in the order of the log. */
export function splitsOf(state: ViewState, symbol: string): readonly SplitRow[] {
  return [...state.list(splitsTable(symbol))].map(([, row]) => row as unknown as SplitRow);
}

/** What distinguishes a split from others of its asset. */
type SplitTime = Pick<Split, 'symbol' | 'effective_at'>;

/** Whether two splits are of one asset and less than a day apart. A log may have only one such split. */
export function isBeside(one: SplitTime, two: SplitTime): boolean {
  const apart = parseTime(one.effective_at) - parseTime(two.effective_at);
  return one.symbol === two.symbol && Math.abs(apart) < DAY_SECONDS;
}

/** The split in the log that is less than a day apart from this one. */
export function splitBeside(state: ViewState, split: SplitTime): SplitRow | undefined {
  return splitsOf(state, split.symbol).find((row) => isBeside(row, split));
}

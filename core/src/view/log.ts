import type { Genesis } from '../kind/genesis.ts';
import type { HashHex } from '../hash/hash.ts';
import { wire } from '../wire/wire.ts';
import type { View, ViewState } from './view.ts';

const TABLE = 'log';

/** What the first entry states about the log, with the log's own id. */
export interface LogRow extends Genesis {
  readonly log: HashHex;
}

export const logView: View = {
  name: 'log',
  apply(entry) {
    // A second genesis has no effect, because the id of a log determines its keys.
    if (entry.kind !== 'genesis/1' || entry.seq !== 0) return [];
    const row: LogRow = { ...entry.body, log: entry.log };
    return [{ table: TABLE, key: 'genesis', value: wire(row) }];
  },
};

export function logRow(state: ViewState): LogRow | undefined {
  return state.get(TABLE, 'genesis') as unknown as LogRow | undefined;
}

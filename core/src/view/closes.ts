import { closeHash } from '../report/close.ts';
import type { HashHex } from '../hash/hash.ts';
import type { CloseEntry } from '../kind/close.ts';
import type { DateText, TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import type { View, ViewState } from './view.ts';

const NEWEST = 'closed';
const closesTable = (day: DateText): string => `closes/${day}`;

export interface CloseRow extends CloseEntry {
  readonly seq: number;
  readonly at: TimeText;
  readonly hash: HashHex;
}

/** Every version of every Close, and the newest day that has one. */
export const closesView: View = {
  name: 'closes',
  apply(entry, state, sha256) {
    if (entry.kind !== 'close/1') return [];
    const { content, version } = entry.body;
    const hash = closeHash(sha256, content);
    const row: CloseRow = { ...entry.body, seq: entry.seq, at: entry.at, hash };
    const newest = newestClose(state);
    const first = firstClose(state);
    return [
      {
        table: closesTable(content.day),
        key: String(version).padStart(3, '0'),
        value: wire(row),
      },
      ...(first === undefined ? [{ table: NEWEST, key: 'first', value: content.day }] : []),
      ...(newest === undefined || newest < content.day
        ? [{ table: NEWEST, key: 'day', value: content.day }]
        : []),
    ];
  },
};

/** The versions of a day's Close, oldest first. */
export function closesOf(state: ViewState, day: DateText): readonly CloseRow[] {
  return [...state.list(closesTable(day))].map(([, row]) => row as unknown as CloseRow);
}

/** The oldest day that has a Close. */
export function firstClose(state: ViewState): DateText | undefined {
  return state.get(NEWEST, 'first') as DateText | undefined;
}

/** The newest day that has a Close. */
export function newestClose(state: ViewState): DateText | undefined {
  return state.get(NEWEST, 'day') as DateText | undefined;
}

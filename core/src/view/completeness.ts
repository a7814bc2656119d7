import { hashHex } from '../hash/hash.ts';
import { eventLeaf, type IndexLeaf, printLeaf } from '../completeness/leaf.ts';
import type { IndexEntry } from '../kind/index-entry.ts';
import { seriesId } from '../report/print.ts';
import { recordDigest } from '../kind/record-digest.ts';
import { type DateText, parseDate, parseTime, type TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { reportDigest } from './report-digest.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

const PRINTS = 'index-prints';
const EVENTS = 'index-events';
const ENTRIES = 'index-entries';
const BY_DAY = 'index-days';

export interface IndexRow extends IndexEntry {
  readonly seq: number;
  readonly at: TimeText;
}

/**
 * The leaf of each print and event, and the index entries, in the order of the log. Of each day the first index entry
 * counts.
 */
export const completenessView: View = {
  name: 'completeness',
  apply(entry, state, sha256) {
    const { seq, at } = entry;
    if (entry.kind === 'report/1') {
      const { ticker, period, status, issue } = entry.body.report;
      const leaf = printLeaf({
        period: parseDate(period),
        series: hashHex(seriesId(sha256, entry.log, ticker)),
        status,
        issue,
        report: reportDigest(sha256, entry.body),
      });
      return [{ table: PRINTS, key: seqKey(seq), value: leaf }];
    }
    if (entry.kind === 'event/1') {
      const { opened_at, id } = entry.body;
      const leaf = eventLeaf(parseTime(opened_at), id, recordDigest(sha256, entry.body));
      return [{ table: EVENTS, key: seqKey(seq), value: leaf }];
    }
    if (entry.kind !== 'index/1') return [];
    const row: IndexRow = { ...entry.body, seq, at };
    const { day } = entry.body;
    const first = state.get(BY_DAY, day) === undefined;
    return [
      { table: ENTRIES, key: seqKey(seq), value: wire(row) },
      ...(first ? [{ table: BY_DAY, key: day, value: seq }] : []),
    ];
  },
};

/** The leaves of the prints in the entries `[from, to)`, newest first. */
export function printLeaves(state: ViewState, from: number, to: number): Generator<IndexLeaf> {
  return leavesBack(state, PRINTS, from, to);
}

/** The leaves of the events in the entries `[from, to)`, newest first. */
export function eventLeaves(state: ViewState, from: number, to: number): Generator<IndexLeaf> {
  return leavesBack(state, EVENTS, from, to);
}

function* leavesBack(
  state: ViewState,
  table: string,
  from: number,
  to: number,
): Generator<IndexLeaf> {
  const first = seqKey(from);
  for (const [key, leaf] of state.descend(table, seqKey(to))) {
    if (key < first) return;
    yield leaf as IndexLeaf;
  }
}

/** The leaf of the print in an entry; undefined where the entry is not a report. */
export function printLeafAt(state: ViewState, seq: number): IndexLeaf | undefined {
  return state.get(PRINTS, seqKey(seq)) as IndexLeaf | undefined;
}

/** The newest index entry. */
export function newestIndex(state: ViewState): IndexRow | undefined {
  for (const [, row] of state.descend(ENTRIES)) return row as unknown as IndexRow;
  return undefined;
}

/** The newest day before `end` with an index entry. Entries that claim a later day are ignored. */
export function newestIndexDay(state: ViewState, end: DateText): DateText | undefined {
  for (const [day] of state.descend(BY_DAY, end)) return day as DateText;
  return undefined;
}

/** The index entry of a day. */
export function indexOfDay(state: ViewState, day: DateText): IndexRow | undefined {
  const seq = state.get(BY_DAY, day) as number | undefined;
  if (seq === undefined) return undefined;
  return state.get(ENTRIES, seqKey(seq)) as unknown as IndexRow;
}

/** The index entries of a log, oldest first. */
export function* indexEntries(state: ViewState): Generator<IndexRow> {
  for (const [, row] of state.list(ENTRIES)) yield row as unknown as IndexRow;
}

/** The oldest day that has an index entry. */
export function firstIndexedDay(state: ViewState): DateText | undefined {
  for (const [day] of state.list(BY_DAY)) return day as DateText;
  return undefined;
}

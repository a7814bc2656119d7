import { contentHash, type HashHex, hashHex } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { parsePrint, type Print, PRINT_BYTES } from '../report/print.ts';
import { formatStatement, type Statement } from '../report/statement.ts';
import type { StatementEntry } from '../kind/statement-entry.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

const BY_SEQ = 'statements';
const BY_REPORT = 'statements-by-report';
const AGREED = 'statements-agreed';

export interface StatementRow extends StatementEntry {
  readonly seq: number;
  readonly at: TimeText;
  /** `sha256(canonical statement)`. */
  readonly hash: HashHex;
}

/**
 * The statements of the co-signer whose log this is: the first on each report, and its agreement in each place.
 * A place only ever holds one print. A second agreement in a place is stored as a row and changes no other.
 */
export const statementsView: View = {
  name: 'statements',
  apply(entry, state, sha256) {
    if (entry.kind !== 'statement/1') return [];
    const { body, seq, at } = entry;
    const { statement } = body;
    const hash = hashHex(contentHash(sha256, formatStatement(statement)));
    const row: StatementRow = { ...body, seq, at, hash };
    const writes = [{ table: BY_SEQ, key: seqKey(seq), value: wire(row) }];
    const report = `${statement.log}/${statement.report}`;
    const said = state.get(BY_REPORT, report) === undefined;
    const place = placeOf(statement);
    const agreed = statement.verdict === 'agree' && state.get(AGREED, place) === undefined;
    return [
      ...writes,
      ...(said ? [{ table: BY_REPORT, key: report, value: seq }] : []),
      ...(agreed ? [{ table: AGREED, key: place, value: seq }] : []),
    ];
  },
};

/** The statements in a co-signer's log, oldest first. */
export function* statements(state: ViewState): Generator<StatementRow> {
  for (const [, row] of state.list(BY_SEQ)) yield row as unknown as StatementRow;
}

/** The statements in entries after `seq`, oldest first. */
export function statementsAfter(state: ViewState, seq: number): readonly StatementRow[] {
  const rows: StatementRow[] = [];
  for (const [, value] of state.descend(BY_SEQ)) {
    const row = value as unknown as StatementRow;
    if (row.seq <= seq) break;
    rows.push(row);
  }
  return rows.reverse();
}

/** The first statement on a report of a log; undefined if there is none. */
export function statementOn(
  state: ViewState,
  log: HashHex,
  report: HashHex,
): StatementRow | undefined {
  const seq = state.get(BY_REPORT, `${log}/${report}`) as number | undefined;
  return seq === undefined ? undefined : statementAt(state, seq);
}

/** The agreement in the place of a statement's print; undefined if there is none. */
export function agreedIn(state: ViewState, statement: Statement): StatementRow | undefined {
  const seq = state.get(AGREED, placeOf(statement)) as number | undefined;
  return seq === undefined ? undefined : statementAt(state, seq);
}

function statementAt(state: ViewState, seq: number): StatementRow | undefined {
  return state.get(BY_SEQ, seqKey(seq)) as unknown as StatementRow | undefined;
}

function placeOf({ print }: Statement): string {
  return printPlace(parsePrint(parseHex(print, PRINT_BYTES)));
}

/**
 * The place of a print, in which only one print may be signed. A period of a series has one place for what settles it,
 * which a final and a void share, one for each provisional issue, and one for each correction.
 */
export function printPlace({ series, period, status, issue }: Print): string {
  const settles = status === 'final' || status === 'void';
  return `${series}/${period}/${settles ? 'settled' : `${status}/${issue}`}`;
}

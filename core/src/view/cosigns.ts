import type { HashHex } from '../hash/hash.ts';
import type { Cosign } from '../kind/cosign.ts';
import type { Dissent } from '../kind/dissent.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState, ViewWrite } from './view.ts';

const agreementsTable = (report: HashHex): string => `cosigns/${report}`;
const dissentsTable = (report: HashHex): string => `dissents/${report}`;
/** What each co-signer has said of each report, by the hash of the report and the key of the co-signer. */
export const SAID = 'cosigners-said';

export interface CosignRow extends Cosign {
  readonly seq: number;
  readonly at: TimeText;
}

export interface DissentRow extends Dissent {
  readonly seq: number;
  readonly at: TimeText;
}

/** Co-signers' agreements and dissents on each report, in the order of the log: the first of each co-signer. */
export const cosignsView: View = {
  name: 'cosigns',
  apply(entry, state): readonly ViewWrite[] {
    if (entry.kind !== 'cosign/1' && entry.kind !== 'dissent/1') return [];
    const { report, cosigner } = entry.body.statement;
    const key = `${report}/${cosigner}`;
    if (state.get(SAID, key) !== undefined) return [];
    const row: CosignRow | DissentRow = { ...entry.body, seq: entry.seq, at: entry.at };
    const table = (entry.kind === 'cosign/1' ? agreementsTable : dissentsTable)(report);
    return [
      { table: SAID, key, value: entry.seq },
      { table, key: seqKey(entry.seq), value: wire(row) },
    ];
  },
};

/** The agreements with a report, oldest first, at most one of each co-signer. */
export function cosignsOf(state: ViewState, report: HashHex): readonly CosignRow[] {
  return [...state.list(agreementsTable(report))].map(([, row]) => row as unknown as CosignRow);
}

/** The dissents from a report, oldest first, at most one of each co-signer. */
export function dissentsOf(state: ViewState, report: HashHex): readonly DissentRow[] {
  return [...state.list(dissentsTable(report))].map(([, row]) => row as unknown as DissentRow);
}

/** The entry of a co-signer's statement on a report; undefined where it made none. */
export function statementEntryOf(
  state: ViewState,
  report: HashHex,
  cosigner: string,
): number | undefined {
  return state.get(SAID, `${report}/${cosigner}`) as number | undefined;
}

/** The reports that a co-signer has made a statement on; `keys` are those of the table of what they have said. */
export async function* reportsStatedBy(
  keys: AsyncIterable<string>,
  cosigner: string,
): AsyncGenerator<HashHex> {
  for await (const key of keys) {
    const [report, who] = key.split('/');
    if (who === cosigner) yield report as HashHex;
  }
}

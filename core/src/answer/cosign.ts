import type { Statement } from '../report/statement.ts';
import { cosignsOf, dissentsOf } from '../view/cosigns.ts';
import { setByHash } from '../view/cosigner-sets.ts';
import type { ReportRow } from '../view/reports.ts';
import type { ViewState } from '../view/view.ts';

/** One co-signer's statement on a report. */
export interface CosignPayload {
  /** The operator's name in the set; null for a key that the report's set does not have. */
  readonly name: string | null;
  readonly key: string;
  /** Over the print message, or for a dissent over the same bytes with the magic of dissents. Hex. */
  readonly signature: string;
  readonly statement: Statement;
  /** Over the statement, hex. */
  readonly statement_signature: string;
  /** The entry that holds it. */
  readonly seq: number;
}

/** Co-signers' statements on a report: of those who agree, and of those who do not. */
export function cosignPayloads(
  state: ViewState,
  { hash, report }: ReportRow,
): {
  readonly cosignatures: readonly CosignPayload[];
  readonly dissents: readonly CosignPayload[];
} {
  const { set } = report.cosigners;
  const members = set === null ? [] : (setByHash(state, set)?.cosigners ?? []);
  const payload = (
    signature: string,
    {
      statement,
      signature: statement_signature,
      seq,
    }: {
      readonly statement: Statement;
      readonly signature: string;
      readonly seq: number;
    },
  ): CosignPayload => {
    const key = statement.cosigner;
    const name = members.find((member) => member.key === key)?.name ?? null;
    return { name, key, signature, statement, statement_signature, seq };
  };
  return {
    cosignatures: cosignsOf(state, hash).map((row) => payload(row.print_signature, row)),
    dissents: dissentsOf(state, hash).map((row) => payload(row.dissent_signature, row)),
  };
}

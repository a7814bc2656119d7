import { equalBytes } from '@assay/core/bytes/bytes';
import type { HashHex } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import { dissentMessage, parsePrint, PRINT_BYTES } from '@assay/core/report/print';
import { formatStatement, type Statement, statementMessage } from '@assay/core/report/statement';
import { type CosignRow, cosignsOf, type DissentRow, dissentsOf } from '@assay/core/view/cosigns';
import type { ViewState } from '@assay/core/view/view';
import { nodeVerifySignature } from '../../platform/node-signature.ts';

/**
 * The statement of a co-signer on a report in the publisher's log: `forged` if the key did not sign the
 * statement and the print or dissent in the entry, because an entry alone is only a claim of the publisher.
 * Undefined if there is none.
 */
export function loggedStatement(
  shown: ViewState,
  report: HashHex,
  cosigner: string,
): Statement | 'forged' | undefined {
  const by = ({ statement }: CosignRow | DissentRow): boolean => statement.cosigner === cosigner;
  const row = cosignsOf(shown, report).find(by) ?? dissentsOf(shown, report).find(by);
  if (row === undefined) return undefined;
  return isSigned(row) ? row.statement : 'forged';
}

/** Whether the publisher's log has exactly this statement, signed. */
export function holdsStatement(shown: ViewState, statement: Statement): boolean {
  const said = loggedStatement(shown, statement.report, statement.cosigner);
  return said !== undefined && said !== 'forged' && sameStatement(said, statement);
}

export function sameStatement(a: Statement, b: Statement): boolean {
  return equalBytes(formatStatement(a), formatStatement(b));
}

function isSigned(row: CosignRow | DissentRow): boolean {
  const { statement, signature } = row;
  const key = parseHex(statement.cosigner, 32);
  const print = parseHex(statement.print, PRINT_BYTES);
  const [second, message] =
    'print_signature' in row
      ? [row.print_signature, print]
      : [row.dissent_signature, dissentMessage(parsePrint(print))];
  return (
    nodeVerifySignature(key, statementMessage(statement), parseHex(signature, 64)) &&
    nodeVerifySignature(key, message, parseHex(second, 64))
  );
}

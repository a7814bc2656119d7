import { parseHex } from '@assay/core/bytes/hex';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { dissentMessage, parsePrint, PRINT_BYTES } from '@assay/core/report/print';
import { statementMessage } from '@assay/core/report/statement';
import type { VerifySignature } from '@assay/verifier/ed25519/profile';

/** A signature of a statement that is not by its key, by its name. */
export interface BadSignature {
  readonly at: 'signature' | 'print_signature' | 'dissent_signature';
  readonly found: string;
}

/**
 * The first signature of a statement that is not by the key that it names; undefined if all are valid. The
 * statement must be one that `parseStatementEntry` accepts. Nothing else of it is checked.
 */
export function badSignature(
  { statement, signature, print_signature, dissent_signature }: StatementEntry,
  verify: VerifySignature,
): BadSignature | undefined {
  const key = parseHex(statement.cosigner, 32);
  const print = parseHex(statement.print, PRINT_BYTES);
  const signed: readonly (readonly [BadSignature['at'], string | null, () => Uint8Array])[] = [
    ['signature', signature, () => statementMessage(statement)],
    ['print_signature', print_signature, () => print],
    ['dissent_signature', dissent_signature, () => dissentMessage(parsePrint(print))],
  ];
  for (const [at, found, message] of signed) {
    if (found !== null && !verify(key, message(), parseHex(found, 64))) return { at, found };
  }
  return undefined;
}

import { parseHex } from '@assay/core/bytes/hex';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { dissentMessage, parsePrint, PRINT_BYTES } from '@assay/core/report/print';
import { statementMessage } from '@assay/core/report/statement';
import type { VerifySignature } from '@assay/verifier/ed25519/profile';

/** A signature of a word that is not its key's, by its name. */
export interface BadSignature {
  readonly at: 'signature' | 'print_signature' | 'dissent_signature';
  readonly found: string;
}

/**
 * The first signature of a word that `parseStatementEntry` takes that is not by the key that it names; undefined
 * where it is well signed. Nothing else of the word is looked at.
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

import type { StatementEntry } from '@assay/core/kind/statement-entry';
import type { CosignerStatement } from './cosigner.ts';

/** A statement as its co-signer stores it in its own log, and sends it to the publisher. */
export function entryOf(word: CosignerStatement): StatementEntry {
  switch (word.kind) {
    case 'agree':
      return { ...word.body, dissent_signature: null };
    case 'dissent':
      return { ...word.body, print_signature: null };
    case 'abstain': {
      const { statement, signature } = word;
      return { statement, signature, print_signature: null, dissent_signature: null };
    }
  }
}

/** The statement in such an entry. Throws a TypeError for one that `parseStatementEntry` does not accept. */
export function cosignerStatementOf({
  statement,
  signature,
  print_signature,
  dissent_signature,
}: StatementEntry): CosignerStatement {
  switch (statement.verdict) {
    case 'agree':
      if (print_signature === null) break;
      return { kind: 'agree', body: { statement, signature, print_signature } };
    case 'dissent':
      if (dissent_signature === null) break;
      return { kind: 'dissent', body: { statement, signature, dissent_signature } };
    case 'abstain':
      return { kind: 'abstain', statement, signature };
  }
  throw new TypeError('cosignerStatementOf: no signature over its print');
}

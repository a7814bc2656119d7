import { hex, malformed, nullable, object, type Parse } from '../wire/schema.ts';
import { parseStatement, type Statement } from '../report/statement.ts';

/**
 * A co-signer's statement on a report of another log. The co-signer keeps it in its own log, and sends it to the
 * publisher.
 */
export interface StatementEntry {
  readonly statement: Statement;
  /** Ed25519 by the co-signer over `statementMessage`, hex. */
  readonly signature: string;
  /** For an agreement, Ed25519 over the 128 bytes of the print message, hex; null for any other statement. */
  readonly print_signature: string | null;
  /** For a dissent, Ed25519 over the 128 bytes of `dissentMessage`, hex; null for any other statement. */
  readonly dissent_signature: string | null;
}

const parseShape: Parse<StatementEntry> = object<StatementEntry>({
  statement: parseStatement,
  signature: hex(64),
  print_signature: nullable(hex(64)),
  dissent_signature: nullable(hex(64)),
});

/**
 * A statement, or `malformed`. An agreement is from the co-signer's own read and has a print signature; a dissent has a
 * dissent signature.
 */
export const parseStatementEntry: Parse<StatementEntry> = (value, at) => {
  const entry = parseShape(value, at);
  const { verdict, basis } = entry.statement;
  if ((entry.print_signature !== null) !== (verdict === 'agree')) {
    throw malformed(`${at}.print_signature`, 'one exactly of an agreement', verdict);
  }
  if ((entry.dissent_signature !== null) !== (verdict === 'dissent')) {
    throw malformed(`${at}.dissent_signature`, 'one exactly of a dissent', verdict);
  }
  if (verdict === 'agree' && basis !== 'own_read') {
    throw malformed(`${at}.statement.basis`, 'own_read', basis);
  }
  return entry;
};

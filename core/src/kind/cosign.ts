import { hex, malformed, object, type Parse } from '../wire/schema.ts';
import { parseStatement, type Statement } from '../report/statement.ts';

/** A co-signer's agreement with a report, from its own read. */
export interface Cosign {
  readonly statement: Statement;
  /** Ed25519 by the co-signer over `statementMessage`, hex. */
  readonly signature: string;
  /** Ed25519 by the co-signer over the 128 bytes of the print message, hex. The chain checks it too. */
  readonly print_signature: string;
}

const parseShape: Parse<Cosign> = object<Cosign>({
  statement: parseStatement,
  signature: hex(64),
  print_signature: hex(64),
});

export const parseCosign: Parse<Cosign> = (value, at) => {
  const cosign = parseShape(value, at);
  const { verdict, basis } = cosign.statement;
  if (verdict !== 'agree') throw malformed(`${at}.statement.verdict`, 'agree', verdict);
  if (basis !== 'own_read') throw malformed(`${at}.statement.basis`, 'own_read', basis);
  return cosign;
};

import { hex, malformed, object, type Parse } from '../wire/schema.ts';
import { parseStatement, type Statement } from '../report/statement.ts';

/** A co-signer's dissent from a report. */
export interface Dissent {
  readonly statement: Statement;
  /** Ed25519 by the co-signer over `statementMessage`, hex. */
  readonly signature: string;
  /** Ed25519 by the co-signer over the 128 bytes of `dissentMessage`, hex. The chain checks it too. */
  readonly dissent_signature: string;
}

const parseShape: Parse<Dissent> = object<Dissent>({
  statement: parseStatement,
  signature: hex(64),
  dissent_signature: hex(64),
});

export const parseDissent: Parse<Dissent> = (value, at) => {
  const dissent = parseShape(value, at);
  const { verdict } = dissent.statement;
  if (verdict !== 'dissent') throw malformed(`${at}.statement.verdict`, 'dissent', verdict);
  return dissent;
};

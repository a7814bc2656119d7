import {
  contentHash,
  type HashHex,
  hashHex as toHex,
  type Sha256,
  taggedBytes,
} from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { parsePrint, type Print, PRINT_BYTES } from './print.ts';
import { type Read, parseRead, type Report, type Status, STATUSES } from './report.ts';
import {
  array,
  hashHex,
  hex,
  i64,
  integer,
  literal,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
  time,
} from '../wire/schema.ts';
import type { TimeText } from '../time/time.ts';
import { formatWire, wire } from '../wire/wire.ts';

export const VERDICTS = ['agree', 'dissent', 'abstain'] as const;
export type StatementVerdict = (typeof VERDICTS)[number];

/** What a verdict is based on: the co-signer's own read of the sources, or the bytes that the log stores. */
export const BASES = ['own_read', 'retained_bytes'] as const;
export type Basis = (typeof BASES)[number];

/** The result of a recount. */
export interface Recounted {
  /** Scaled as in the report; null where there is none. */
  readonly value: string | null;
  readonly status: Status;
}

/** A recount from sources that the co-signer itself read. */
export interface OwnRecount extends Recounted {
  readonly reads: readonly Read[];
}

/**
 * The statement of one co-signer on one report. It signs `statementMessage`. Only an agreement from its own read has a
 * print signature as well, and only that counts toward a quorum.
 */
export interface Statement {
  readonly type: 'assay-statement/1';
  readonly log: HashHex;
  /** The report's hash, and its print message, hex. */
  readonly report: HashHex;
  readonly print: string;
  /** The entry that holds the report, and a checkpoint that holds the entry. */
  readonly entry: { readonly seq: number; readonly leaf: HashHex };
  readonly head: { readonly size: number; readonly root: HashHex };
  /** The co-signer's key, hex, and the set as a member of which it makes the statement. */
  readonly cosigner: string;
  readonly set: HashHex;
  readonly verdict: StatementVerdict;
  readonly basis: Basis;
  /** The result of the rule on the bytes that the log stores; null if it was not run on them. */
  readonly kept: Recounted | null;
  /** The result of the rule on the co-signer's own read; null if it made none. */
  readonly own: OwnRecount | null;
  /** Why it does not agree, as a short code; null when it does. */
  readonly reason: string | null;
  /** The newest Bitcoin block that the co-signer knew. */
  readonly after: Report['after'];
  readonly signed_at: TimeText;
}

const recounted = { value: nullable(i64), status: oneOf(STATUSES) };

const parseShape: Parse<Statement> = object<Statement>({
  type: literal('assay-statement/1'),
  log: hashHex,
  report: hashHex,
  print: hex(PRINT_BYTES),
  entry: object<Statement['entry']>({ seq: integer(1, Number.MAX_SAFE_INTEGER), leaf: hashHex }),
  head: object<Statement['head']>({ size: integer(2, Number.MAX_SAFE_INTEGER), root: hashHex }),
  cosigner: hex(32),
  set: hashHex,
  verdict: oneOf(VERDICTS),
  basis: oneOf(BASES),
  kept: nullable(object<Recounted>(recounted)),
  own: nullable(object<OwnRecount>({ ...recounted, reads: array(parseRead, 0, 16) })),
  reason: nullable(string(1, 64, /^[a-z][a-z_]*$/)),
  after: nullable(
    object<NonNullable<Report['after']>>({ height: integer(0, 2 ** 32 - 1), hash: hashHex }),
  ),
  signed_at: time,
});

/** A statement, or `malformed`. Members that contradict each other are refused here. */
export const parseStatement: Parse<Statement> = (value, at) => {
  const statement = parseShape(value, at);
  const { entry, head, verdict, basis, kept, own, reason } = statement;
  const print = printIn(statement, at);
  const abstains = verdict === 'abstain';
  const demands: readonly (readonly [boolean, string, string])[] = [
    [print.report === statement.report, 'print', `the print of ${statement.report}`],
    [head.size > entry.seq, 'head.size', `above ${entry.seq}`],
    [(reason === null) === (verdict === 'agree'), 'reason', 'one exactly where it does not agree'],
    [basis === 'retained_bytes' || own !== null || abstains, 'own', 'its own read'],
    [basis === 'own_read' || kept !== null || abstains, 'kept', 'what the kept bytes give'],
    [verdict !== 'agree' || own === null || isOf(own, print), 'own', "the print's value"],
    [verdict !== 'agree' || kept === null || isOf(kept, print), 'kept', "the print's value"],
  ];
  for (const [holds, place, expected] of demands) {
    if (!holds) throw malformed(`${at}.${place}`, expected, wire(statement));
  }
  return statement;
};

function printIn({ print }: Statement, at: string): Print {
  try {
    return parsePrint(parseHex(print, PRINT_BYTES));
  } catch {
    throw malformed(`${at}.print`, 'a print message', print);
  }
}

/**
 * Whether a recount has the number of a print. Its status may differ, because that depends on the time of the recount.
 */
function isOf({ value }: Recounted, { value: printed, status, withheld }: Print): boolean {
  const empty = status === 'void' || withheld;
  return value === null ? empty : !empty && BigInt(value) === printed;
}

/** The canonical bytes of a statement. */
export function formatStatement(statement: Statement): Uint8Array {
  return formatWire(statement);
}

/** What a co-signer signs of its statement: `"assay/statement/v1" 0x00 || canonical JSON`. */
export function statementMessage(statement: Statement): Uint8Array {
  return taggedBytes('assay/statement/v1', formatStatement(statement));
}

/** `sha256(canonical statement)`. */
export function statementHash(sha256: Sha256, statement: Statement): HashHex {
  return toHex(contentHash(sha256, formatStatement(statement)));
}

import { Fault } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { parseCosign } from '@assay/core/kind/cosign';
import { parseDissent } from '@assay/core/kind/dissent';
import { dissentMessage, formatPrint, printOf } from '@assay/core/report/print';
import { groundFault, recountKept } from '@assay/core/round/recount';
import { hex, literal, object, type Parse } from '@assay/core/wire/schema';
import { parseStatement, type Statement, statementMessage } from '@assay/core/report/statement';
import { parseTime } from '@assay/core/time/time';
import { setByHash } from '@assay/core/view/cosigner-sets';
import { statementEntryOf } from '@assay/core/view/cosigns';
import { logRow } from '@assay/core/view/log';
import type { ViewState } from '@assay/core/view/view';
import { wire } from '@assay/core/wire/wire';
import type { VerifySignature } from '@assay/verifier/ed25519/profile';
import type { EntryDraft } from '../ledger/ledger.ts';
import type { Asked, CosignerStatement } from './cosigner.ts';

/** How many seconds a co-signer's clock may be ahead of the publisher's. */
const MAX_AHEAD_S = 120;

const parseAbstention: Parse<Extract<CosignerStatement, { readonly kind: 'abstain' }>> = object({
  kind: literal('abstain'),
  statement: parseStatement,
  signature: hex(64),
});

/** What the publisher knows and checks a statement against. */
export interface AdmitContext {
  /** Everything that the log holds by now. */
  readonly state: ViewState;
  /** The report that the statement is about, with its entry and its rule. */
  readonly asked: Pick<Asked, 'report' | 'entry' | 'rule' | 'clocks' | 'before'>;
  /** The number of published entries. */
  readonly size: number;
  /** The root of the published tree at the size that the statement names; undefined if it has none. */
  readonly root: HashHex | undefined;
  /** Unix seconds. */
  readonly now: number;
  readonly sha256: Sha256;
  readonly verify: VerifySignature;
}

/**
 * The entry that a statement makes; undefined for an abstention, which makes none. Throws `malformed` for what
 * is no statement, and `refused`, with the place in it, for a statement that the log must not hold: about
 * another log, report, entry or head, by somebody who is not asked, not signed, not supported by what it states
 * itself, or made before.
 */
export function admit(word: CosignerStatement, context: AdmitContext): EntryDraft | undefined {
  switch (word.kind) {
    case 'agree': {
      const body = parseCosign(wire(word.body), 'cosign');
      const print = admitStatement(body.statement, 'agree', body.signature, context);
      requireSignature(
        'print_signature',
        body.statement,
        formatPrint(print),
        body.print_signature,
        context,
      );
      return { kind: 'cosign/1', body };
    }
    case 'dissent': {
      const body = parseDissent(wire(word.body), 'dissent');
      const print = admitStatement(body.statement, 'dissent', body.signature, context);
      const message = dissentMessage(print);
      requireSignature(
        'dissent_signature',
        body.statement,
        message,
        body.dissent_signature,
        context,
      );
      return { kind: 'dissent/1', body };
    }
    case 'abstain': {
      const { statement, signature } = parseAbstention(wire(word), 'word');
      admitStatement(statement, 'abstain', signature, context);
      return undefined;
    }
  }
}

function admitStatement(
  statement: Statement,
  verdict: Statement['verdict'],
  signature: string,
  context: AdmitContext,
): ReturnType<typeof printOf> {
  const { state, asked, size, root, now, sha256 } = context;
  const { hash, report } = asked.report;
  const set = report.cosigners.set;
  const members = set === null ? undefined : setByHash(state, set)?.cosigners;
  const print = printOf(sha256, report);
  const { entry, head, cosigner } = statement;
  const signed = parseTime(statement.signed_at);
  const said = statementEntryOf(state, hash, cosigner);
  const demands: readonly (readonly [boolean, string, string, string])[] = [
    [statement.verdict === verdict, 'verdict', verdict, statement.verdict],
    [verdict === 'abstain' || !report.withheld, 'verdict', 'none on a withheld level', verdict],
    [statement.log === logRow(state)?.log, 'log', `${logRow(state)?.log}`, statement.log],
    [statement.report === hash, 'report', hash, statement.report],
    [
      statement.print === formatHex(formatPrint(print)),
      'print',
      'the print of it',
      statement.print,
    ],
    [entry.seq === asked.entry.seq, 'entry.seq', `${asked.entry.seq}`, `${entry.seq}`],
    [entry.leaf === asked.entry.leaf, 'entry.leaf', asked.entry.leaf, entry.leaf],
    [head.size <= size, 'head.size', `at most ${size}`, `${head.size}`],
    [head.root === root, 'head.root', `${root}`, head.root],
    [statement.set === set, 'set', `${set}`, statement.set],
    [members?.some(({ key }) => key === cosigner) === true, 'cosigner', 'one of the set', cosigner],
    [
      signed >= parseTime(report.published_at) && signed <= now + MAX_AHEAD_S,
      'signed_at',
      `from ${report.published_at} to now`,
      statement.signed_at,
    ],
    [said === undefined, 'report', 'nothing said of it', `entry ${said}`],
  ];
  for (const [holds, at, expected, found] of demands)
    if (!holds) throw refused(at, expected, found);
  requireGround(statement, asked);
  requireSignature('signature', statement, statementMessage(statement), signature, context);
  return print;
}

/** Returns the statement that is signed. */
export function statementOf(word: CosignerStatement): Statement {
  return word.kind === 'abstain' ? word.statement : word.body.statement;
}

/** Throws unless what a statement states supports its verdict, as every verifier of the log will require. */
function requireGround(
  statement: Statement,
  { report: { report }, rule: { rule }, clocks, before }: AdmitContext['asked'],
): void {
  const open = before.at(-1)?.report.reason ?? null;
  const kept = recountKept({ rule, clocks, report, reads: report.reads, open });
  const fault = groundFault(statement, { rule, clocks, report, open }, kept);
  if (fault !== undefined) throw refused(fault.at, fault.expected, fault.found);
}

function requireSignature(
  at: string,
  { cosigner }: Statement,
  message: Uint8Array,
  signature: string,
  { verify }: AdmitContext,
): void {
  if (verify(parseHex(cosigner, 32), message, parseHex(signature, 64))) return;
  throw refused(at, `one of ${cosigner}`, signature);
}

function refused(at: string, expected: string, found: string): Fault {
  return new Fault('refused', 'statement of a co-signer', { at, expected, found });
}

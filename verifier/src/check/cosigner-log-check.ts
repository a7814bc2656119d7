import { parseHex } from '@assay/core/bytes/hex';
import type { Kind } from '@assay/core/kind/kinds';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { dissentMessage, parsePrint, PRINT_BYTES } from '@assay/core/report/print';
import { statementMessage } from '@assay/core/report/statement';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { agreedIn, statementOn } from '@assay/core/view/statements';
import type { ViewState } from '@assay/core/view/view';
import type { Environment } from '../verdict/environment.ts';
import type { StatementFacts } from '../verdict/verdict.ts';
import type { CheckContext } from './read-check.ts';

/** The kinds that only a publisher's log holds. */
const REPORTING: ReadonlySet<Kind> = new Set<Kind>([
  'rule/1',
  'report/1',
  'revision/1',
  'cosigners/1',
  'cosign/1',
  'dissent/1',
  'print/1',
  'close/1',
]);

/** Seconds by which a statement may be signed after the time of its entry, because a clock may be set. */
const CLOCK_STEP_S = 120;
/** How many logs a verdict lists. */
const MAX_LOGS = 16;

/** What a `CosignerLogCheck` knows so far. */
export interface KeptStatements {
  readonly holds: 'reports' | 'words' | undefined;
  readonly mixed: boolean;
  readonly rekeyed: boolean;
  readonly facts: StatementFacts | undefined;
  readonly logs: number;
}

/** Follows the statements in a co-signer's log, and checks that a log is either a co-signer's or a publisher's. */
export class CosignerLogCheck {
  #holds: KeptStatements['holds'];
  #mixed = false;
  #rekeyed = false;
  #facts: StatementFacts | undefined;
  #logs = 0;

  /** What the co-signer has stated so far; undefined in a log without statements. */
  get facts(): StatementFacts | undefined {
    return this.#facts;
  }

  get kept(): KeptStatements {
    return {
      holds: this.#holds,
      mixed: this.#mixed,
      rekeyed: this.#rekeyed,
      facts: this.#facts,
      logs: this.#logs,
    };
  }

  /** Goes on as the one that was kept. */
  resume({ holds, mixed, rekeyed, facts, logs }: KeptStatements): void {
    this.#holds = holds;
    this.#mixed = mixed;
    this.#rekeyed = rekeyed;
    this.#facts = facts;
    this.#logs = logs;
  }

  /** Takes the kind of each entry, in the order of the log. */
  note(kind: Kind, place: string, { findings }: CheckContext): void {
    if (kind === 'key/1') this.#rekeyed = true;
    const holds =
      kind === 'statement/1' ? 'words' : REPORTING.has(kind) ? ('reports' as const) : undefined;
    if (this.#mixed) return;
    // All statements are by the one key that genesis names. After a change of key they would be somebody else's.
    if (this.#rekeyed && (holds ?? this.#holds) === 'words') {
      this.#mixed = true;
      findings.add('kinds_mixed', place, "statements of genesis' report_key", `${kind}, key/1`);
      return;
    }
    if (holds === undefined) return;
    this.#holds ??= holds;
    if (this.#holds === holds) return;
    this.#mixed = true;
    const expected =
      this.#holds === 'words'
        ? "statements alone, as in a co-signer's log"
        : "no co-signer's statement in a publisher's log";
    findings.add('kinds_mixed', place, expected, kind);
  }

  /**
   * Checks a statement against the log before it. The log's key made it, on a report that no earlier statement is
   * about; and where it agrees, it agrees with the only print of its place. Whether the report is as it says, only the
   * publisher's log shows.
   */
  check(
    { statement }: StatementEntry,
    at: TimeText,
    place: string,
    key: string,
    state: ViewState,
    { findings, tally }: CheckContext,
  ): void {
    tally.statements += 1;
    this.#count(statement, at);
    if (statement.cosigner !== key) {
      const where = `${place}/statement/cosigner`;
      findings.add('statement_differs', where, `${key}, the log's own key`, statement.cosigner);
    }
    if (parseTime(statement.signed_at) > parseTime(at) + CLOCK_STEP_S) {
      const where = `${place}/statement/signed_at`;
      findings.add('statement_differs', where, `${at} at the latest`, statement.signed_at);
    }
    const earlier = statementOn(state, statement.log, statement.report);
    if (earlier !== undefined) {
      const expected = `one statement on report ${statement.report}`;
      const found = `another, ${earlier.statement.verdict}, in entry ${earlier.seq}`;
      findings.add('statement_contradicts', place, expected, found);
    }
    const agreed = statement.verdict === 'agree' ? agreedIn(state, statement) : undefined;
    if (agreed !== undefined && agreed.statement.print !== statement.print) {
      const expected = 'one print in its place in a period';
      findings.add('statement_contradicts', place, expected, `another in entry ${agreed.seq}`);
    }
  }

  #count({ cosigner, log, verdict }: StatementEntry['statement'], at: TimeText): void {
    const facts = this.#facts ?? {
      cosigner,
      logs: [],
      agreements: 0,
      dissents: 0,
      abstentions: 0,
      newest: at,
    };
    const isNew = this.#logs < MAX_LOGS && !facts.logs.includes(log);
    if (isNew) this.#logs += 1;
    this.#facts = {
      ...facts,
      logs: isNew ? [...facts.logs, log] : facts.logs,
      agreements: facts.agreements + (verdict === 'agree' ? 1 : 0),
      dissents: facts.dissents + (verdict === 'dissent' ? 1 : 0),
      abstentions: facts.abstentions + (verdict === 'abstain' ? 1 : 0),
      newest: at,
    };
  }
}

/**
 * Checks the two signatures of a statement: over the statement itself, and over the print that it agrees with or
 * dissents from.
 */
export async function checkCosignerLogSignatures(
  { statement, signature, print_signature, dissent_signature }: StatementEntry,
  place: string,
  environment: Environment,
  { findings, tally }: CheckContext,
): Promise<void> {
  const key = parseHex(statement.cosigner, 32);
  const print = parseHex(statement.print, PRINT_BYTES);
  const signed: readonly (readonly [string, Uint8Array, string | null])[] = [
    ['the statement', statementMessage(statement), signature],
    ['the print', print, print_signature],
    ['the dissent', dissentMessage(parsePrint(print)), dissent_signature],
  ];
  for (const [what, message, by] of signed) {
    if (by === null) continue;
    tally.signatures += 1;
    if (await environment.verifySignature(key, message, parseHex(by, 64))) continue;
    const expected = `a signature of ${what} by ${statement.cosigner}`;
    findings.add('statement_bad_signature', place, expected, 'one that does not verify');
  }
}
